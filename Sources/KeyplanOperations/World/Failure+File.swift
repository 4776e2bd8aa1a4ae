package import KeyplanFiles
package import KeyplanReporting

extension Failure {
  package init(_ error: FileError, _ summary: String = "Cannot use the file") {
    self.init(.failed, summary, error.description, hint: error.hint)
  }
}
