package import KeyplanFiles
package import KeyplanReporting

extension Failure {
  package init(_ error: FileError, _ summary: String = "File cannot be used") {
    self.init(.failed, summary, error.description, hint: error.hint)
  }
}
