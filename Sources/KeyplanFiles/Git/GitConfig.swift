/// A repository's own configuration file, as far as it is needed to find the work tree and the object format: sections
/// without a subsection, values on one line. Includes are not followed; git does not follow them for these settings
/// either.
struct GitConfig {
  private var values: [String: String] = [:]

  init(_ bytes: [UInt8]) {
    var section = ""
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      var rest = String(decoding: line, as: UTF8.self)[...].trimmingBlanks()
      if rest.first == "[" {
        guard let end = rest.firstIndex(of: "]") else { continue }
        section = rest[rest.index(after: rest.startIndex)..<end].lowercased()
        rest = rest[rest.index(after: end)...].trimmingBlanks()
      }
      guard let name = rest.split(separator: "=", maxSplits: 1).first, name.endIndex < rest.endIndex else { continue }
      let value = rest[rest.index(after: name.endIndex)...]
      // The last one wins, as in git.
      values[section + "." + name.trimmingBlanks().lowercased()] = Self.unquoted(value.trimmingBlanks())
    }
  }

  /// - Parameters:
  ///   - section: in lower case.
  ///   - name: in lower case.
  subscript(section: String, name: String) -> String? { values[section + "." + name] }

  /// Removes quotes, escapes and comments.
  private static func unquoted(_ text: Substring) -> String {
    var result = ""
    var isQuoted = false
    var isEscaped = false
    for character in text {
      switch character {
      case _ where isEscaped:
        result.append(character)
        isEscaped = false
      case "\\": isEscaped = true
      case "\"": isQuoted.toggle()
      case "#" where !isQuoted, ";" where !isQuoted: return String(result[...].trimmingBlanks())
      default: result.append(character)
      }
    }
    return result
  }
}

extension Substring {
  fileprivate func trimmingBlanks() -> Substring {
    var text = self
    while let first = text.first, first == " " || first == "\t" || first == "\r" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
    return text
  }
}
