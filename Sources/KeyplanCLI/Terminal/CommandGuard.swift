/// Prevents output from being read as commands by a CI service. keyplan's output contains names and descriptions from a pull request, and a
/// line that begins with `::stop-commands::x` would switch later masks off.
///
/// GitHub reads a line as a command if it begins, after blanks, with `::`, or has `##[` anywhere in it; Azure Pipelines looks for `##vso[`
/// and `##[`, TeamCity for `##teamcity[`. A backslash breaks these: texts stay readable, and Markdown does not show it.
struct CommandGuard {
  /// Whether only blanks were written since the last line feed.
  private var isAtStart = true

  /// The text with no command in it. Texts are pieces of one stream.
  mutating func guarded(_ text: String) -> String {
    var guarded = ""
    guarded.reserveCapacity(text.utf8.count)
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case ":" where isAtStart && rest.first == ":": guarded += "\\:"
      case "#" where rest.first == "#" && (isAtStart ? !isHeading(rest) : isCommand(rest)): guarded += "#\\"
      default: guarded.unicodeScalars.append(scalar)
      }
      isAtStart = Self.isLineEnd(scalar) || isAtStart && Self.isBlank(scalar)
    }
    return guarded
  }

  /// `### Heading` in Markdown. No service has a command that continues with a blank.
  private func isHeading(_ text: Substring.UnicodeScalarView) -> Bool { text.drop { $0 == "#" }.first == " " }

  /// `##[`, `##vso[`, `##teamcity[`.
  private func isCommand(_ text: Substring.UnicodeScalarView) -> Bool {
    text.dropFirst().drop { $0.properties.isAlphabetic }.first == "["
  }

  private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
  }
}
