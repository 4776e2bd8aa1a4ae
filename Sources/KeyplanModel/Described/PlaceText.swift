extension TargetGrammar {
  /// A place in a service as one text, so that one place has one text and no two places have the same:
  /// `acme/shop, environment live (organisation acme)`.
  ///
  /// - Parameter values: by field, those that are declared or have a default.
  package func location(of values: [String: String], through connection: Connection?) -> String {
    let parts = fields.compactMap { field -> String? in
      guard let text = values[field.name] ?? field.defaultText else { return nil }
      let word = QuotedWord.quoted(text, reserving: ",()")
      return field.isPositional ? word : "\(field.name) \(word)"
    }
    let suffix = connection?.placeSuffix ?? ""
    // The connection alone can identify the place.
    return parts.isEmpty ? String(suffix.dropFirst()) : parts.joined(separator: ", ") + suffix
  }

  /// The values that `location` was made of; nil for a text that it does not make.
  package func values(at location: String) -> [String: String]? {
    var values: [String: String] = [:]
    var positional = fields.filter(\.isPositional)[...]
    var rest = location.unicodeScalars[...]
    while let first = rest.first, first != "(" {
      guard let word = QuotedWord.read(&rest) else { return nil }
      if rest.first == " ", rest.dropFirst().first != "(" {
        rest.removeFirst()
        guard fields.contains(where: { $0.name == word && !$0.isPositional }), let text = QuotedWord.read(&rest) else {
          return nil
        }
        values[word] = text
      } else {
        guard let field = positional.popFirst() else { return nil }
        values[field.name] = word
      }
      if rest.starts(with: ", ".unicodeScalars) {
        rest = rest.dropFirst(2)
      } else if rest.starts(with: " (".unicodeScalars) {
        rest = rest.dropFirst()
      } else if !rest.isEmpty {
        return nil
      }
    }
    return positional.contains(where: \.isRequired) ? nil : values
  }
}

extension BackendField {
  /// Whether the text of a place has its value without its name. Programs are in their order, the optional ones last.
  fileprivate var isPositional: Bool { isRequired || kind == .command }
}

/// A text as one word, quoted if necessary.
package enum QuotedWord {
  /// - Parameter reserved: further ASCII characters that require quotes.
  package static func quoted(_ text: String, reserving reserved: String = "") -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy {
        $0 > 0x20 && $0 < 0x7F && !#"'"\$`"#.utf8.contains($0) && !reserved.utf8.contains($0)
      }
    if isPlain { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.generalCategory == .format:
        quoted += "\\u{\(String(scalar.value, radix: 16))}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Removes and returns the first word; nil if there is no complete word.
  static func read(_ rest: inout Substring.UnicodeScalarView) -> String? {
    var word = String.UnicodeScalarView()
    guard rest.first == "\"" else {
      while let scalar = rest.first, scalar != " ", scalar != ",", scalar != "(" { word.append(rest.removeFirst()) }
      return word.isEmpty ? nil : String(word)
    }
    rest.removeFirst()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(word)
      case "\\":
        guard let escaped = escape(&rest) else { return nil }
        word.append(escaped)
      default: word.append(scalar)
      }
    }
    return nil
  }

  private static func escape(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    guard let first = rest.popFirst() else { return nil }
    guard first == "u" else { return first }
    guard rest.popFirst() == "{" else { return nil }
    var digits = ""
    while let digit = rest.popFirst(), digit != "}" { digits.unicodeScalars.append(digit) }
    return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
  }
}
