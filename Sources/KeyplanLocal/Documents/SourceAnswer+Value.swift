import KeyplanDocuments
import KeyplanFiles
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

extension SourceAnswer {
  static let valueLimit = ValueFault.limit
  /// The answer for an empty value, or one of white space only. For formats in which that commonly means "not set", it is *missing* instead.
  static let empty = SourceAnswer.unreadable(ValueFault.empty.sentence)

  /// Takes ownership of the bytes that a source returned.
  init(_ bytes: consuming [UInt8], whenEmpty: SourceAnswer = .empty) {
    self.init(SecretBox(bytes), whenEmpty: whenEmpty)
  }

  /// A value that a source returned. Invalid values are rejected here, where the source is known.
  init(_ secret: SecretBox, whenEmpty: SourceAnswer = .empty) {
    self =
      switch secret.withBytes({ ValueFault(in: $0) }) {
      case .empty: whenEmpty
      // Not used where an empty one is not, either.
      case .blank: if case .missing = whenEmpty { whenEmpty } else { .unreadable(ValueFault.blank.sentence) }
      case let fault?: .unreadable(fault.sentence)
      case nil: .value(secret)
      }
  }

  /// The output of a program, or the content of a file: a single line without its line break, or several lines unchanged.
  init(text: SecretBox, whenEmpty: SourceAnswer = .empty) {
    self.init(
      text.withBytes { bytes in
        bytes.lineOrLines.count == bytes.count ? text : SecretBox(Secret(copying: bytes.lineOrLines))
      }, whenEmpty: whenEmpty)
  }

  /// A file's content, unchanged.
  init(file content: SecretBox) {
    self =
      switch content.withBytes({ ValueFault(in: $0) }) {
      case .holdsNUL, nil: .value(content)
      case let fault?: .unreadable(fault.sentence)
      }
  }

  /// Takes ownership of a file's content, unchanged.
  init(file bytes: consuming [UInt8]) { self.init(file: SecretBox(bytes)) }

  /// The answer for an error of the file system: only a missing file is a definite *missing*.
  init(_ error: FileError) {
    self = error.code == .notFound ? .missing() : .failed(AccessFailure(error))
  }

  /// A file with a syntax error, or an invalid name.
  init(_ error: DocumentError) {
    self = .failed(AccessFailure(error))
  }
}
