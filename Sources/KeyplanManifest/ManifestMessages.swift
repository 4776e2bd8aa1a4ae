import KeyplanModel

/// Formats user input for diagnostics, which must not repeat a misplaced secret.
enum ManifestMessages {
  /// The text in quotes if it looks like a name, or other words if it could be a value.
  static func quoted(_ text: String, or other: String) -> String {
    isHarmless(text) ? "\"\(text)\"" : other
  }

  /// The warning about a path that already has the part that requests insert; nil if it does not have it.
  static func doubledPart(in path: String, of backend: BackendDescription) -> (detail: String, hint: String)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let part = backend.insertedPart, parts.count > 2, parts[1] == part else { return nil }
    let meant = (parts.prefix(1) + parts.dropFirst(2)).joined(separator: "/")
    return (
      "\(quoted(path, or: "This path")) looks like a path of \(backend.title)'s HTTP API. keyplan adds \"\(part)/\" itself.",
      "Write \(isHarmless(meant) ? meant : "the path without \(part)/"), unless the secret's own path begins with \(part)/."
    )
  }

  /// For example `a, b or c`.
  static func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  /// For example `an acme`, `a vault`.
  static func indefinite(_ word: String) -> String {
    (word.utf8.first.map { "aeiou".utf8.contains($0) } == true ? "an " : "a ") + word
  }

  static func didYouMean(_ name: String?) -> String? { name.map { "Did you mean \"\($0)\"?" } }

  /// Whether the text consists of words: parts with letters and at most four digits at one end, like names, models and
  /// addresses, but unlike generated secrets of useful length.
  static func isHarmless(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8.prefix(49))
    guard !bytes.isEmpty, bytes.count <= 48 else { return false }
    return bytes.split(whereSeparator: { !$0.isAlphanumeric && $0 < 0x80 }).allSatisfy { isWord($0) }
  }

  /// At most 15 letters, with at most four digits on one side; in lower case, upper case, capitalized, or in camel
  /// case.
  static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    let letters = bytes.drop { $0.isDigit }
    let leading = bytes.count - letters.count
    let body = letters.prefix { !$0.isDigit }
    let trailing = letters.dropFirst(body.count)
    guard trailing.allSatisfy({ $0.isDigit }), body.count <= 15 else { return false }
    guard body.isEmpty || leading == 0 || trailing.isEmpty, leading + trailing.count <= 4 else { return false }
    return humps(body) <= 3
  }

  /// The number of upper-case letters after a lower-case letter.
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
