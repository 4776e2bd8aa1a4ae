/// The reason that bytes cannot be a key's value, whatever their origin: a value that cannot be passed to a program is rejected on input.
package enum ValueFault: Sendable {
  case empty, tooLarge, holdsNUL
  /// Only white space: a placeholder, or the rest of a value that was deleted.
  case blank

  /// The most bytes of a value: 1 MiB.
  package static let limit = 1 << 20

  /// Nil for bytes that can be one.
  package init?(in bytes: some Collection<UInt8>) {
    // The compiler makes no loop of its own for the collections of other modules, and each byte would cost four calls.
    guard let fault = bytes.withContiguousStorageIfAvailable({ Self.first(in: $0) }) ?? Self.first(in: bytes) else {
      return nil
    }
    self = fault
  }

  private static func first(in bytes: some Collection<UInt8>) -> ValueFault? {
    if bytes.isEmpty { return .empty }
    if bytes.count > limit { return .tooLarge }
    if bytes.contains(0) { return .holdsNUL }
    return bytes.allSatisfy(isWhiteSpace) ? .blank : nil
  }

  /// Those of bytes without a value.
  package static let vacant: [ValueFault] = [.empty, .blank]

  /// White space of ASCII.
  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
  }

  /// A sentence without the value.
  package var sentence: String {
    switch self {
    case .empty: "The value is empty."
    case .blank: "The value consists of white space only."
    case .tooLarge: "The value is larger than 1 MiB."
    case .holdsNUL: "The value holds a NUL byte."
    }
  }
}
