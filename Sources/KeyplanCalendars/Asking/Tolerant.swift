/// One element of a list that may be of another shape than expected: the others are read all the same.
struct Tolerant<Value: Decodable & Sendable>: Decodable, Sendable {
  let value: Value?

  init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}

extension KeyedDecodingContainer {
  /// What stands there, if it is of this kind; services that change do not stop us for a field that is of no weight.
  func tolerant<Value: Decodable>(_ key: Key, _ value: Value.Type = String.self) -> Value? {
    (try? decodeIfPresent(value, forKey: key)) ?? nil
  }

  /// Text that is not empty.
  func text(_ key: Key) -> String? { tolerant(key, String.self).flatMap { $0.isEmpty ? nil : $0 } }
}

/// A code as it can be shown. Anything else might quote what was sent.
func shownCode(_ text: String) -> String {
  let isCode = text.utf8.allSatisfy { byte in
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x5F, 0x2D, 0x2E].contains(byte)
  }
  return isCode && (1...64).contains(text.utf8.count) ? text : ""
}
