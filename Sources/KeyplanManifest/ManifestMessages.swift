import KeyplanCore

/// How a diagnostic speaks about what somebody wrote, which may be a secret in the wrong place.
enum ManifestMessages {
  /// The text in quotes where it reads like a name; other words where it could be a value.
  static func quoted(_ text: String, or other: String) -> String {
    isHarmless(text) ? "\"\(text)\"" : other
  }

  /// `a, b or c`.
  static func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  /// `an acme`, `a vault`.
  static func indefinite(_ word: String) -> String {
    (word.utf8.first.map { "aeiou".utf8.contains($0) } == true ? "an " : "a ") + word
  }

  static func didYouMean(_ name: String?) -> String? { name.map { "Did you mean \"\($0)\"?" } }

  /// Whether the text is made of words: parts of letters with at most four digits at one end, as names, models and
  /// addresses are, and generated secrets of any length worth having are not.
  static func isHarmless(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8.prefix(49))
    guard !bytes.isEmpty, bytes.count <= 48 else { return false }
    return bytes.split(whereSeparator: { !$0.isAlphanumeric && $0 < 0x80 }).allSatisfy { isWord($0) }
  }

  /// At most 15 letters, with at most four digits on one side; capitals first, all over or not at all, or as in camelCase.
  static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    let letters = bytes.drop { $0.isDigit }
    let leading = bytes.count - letters.count
    let body = letters.prefix { !$0.isDigit }
    let trailing = letters.dropFirst(body.count)
    guard trailing.allSatisfy({ $0.isDigit }), body.count <= 15 else { return false }
    guard body.isEmpty || leading == 0 || trailing.isEmpty, leading + trailing.count <= 4 else { return false }
    return humps(body) <= 3
  }

  /// How often a capital follows a small letter.
  private static func humps(_ letters: ArraySlice<UInt8>) -> Int {
    var count = 0
    var before: UInt8 = 0
    for byte in letters {
      if byte.isUpper, before.isLower { count += 1 }
      before = byte
    }
    return count
  }
}
