internal import KeyplanFiles
package import KeyplanReporting

extension ManifestFiles {
  /// Writes what was changed. A file that is another one now than it was when it was read is left alone; where one of
  /// several cannot be written, those before it get their old bytes back.
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
      throw Failure(error, "Manifest was not written")
    }
  }
}

extension ManifestFiles.File {
  fileprivate func checkUnchanged() throws(Failure) {
    guard try Project.read(path) != before else { return }
    throw Failure(
      .stale, "Manifest has changed meanwhile", "\(shown) is another one now than it was when it was read.",
      hint: "Nothing was written. Run the command again.")
  }
}
