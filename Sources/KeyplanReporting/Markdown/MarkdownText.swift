/// Foreign text in Markdown as GitHub reads it: it is shown without any effect.
package enum MarkdownText {
  /// A name or place as code, also within a table.
  package static func code(_ text: some StringProtocol) -> String {
    let visible = Glyphs.visible(String(text))
    guard !visible.utf8.contains(where: { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "|") }), !visible.isEmpty,
      !visible.hasPrefix(" "), !visible.hasSuffix(" ")
    else { return "<code>\(entities(visible))</code>" }
    return "`\(visible)`"
  }

  /// Text without any effect: no emphasis, no HTML, no table cell, no link, no formula, no mention of people or issues.
  package static func plain(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in Glyphs.visible(String(text)).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\\", "`", "*", "_", "[", "]", "|", "~", "!": result += "\\\(scalar)"
      // Two of these make a formula of all between them. Some readers look for them before Markdown is read, some after it.
      case "$": result += "<span>\\$</span>"
      // GitHub makes links of these in plain words; an empty comment parts them without being seen.
      case "@", "#": result += "\(scalar)\(seam)"
      case "/" where result.utf8.last == UInt8(ascii: ":"): result += "\(seam)/"
      case "." where result.utf8.suffix(3).elementsEqual("www".utf8): result += "\(seam)."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A sentence: text between two backticks is code, all else is plain.
  package static func prose(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    guard parts.count % 2 == 1 else { return plain(text) }
    return parts.enumerated().map { $0 % 2 == 0 ? plain($1) : code($1) }.joined()
  }

  private static let seam = "<!-- -->"

  private static func entities(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      let isQuiet = !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == " "
      result += isQuiet ? String(scalar) : "&#\(scalar.value);"
    }
  }
}
