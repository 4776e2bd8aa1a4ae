/// An element of a list that may have an unexpected form; the other elements are decoded nevertheless.
struct Tolerant<Value: Decodable & Sendable>: Decodable, Sendable {
  let value: Value?

  init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}

extension KeyedDecodingContainer {
  /// The field's value, or nil if it is missing or has another type, so that unimportant changes of a service cause no
  /// error.
  func tolerant<Value: Decodable>(_ key: Key, _ value: Value.Type = String.self) -> Value? {
    (try? decodeIfPresent(value, forKey: key)) ?? nil
  }

  /// The text of a field; nil if it is empty.
  func text(_ key: Key) -> String? { tolerant(key, String.self).flatMap { $0.isEmpty ? nil : $0 } }
}

/// A code that is safe to display, else an empty text: anything else might quote the request.
func shownCode(_ text: String) -> String {
  let isCode = text.utf8.allSatisfy { byte in
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x5F, 0x2D, 0x2E].contains(byte)
  }
  return isCode && (1...64).contains(text.utf8.count) ? text : ""
}
