package import KeyplanModel

/// The names of a manifest as declarations in a programming language, so that an undeclared name does not compile. The same manifest gives
/// the same text.
///
/// Names are `[a-z0-9][a-z0-9_-]*`. Everything else in the text is only words of letters, digits and a few signs from the manifest: nothing
/// can end a comment or a line.
package struct NameDeclarations: Sendable {
  package enum Language: String, CaseIterable, Sendable {
    case swift, typescript, python
  }

  /// Of declarations in Swift.
  package enum AccessLevel: String, CaseIterable, Sendable {
    case `public`, `package`, `internal`
  }

  private let sections: [Section]

  /// Names of one kind.
  struct Section: Sendable {
    let kind: Kind
    /// The names with a comment on each, sorted.
    let names: [(name: String, comment: String)]

    enum Kind: String, Sendable {
      case key = "APIKeyName"
      case slot = "SlotName"
      case account = "AccountName"

      /// In the plural.
      var words: String {
        switch self {
        case .key: "keys"
        case .slot: "slots"
        case .account: "calendar accounts"
        }
      }
    }
  }

  /// Two names of one kind that are the same identifier.
  package struct Collision: Error {
    package let first: String
    package let second: String
    package let identifier: String
  }

  package init(_ manifest: Manifest) {
    let keys = manifest.keys.map { ($0.key.name, "A key of \(Self.plain($0.value.facts.provider)).") }
    let slots = manifest.slots.map { slot in
      let candidates = slot.value.candidates.map(\.name)
      let others = candidates.count > 1 ? ", otherwise \(candidates.dropFirst().joined(separator: ", "))" : ""
      return (slot.key.name, "The active key: \(candidates.first ?? "")\(others).")
    }
    let accounts = manifest.accounts.map { ($0.key.name, "A calendar account at \($0.value.facts.service.rawValue).") }
    sections = [(Section.Kind.key, keys), (.slot, slots), (.account, accounts)].map { kind, names in
      Section(kind: kind, names: names.sorted { $0.0 < $1.0 }.map { (name: $0.0, comment: $0.1) })
    }
  }

  /// The manifest can contain any provider name: characters other than letters, digits and a few signs become `?`.
  private static func plain(_ text: String) -> String {
    String(text.unicodeScalars.prefix(64).map { isPlain($0) ? Character($0) : "?" })
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", " ": true
    default: false
    }
  }

  /// The text of a file.
  /// - Parameter access: for Swift; others have none.
  package func text(in language: Language, _ access: AccessLevel = .internal) throws(Collision) -> String {
    switch language {
    case .swift: try SwiftNames(access: access).text(sections)
    case .typescript: try TypeScriptNames().text(sections)
    case .python: try PythonNames().text(sections)
    }
  }

  /// The start of every text, after the comment sign. A file that starts differently is not replaced.
  private static func mark(_ language: Language) -> String { "Written by `keyplan generate \(language.rawValue)`" }

  /// The first line of a text.
  static func heading(_ language: Language) -> String {
    "\(mark(language)) from the names in the manifest. Do not edit it."
  }

  /// Whether a file contains such a text, in any of the languages.
  package static func isHeld(by bytes: [UInt8]) -> Bool {
    Language.allCases.contains { language in
      ["// ", "# "].contains { bytes.starts(with: "\($0)\(mark(language))".utf8) }
    }
  }
}

extension NameDeclarations.Section {
  /// The names with their identifiers, each made of the words between `-` and `_`.
  /// - Throws: if two have the same one.
  func identified(
    _ identifier: ([Substring]) -> String
  ) throws(NameDeclarations.Collision) -> [(identifier: String, name: String, comment: String)] {
    var names: [String: String] = [:]
    var all: [(identifier: String, name: String, comment: String)] = []
    for (name, comment) in self.names {
      let identifier = identifier(name.split { $0 == "-" || $0 == "_" })
      if let first = names.updateValue(name, forKey: identifier) {
        throw NameDeclarations.Collision(first: first, second: name, identifier: identifier)
      }
      all.append((identifier, name, comment))
    }
    return all
  }
}

extension [Substring] {
  /// `openai-main` as `openaiMain`, `2captcha` as `_2captcha`.
  var camelCase: String {
    let words = enumerated().map { index, word in
      index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    }
    return words.joined().notBeginningWithDigit
  }

  /// `openai-main` as `OPENAI_MAIN`, `2captcha` as `_2CAPTCHA`.
  var capitals: String { map { $0.uppercased() }.joined(separator: "_").notBeginningWithDigit }
}

extension String {
  fileprivate var notBeginningWithDigit: String { first?.isNumber ?? false ? "_" + self : self }
}
