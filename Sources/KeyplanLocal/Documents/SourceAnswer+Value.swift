import KeyplanApply
import KeyplanCore
import KeyplanDocuments
import KeyplanFiles
import KeyplanSecrets

extension SourceAnswer {
  static let valueLimit = ValueFault.limit
  /// Nothing stands where a value should. Where people write that to say “not set”, it is *missing* instead.
  static let empty = SourceAnswer.unreadable(ValueFault.empty.sentence)

  /// Takes over bytes that were found. What can be no value is refused here, where it can be said which source it came from.
  init(_ bytes: consuming [UInt8], whenEmpty: SourceAnswer = .empty) {
    let fault: SourceAnswer? =
      switch bytes.withUnsafeBytes({ ValueFault(in: $0) }) {
      case .empty: whenEmpty
      case let fault?: .unreadable(fault.sentence)
      case nil: nil
      }
    // Even what is refused is taken over, so that it is overwritten.
    let secret = SecretBox(bytes)
    self = fault ?? .value(secret)
  }

  /// Takes over a file as it is.
  init(file bytes: consuming [UInt8]) {
    let fault: SourceAnswer? =
      bytes.isEmpty
      ? .unreadable("It is empty.") : bytes.count > Self.valueLimit ? .unreadable("It is larger than 1 MiB.") : nil
    let secret = SecretBox(bytes)
    self = fault ?? .value(secret)
  }

  /// What a file system's refusal means: only a name that is not there is a definite *missing*.
  init(_ error: FileError) {
    self = error.code == .notFound ? .missing() : .failed(AccessFailure(error))
  }

  /// A file that breaks its grammar, or a name that it cannot have.
  init(_ error: DocumentError) {
    self = .failed(AccessFailure(error))
  }
}

/// Drops one line feed, or carriage return and line feed, from the end: what editors and `echo` put there.
func dropTrailingNewline(_ bytes: inout [UInt8]) {
  guard bytes.last == UInt8(ascii: "\n") else { return }
  bytes.removeLast()
  if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
}
