/// The words of a command line without a shell, as Python's `shlex.split` finds them: AWS's own tools use it for
/// `credential_process`.
enum CommandWords {
  /// Nil for a quote without its end.
  static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\n", "\r":
        if let done = word { words.append(done) }
        word = nil
      case "'":
        guard let end = rest.firstIndex(of: "'") else { return nil }
        word = (word ?? "") + rest[..<end]
        rest = rest[rest.index(after: end)...]
      case "\"":
        guard let quoted = quoted(&rest) else { return nil }
        word = (word ?? "") + quoted
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        word = (word ?? "") + String(escaped)
      default: word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }

  /// The text in double quotes. A backslash escapes only a quote and a backslash there.
  private static func quoted(_ rest: inout Substring) -> String? {
    var text = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return text
      case "\\":
        guard let escaped = rest.popFirst() else { return nil }
        if escaped != "\"" && escaped != "\\" { text.append("\\") }
        text.append(escaped)
      default: text.append(character)
      }
    }
    return nil
  }
}
