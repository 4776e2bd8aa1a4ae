import KeyplanApply
import KeyplanDocuments
import KeyplanFiles

extension TargetFailure {
  init(_ error: FileError) {
    let isUnreachable =
      switch error.code {
      case .io, .busy: true
      default: false
      }
    let sentence = error.description.prefix(1).uppercased() + error.description.dropFirst() + "."
    self.init(isUnreachable: isUnreachable, reason: sentence)
  }

  /// - Parameter name: the entry at fault, if it is one.
  init(_ error: DocumentError, at name: String? = nil) {
    let place = error.place.map { "Line \($0.line), column \($0.column): " } ?? ""
    self.init(reason: (name.map { "\($0): " } ?? place) + error.detail)
  }
}
