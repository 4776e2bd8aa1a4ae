/// Text for XML and HTML.
package enum Markup {
  /// The text as character data or as the value of a quoted attribute. Characters that XML forbids, and those that change the order of
  /// reading, are written out. `##` is broken up, because the logs of CI services search for `##[`.
  package static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    var wasSign = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "#" where wasSign: result += "&#35;"
      case _ where Glyphs.isUnsafe(scalar): result += Glyphs.escaped(scalar)
      default: result.unicodeScalars.append(scalar)
      }
      wasSign = scalar == "#"
    }
    return result
  }
}
