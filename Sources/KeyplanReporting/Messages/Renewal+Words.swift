package import KeyplanModel
package import KeyplanPlanning

extension Renewal {
  /// The task as sentences: `Issue a new key at the provider, put it where the source points, and run keyplan apply.`
  package func sentence(for id: Identifier<Key>) -> String {
    task(id) + (hasFixedEnd ? " Set a later date for `expires`, too." : "")
  }

  private func task(_ id: Identifier<Key>) -> String {
    switch way {
    case .source: "Issue a new key at the provider, put it where the source points, and run keyplan apply."
    case .set: "Issue a new key at the provider, and run keyplan keys set \(id)."
    case .generated: "To generate a new value, run keyplan keys rotate \(id.whole ?? id)."
    case .made: "To have a new key made, run keyplan keys rotate \(id.whole ?? id)."
    case .composed(let parts):
      "Replace the value of \(Spans.quoted(parts)): the same apply replaces what is composed of it."
    case .madeByHand: "Make a new key at the provider, and run keyplan keys set \(id.whole ?? id) --id ID."
    }
  }

  /// The command that gives a declared key its first value.
  package func first(for id: Identifier<Key>) -> String {
    switch way {
    case .source, .generated, .made: "keyplan apply"
    case .set: "keyplan keys set \(id)"
    case .composed: "keyplan plan shows which of its parts has no value."
    case .madeByHand: "keyplan keys set \(id.whole ?? id) --id ID"
    }
  }

  static let atSource = "issue a new key at the provider, put it where the source points, then: keyplan apply"

  /// The task at a finding: the command, or nil if a person must do something first, and what comes of it.
  package func fix(for id: Identifier<Key>) -> (command: String?, fix: String) {
    let date = hasFixedEnd ? "; set a later date for `expires`, too" : ""
    switch way {
    case .source:
      return (nil, Self.atSource + date)
    case .composed(let parts): return (nil, "replace a value that it is composed of: \(Spans.quoted(parts))\(date)")
    case .set: return ("keyplan keys set \(id)", "stores the new key that you issue at the provider\(date)")
    case .generated, .made:
      return ("keyplan keys rotate \(id.whole ?? id)", "replaces it and updates the targets\(date)")
    case .madeByHand:
      return ("keyplan keys set \(id.whole ?? id) --id ID", "stores the new key that you make at the provider\(date)")
    }
  }
}
