internal import KeyplanFiles
internal import KeyplanReporting

extension Failure {
  init(_ error: FileError, _ summary: String = "File cannot be used") {
    self.init(.failed, summary, error.description, hint: error.hint)
  }
}
