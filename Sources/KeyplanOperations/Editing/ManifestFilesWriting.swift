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
        try file.checkUnchanged()
        try replace(file, with: file.after)
      } catch {
        for file in written { try? replace(file, with: file.before) }
        throw error
      }
      written.append(file)
    }
  }

  private func replace(_ file: File, with bytes: [UInt8]) throws(Failure) {
    do throws(FileError) {
      try AtomicFile.replace(file.path, with: bytes, within: Project.parent(of: file.path))
    } catch {
      throw Failure(error, "Manifest not written")
    }
  }
}

extension ManifestFiles.File {
  fileprivate func checkUnchanged() throws(Failure) {
    guard try Project.read(path) != before else { return }
    throw Failure(
      .stale, "Manifest changed meanwhile", "\(shown) was changed after keyplan read it.",
      hint: "Nothing was written. Run the command again.")
  }
}
