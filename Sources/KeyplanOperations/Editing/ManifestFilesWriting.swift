internal import KeyplanFiles
package import KeyplanReporting

extension ManifestFiles {
  /// Writes the changed files. A file that changed since it was read is not overwritten; if one of
  /// several cannot be written, those before it are restored.
  package func write() throws(Failure) {
    for file in changed { try file.checkUnchanged() }
    var written: [File] = []
    for file in changed {
      do throws(Failure) {
        try file.replace(file.before, with: file.after)
      } catch {
        for file in written { try? file.replace(file.after, with: file.before) }
        throw error
      }
      written.append(file)
    }
  }
}

extension ManifestFiles.File {
  fileprivate func checkUnchanged() throws(Failure) {
    guard try Project.read(path) == before else { throw changed }
  }

  fileprivate func replace(_ old: [UInt8], with bytes: [UInt8]) throws(Failure) {
    do throws(FileError) {
      try AtomicFile.replace(path, with: bytes, expecting: old, isShared: true, within: Project.parent(of: path))
    } catch {
      throw error.code == .changed ? changed : Failure(error, "Manifest not written")
    }
  }

  private var changed: Failure {
    Failure(
      .stale, "Manifest changed meanwhile", "\(shown) was changed after keyplan read it.",
      hint: "Nothing was written. Run the command again.")
  }
}
