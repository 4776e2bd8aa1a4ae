import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles

extension AccessFailure {
  /// What a file system's refusal means.
  init(_ error: FileError) {
    switch error.code {
    case .permission: self.init(.denied, error.sentence, hint: error.hintSentence)
    case .io, .busy: self.init(.unreachable, error.sentence)
    default: self.init(.unreadable, error.sentence)
    }
  }

  /// A file that breaks its grammar, or a name that it cannot have.
  /// - Parameter name: the entry at fault, if it is one.
  init(_ error: DocumentError, at name: String? = nil) {
    let place = error.place.map { "Line \($0.line), column \($0.column): " } ?? ""
    self.init(.unreadable, (name.map { "\($0): " } ?? place) + error.detail)
  }
}

extension FileError {
  var sentence: String { description.prefix(1).uppercased() + description.dropFirst() + "." }

  fileprivate var hintSentence: String? { hint.map { $0.prefix(1).uppercased() + $0.dropFirst() } }
}

extension WriteBlocker {
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
