/// A key that readers export as a variable: the active one of a slot, or one with a variable of its own.
package struct ExportedKey: Hashable, Sendable {
  /// The name of the variable.
  package let variable: String
  /// The key.
  package let key: Identifier<Key>
  /// Whether the variable is the key's own, and not only its provider's.
  package let ownsVariable: Bool
  /// The slots in which it is active, sorted.
  package let slots: [Identifier<Slot>]

  package init(variable: String, key: Identifier<Key>, ownsVariable: Bool = false, slots: [Identifier<Slot>] = []) {
    self.variable = variable
    self.key = key
    self.ownsVariable = ownsVariable
    self.slots = slots
  }

  /// All of them, by key.
  /// - Parameter owners: the keys with a variable of their own.
  package static func all(
    active: [Identifier<Slot>: Identifier<Key>], owners: some Sequence<Identifier<Key>>,
    facts: (Identifier<Key>) -> KeyFacts?
  ) -> [ExportedKey] {
    let slots = Dictionary(grouping: active.keys.sorted()) { active[$0] }
    return Set(owners).union(active.values).sorted().compactMap { key in
      guard let facts = facts(key), let variable = facts.variable else { return nil }
      return ExportedKey(variable: variable, key: key, ownsVariable: facts.ownsVariable, slots: slots[key] ?? [])
    }
  }
}

extension Sequence<ExportedKey> {
  /// The keys of each variable, by name. If several declare the same one, the active one counts: a slot chooses among them. If more than one
  /// is left, they exclude each other.
  package var byVariable: [String: [ExportedKey]] {
    Dictionary(grouping: self, by: \.variable).mapValues { keys in
      let active = keys.filter { !$0.slots.isEmpty }
      return active.isEmpty || !keys.allSatisfy(\.ownsVariable) ? keys : active
    }
  }
}

extension ExportedKey: CustomStringConvertible {
  /// `"openai-main" (active.assistant)`.
  package var description: String {
    slots.isEmpty ? "\"\(key)\"" : "\"\(key)\" (\(slots.map { "active.\($0)" }.joined(separator: ", ")))"
  }
}
