import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles
import KeyplanSecrets

extension SourceAnswer {
  static let valueLimit = ValueFault.limit
  /// The answer for an empty value. For formats in which that commonly means "not set", it is *missing* instead.
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
      case let fault?: .unreadable(fault.sentence)
      case nil: .value(secret)
      }
  }

  /// The output of a program, without one newline at the end.
  init(line output: SecretBox, whenEmpty: SourceAnswer = .empty) {
    self.init(output.withoutTrailingNewline, whenEmpty: whenEmpty)
  }

  /// A file's content, unchanged.
  init(file content: SecretBox) {
    self =
      content.count == 0
      ? .unreadable("The value is empty.")
      : content.count > Self.valueLimit ? .unreadable("The value is larger than 1 MiB.") : .value(content)
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

/// Removes one LF or CR LF from the end, as editors and `echo` add it.
func dropTrailingNewline(_ bytes: inout [UInt8]) {
  guard bytes.last == UInt8(ascii: "\n") else { return }
  bytes.removeLast()
  if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
}

extension SecretBox {
  /// The same without one LF or CR LF at the end.
  var withoutTrailingNewline: SecretBox {
    withBytes { bytes in
      var rest = bytes[...]
      guard rest.last == UInt8(ascii: "\n") else { return self }
      rest.removeLast()
      if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
      return SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: rest)))
    }
  }
}
