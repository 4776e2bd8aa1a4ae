import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles

extension TargetFailure {
  init(_ error: FileError) {
    let isUnreachable =
      switch error.code {
      case .io, .busy: true
      default: false
      }
    self.init(isUnreachable: isUnreachable, reason: error.sentence)
  }

  /// - Parameter name: the entry at fault, if it is one.
  init(_ error: DocumentError, at name: String? = nil) {
    let place = error.place.map { "Line \($0.line), column \($0.column): " } ?? ""
    self.init(reason: (name.map { "\($0): " } ?? place) + error.detail)
  }
}

extension Obstacle {
  init(_ error: FileError) {
    // A file that is missing is made; what is missing here is its folder, which is not.
    let folder = "Make that folder, or correct the path of the target."
    let isOnlyHere =
      switch error.code {
      case .permission, .otherOwner, .io: true
      default: false
      }
    self.init(
      reason: error.sentence, hint: error.code == .notFound ? folder : error.hint, isOnlyHere: isOnlyHere)
  }
}
