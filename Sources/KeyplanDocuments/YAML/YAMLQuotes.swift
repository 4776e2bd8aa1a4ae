import KeyplanYAML

/// The quoting of a text in YAML. Each form is used only for text on which parsers of YAML 1.2 and 1.1 agree.
enum YAMLQuotes {
  case plain, single, double

  init(_ style: Scalar.Style) {
    switch style {
    case .plain: self = .plain
    case .singleQuoted: self = .single
    case .doubleQuoted, .literal, .folded: self = .double
    }
  }

  /// UTF-8 `text` as it is written within a line: in the preferred form if that can represent it, else plain, else in
  /// double quotes.
  static func write(_ text: [UInt8], preferring present: Self = .plain, inFlow: Bool = false) -> [UInt8] {
    switch present {
    case .double: inDoubleQuotes(text)
    case .single where isPrintable(text): inSingleQuotes(text)
    default: isPlain(text, inFlow: inFlow) ? text : inDoubleQuotes(text)
    }
  }

  /// Stricter than the grammar: doubtful texts are quoted.
  private static func isPlain(_ text: [UInt8], inFlow: Bool) -> Bool {
    guard let first = text.first, let last = text.last, isPrintable(text) else { return false }
    guard first.isLetter || first.isDigit || first >= 0x80 || "_/.+$(".utf8.contains(first) else { return false }
    guard last != .space, last != UInt8(ascii: ":") else { return false }
    for (byte, next) in zip(text, text.dropFirst()) {
      if byte == UInt8(ascii: ":"), next.isBlank { return false }
      if byte.isBlank, next == .hash { return false }
    }
    return !text.contains { $0 == .tab || inFlow && ",[]{}?".utf8.contains($0) } && !meansSomethingElse(text)
  }

  /// Whether a parser of any version reads `text` as a number, a date, a boolean or null. In YAML 1.1 `12:30:45`,
  /// `1_000`, `0b1`, `2026-01-02` and `yes` are not strings.
  private static func meansSomethingElse(_ text: [UInt8]) -> Bool {
    if let first = text.first, first.isDigit || first == UInt8(ascii: "+") || first == UInt8(ascii: ".") {
      return text.allSatisfy { $0.isHexadecimalDigit || "xXoO_:.,+-tTzZnNiI ".utf8.contains($0) }
    }
    guard text.count <= 5 else { return false }
    return ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
      .contains(String(decoding: text, as: UTF8.self).lowercased())
  }

  /// Whether every parser accepts `text` in quotes without escapes on one line (YAML 1.1, section 5.1).
  private static func isPrintable(_ text: [UInt8]) -> Bool {
    var previous: (UInt8, UInt8) = (0, 0)
    for byte in text {
      switch (previous.0, previous.1, byte) {
      case (_, _, 0..<0x20) where byte != .tab, (_, _, 0x7F), (_, 0xC2, ..<0xA0), (0xE2, 0x80, 0xA8...0xA9),
        (0xEF, 0xBB, 0xBF), (0xEF, 0xBF, 0xBE...):
        return false
      default: previous = (previous.1, byte)
      }
    }
    return true
  }

  private static func inSingleQuotes(_ text: [UInt8]) -> [UInt8] {
    [.apostrophe] + text.flatMap { $0 == .apostrophe ? [$0, $0] : [$0] } + [.apostrophe]
  }

  private static func inDoubleQuotes(_ text: [UInt8]) -> [UInt8] {
    var written: [UInt8] = [.quote]
    written.reserveCapacity(text.count + 2)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\"", "\\": written += [.backslash, UInt8(scalar.value)]
      case "\n": written += "\\n".utf8
      case "\r": written += "\\r".utf8
      case "\t": written += "\\t".utf8
      case "\0"..<" ", "\u{7F}"..<"\u{A0}": written += hexadecimal(scalar, "\\x", digits: 2)
      case "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}"..."\u{FFFF}":
        written += hexadecimal(scalar, "\\u", digits: 4)
      default: written += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    return written + [.quote]
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar, _ escape: String, digits: Int) -> [UInt8] {
    let number = String(scalar.value, radix: 16)
    return Array((escape + String(repeating: "0", count: digits - number.utf8.count) + number).utf8)
  }
}
