import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles
import KeyplanSecrets

extension SourceAnswer {
  static let valueLimit = ValueFault.limit
  /// The answer for an empty value. For formats in which that commonly means "not set", it is *missing* instead.
  static let empty = SourceAnswer.unreadable(ValueFault.empty.sentence)

  /// Takes ownership of the bytes that a source returned. Invalid values are rejected here, where the source is known.
  init(_ bytes: consuming [UInt8], whenEmpty: SourceAnswer = .empty) {
    let fault: SourceAnswer? =
      switch bytes.withUnsafeBytes({ ValueFault(in: $0) }) {
      case .empty: whenEmpty
      case let fault?: .unreadable(fault.sentence)
      case nil: nil
      }
    // Even a rejected value is taken, so that it is overwritten.
    let secret = SecretBox(bytes)
    self = fault ?? .value(secret)
  }

  /// Takes ownership of a file's content, unchanged.
  init(file bytes: consuming [UInt8]) {
    let fault: SourceAnswer? =
      bytes.isEmpty
      ? .unreadable("The value is empty.")
      : bytes.count > Self.valueLimit ? .unreadable("The value is larger than 1 MiB.") : nil
    let secret = SecretBox(bytes)
    self = fault ?? .value(secret)
  }

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
