import KeyplanDocuments
import KeyplanFiles
import KeyplanModel
import KeyplanPorts

extension AccessFailure {
  init(_ error: FileError) {
    switch error.code {
    case .permission: self.init(.denied, error.sentence, hint: error.hintSentence)
    case .io, .busy: self.init(.unreachable, error.sentence)
    default: self.init(.unreadable, error.sentence)
    }
  }

  /// A file with a syntax error, or an invalid name.
  /// - Parameter name: the entry with the error, if it concerns one.
  init(_ error: DocumentError, at name: String? = nil) {
    let place = error.place.map { "Line \($0.line), column \($0.column): " } ?? ""
    self.init(.unreadable, (name.map { "\($0): " } ?? place) + error.detail)
    isAboutContent = true
  }
}

extension FileError {
  var sentence: String { description.prefix(1).uppercased() + description.dropFirst() + "." }

  fileprivate var hintSentence: String? { hint.map { $0.prefix(1).uppercased() + $0.dropFirst() } }
}

extension WriteBlocker {
  init(_ error: FileError) {
    // A missing file is created; if something is missing here, it is the folder, which is not created.
    let folder = "Create that folder, or correct the target's path."
    let isOnlyHere =
      switch error.code {
      case .permission, .otherOwner, .io: true
      default: false
      }
    self.init(
      reason: error.sentence, hint: error.code == .notFound ? folder : error.hint, isOnlyHere: isOnlyHere)
  }
}
