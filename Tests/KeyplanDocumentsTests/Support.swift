import Foundation
import KeyplanDocuments
import TestTools

/// Values made of all that quoting can get wrong.
func awkwardValues(_ count: Int, seed: UInt64) -> [String] {
  let parts = [
    "a", "Z9", " ", "\t", "\n", "\r\n", "'", "\"", "\\", "\\\\", "$", "${X}", "$(true)", "`", "#", " #", "=", "!", "~",
    "*", "é",
    "e\u{301}", "日本", "🔑", "\u{2028}", "\u{85}", "\u{7F}", ";", "&", "{", "}",
  ]
  var random = Seeded(seed: seed)
  return (0..<count).map { _ in
    (0..<Int.random(in: 0...7, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
  }
}

extension Document {
  init(_ text: String) throws(DocumentError) { try self.init(Array(text.utf8)) }

  /// The text at `name`; `nil` for all else.
  func text(at name: String) throws -> String? {
    guard case .text(let bytes) = try value(at: name) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension EditableDocument {
  var written: String { String(decoding: bytes, as: UTF8.self) }
  mutating func set(_ name: String, to value: String) throws { try set(name, to: Array(value.utf8)) }
}

extension DocumentError {
  /// Code, line and column.
  var summary: String { "\(code) \(place.map { "\($0.line):\($0.column)" } ?? "-")" }
}

/// The fault that `body` meets; `nil` if it meets none.
func fault(_ body: () throws -> Void) -> DocumentError? {
  do {
    try body()
    return nil
  } catch {
    return error as? DocumentError
  }
}

/// Lends the path of a file with `bytes`.
func withFile<R>(_ bytes: [UInt8], _ body: (String) throws -> R) throws -> R {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try Data(bytes).write(to: url)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url.path)
}

/// What `edit` makes of a text.
func edited(_ text: String, _ edit: (inout YAMLText) throws -> Void) throws -> String {
  var yaml = try YAMLText(Array(text.utf8))
  try edit(&yaml)
  return String(decoding: yaml.bytes, as: UTF8.self)
}
