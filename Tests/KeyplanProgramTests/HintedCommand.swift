import Foundation

/// A command of keyplan's that a hint names, as a person would copy it.
struct HintedCommand: Hashable {
  let text: String
  /// The words that whoever copies it has to replace: `FILE`.
  let placeholders: [String]
  /// Whether the hint names other steps before it (`put it there, and run …`), which nobody has done here.
  let isAfterOthers: Bool

  /// The commands in the hints of what a command wrote. Its lines must not be wrapped.
  static func all(in lines: [String]) -> [HintedCommand] {
    lines.compactMap { line -> String? in
      let text = line.drop { $0 == " " }
      return text.hasPrefix("hint: ") ? String(text.dropFirst("hint: ".count)) : nil
    }
    .flatMap { all(in: $0) }
  }

  static func all(in hint: String) -> [HintedCommand] {
    let quoted = hint.matches(of: /`(keyplan [^`]+)`/).map {
      HintedCommand(String($0.1), after: hint[..<$0.range.lowerBound])
    }
    let rest = hint.replacing(/`[^`]*`/, with: "…")
    let plain = rest.matches(of: /(?:^|[ \(])(keyplan [a-z].*)/).flatMap { match in
      commands(in: String(match.1)).map { HintedCommand($0, after: rest[..<match.range.lowerBound]) }
    }
    return quoted + plain
  }

  private init(_ text: String, after others: Substring) {
    self.text = text
    let sentence = others.split(separator: ". ", omittingEmptySubsequences: false).last ?? others
    isAfterOthers = sentence.contains(#/(?:,? and run|, then:?|; then)\s*$|, and /#)
    let words = text.split { !$0.isLetter && !$0.isNumber && !"_$-".contains($0) }
    placeholders = words.filter { $0.count > 1 && isPlaceholder($0) }.map(String.init)
  }

  /// With something in the place of each placeholder.
  var filled: String {
    placeholders.reduce(text) { text, word in
      let value =
        switch word {
        case "ADDRESS": "postgres://127.0.0.1:1/none"
        case "DATE": "2099-01-01"
        case "VERSION": "1"
        // Of an option for a time.
        case "VALUE": "10s"
        default: "hinted-\(word.lowercased())"
        }
      return text.replacing(word, with: value)
    }
  }

  /// The commands of a text that begins with one. What follows a command, and is not part of it, begins with a word.
  private static func commands(in text: String) -> [String] {
    var found: [[String]] = []
    var isOpen = false
    let words = text.split(separator: " ").map(String.init)
    for (index, word) in words.enumerated() {
      if word == "keyplan" {
        found.append([word])
        isOpen = true
        continue
      }
      guard isOpen else { continue }
      let ends = word.last.map { ".,:;)".contains($0) } == true
      let bare = ends ? String(word.dropLast()) : word
      let command = found[found.count - 1]
      let isCommand = Self.isCommand(command, bare)
      var isArgument = ends || index == words.count - 1 || isPlaceholder(bare[...])
      if bare.hasPrefix("-") || command.last?.hasPrefix("-") == true { isArgument = true }
      if index + 1 < words.count, words[index + 1].hasPrefix("-") || isPlaceholder(words[index + 1][...]) {
        isArgument = true
      }
      if bare.contains(where: { "'\"/=.".contains($0) }) { isArgument = true }
      guard !word.hasPrefix("("), isCommand || isArgument else {
        isOpen = false
        continue
      }
      found[found.count - 1].append(bare)
      if ends { isOpen = false }
    }
    return found.filter { $0.count > 1 }.map { $0.joined(separator: " ") }
  }

  private static let groups: [String: Set<String>] = [
    "keys": [
      "add", "remove", "rename", "activate", "set", "list", "rotate", "revoke", "show", "history", "rollback", "purge",
      "forget", "move",
    ], "records": ["list", "show", "history", "forget"], "store": ["move", "rekey"],
    "calendar": ["sign-in", "sign-out", "refresh", "status", "token", "events", "list"],
    "identity": ["new", "show", "replace"], "backend": ["check"],
  ]

  private static func isCommand(_ words: [String], _ next: String) -> Bool {
    words.count == 1 || words.count == 2 && groups[words[1]]?.contains(next) == true
  }
}

/// Whether somebody who copies a command has to replace the word.
private func isPlaceholder(_ word: Substring) -> Bool { word.allSatisfy { ("A"..."Z").contains($0) || $0 == "_" } }
