import TestTools

/// A manifest that is in order, as people might have written it: in brackets or by indentation, with comments wherever one
/// can stand, with every kind of line end.
struct RandomManifest {
  static let names = ["alpha", "beta-2", "no", "d_4", "1e3", "null"]
  private var random: Seeded
  private(set) var keys: [String] = []
  private(set) var bytes: [UInt8] = []
  private var comments = 0
  /// Every comment is another one, so that none can be lost unseen.
  private(set) var words: [String] = []

  init(seed: UInt64, hasComments: Bool = true, isShuffled: Bool = true) {
    random = Seeded(seed: seed)
    keys = Self.names.filter { _ in Bool.random(using: &random) }
    if keys.isEmpty { keys = ["alpha"] }
    var sections = [
      section("version", one: "1"), section("recipients", recipients()), keysSection(), active(), targets(), rules(),
      migrations(), section("policies", ["old: { after: 90d }"]), section("store", one: "'.keyplan/x.db'"),
      section("providers", ["acme: { variable: ACME }", "openai:"]),
    ].compactMap { $0 }
    if isShuffled { sections.shuffle(using: &random) }
    var text = pick(["", "# yaml-language-server: $schema=x\n", "# about this\n\n"])
    let gap = pick(["", "\n"])
    text += sections.joined(separator: gap)
    text += pick(["", "# at the end\n"])
    if !hasComments {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      text = lines.map { line in String(line.prefix { $0 != "#" }) }.joined(separator: "\n")
      words = []
    }
    if Bool.random(using: &random) { text.removeLast() }
    if Int.random(in: 0..<3, using: &random) == 0 { text = text.replacing("\n", with: "\r\n") }
    bytes = Array(text.utf8)
    // Some of what was made up was then left out.
    words = words.filter { text.contains($0) }
  }

  private mutating func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &random)] }
  private mutating func chance(_ of: Int = 2) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  /// A comment behind something, or none.
  private mutating func beside() -> String { chance(3) ? "  # \(word())" : "" }
  /// A comment on a line of its own, or none.
  private mutating func above(_ indentation: String) -> String { chance(3) ? "\(indentation)#\t\(word())\n" : "" }

  private mutating func word() -> String {
    comments += 1
    words.append("c\(comments)c")
    return words[words.count - 1]
  }

  private mutating func section(_ name: String, one: String) -> String { "\(above(""))\(name): \(one)\(beside())\n" }

  /// Entries are written in one line each, in brackets.
  private mutating func section(_ name: String, _ entries: [String]) -> String? {
    guard !entries.isEmpty, !chance(6) else { return nil }
    if chance(4) {
      let closed = entries.map { $0.hasSuffix(":") ? $0 + " null" : $0 }
      return "\(above(""))\(name): { \(closed.joined(separator: ", ")) }\(beside())\n"
    }
    let indentation = pick(["  ", "    "])
    let isSpaced = chance(4)
    var text = "\(above(""))\(name):\(beside())\n"
    for entry in entries {
      text += "\(above(indentation))\(indentation)\(entry)\(beside())\n" + (isSpaced ? "\n" : "")
    }
    return text + above(indentation)
  }

  private func quoted(_ name: String) -> String { ["no", "null", "1e3"].contains(name) ? "\"\(name)\"" : name }

  private func recipients() -> [String] { ["ada: age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg"] }

  private mutating func keysSection() -> String {
    if chance(5) {
      let entries = keys.map { "\(quoted($0)): { provider: generic, variable: V_\($0.count), source: env://X }" }
      return "keys: { \(entries.joined(separator: ", ")) }\n"
    }
    var text = "\(above(""))keys:\(beside())\n"
    for key in keys {
      text += above("  ")
      if chance() {
        text += "  \(quoted(key)): { provider: generic, source: [env://X, 'file://y'], variable: K }\(beside())\n"
      } else {
        var fields = ["provider: 'generic'", "variable: K", "source:\n      - env://X\(beside())\n      - file://y z"]
        if chance() { fields.append("expires: { after: 90d }") }
        if chance() { fields.append("labels:\n      b: \"1\"\n      a: x") }
        if chance() { fields.append("protected: true") }
        fields.shuffle(using: &random)
        text += "  \(quoted(key)):\(beside())\n"
        for field in fields { text += "\(above("    "))    \(field)\(beside())\n" }
        text += above("    ")
      }
      if chance(4) { text += "\n" }
    }
    return text
  }

  private mutating func active() -> String? {
    let chosen = Array(keys.shuffled(using: &random).prefix(3))
    if chance(5) { return "active: \(quoted(chosen[0]))\(beside())\n" }
    if chance(5) { return "active: [\(chosen.map(quoted).joined(separator: ", "))]\(beside())\n" }
    let list = chosen.map { "\n    - \(quoted($0))\(beside())" }.joined()
    let more = chance() ? " [\(chosen.map(quoted).joined(separator: ","))]" : list
    let slots = ["main: \(quoted(chosen[0]))", "more:\(more)"].filter { _ in !chance(3) }
    guard let section = section("active", slots) else { return nil }
    // A list by dashes does not stand in brackets.
    return section.contains("active: {") ? "active: { main: \(quoted(chosen[0])) }\n" : section
  }

  private mutating func targets() -> String? {
    let key = quoted(pick(keys))
    let others = keys.map(quoted)
    return section(
      "targets",
      [
        "app: { type: dotenv, path: .env, keys: { A: \(key), \"B\": \(others[0]) } }",
        "web: { keys: { '*': \(key) }, type: json, path: web.json }",
        "all: { path: all.json, type: json, keys: { x: { from: \(key), names: { generic: N } } } }",
      ].filter { _ in chance() })
  }

  private mutating func rules() -> String? {
    let some = keys.filter { _ in chance() }.map(quoted)
    return section(
      "rules",
      ["strict: { forbidSources: [command] }"]
        + (some.isEmpty ? [] : ["few: { keys: [\(some.joined(separator: ", "))], maxAge: 365d }"]))
  }

  private mutating func migrations() -> String? {
    guard chance() else { return nil }
    let key = quoted(pick(keys))
    if chance(3) { return "migrations: [{ moved: gone, to: \(key) }]\(beside())\n" }
    return "migrations:\(beside())\n  - { moved: gone, to: \(key) }\(beside())\n\(above("  "))"
      + "  - moved: older\n    to: gone\n"
  }
}
