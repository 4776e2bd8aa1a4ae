internal import KeyplanModel
internal import KeyplanReporting

/// The keys that set a variable, for somebody who typed the variable's name in the place of a key's.
struct VariableOwners {
  private let variable: String
  private let keys: [Identifier<Key>]
  private let slots: [Identifier<Slot>]

  /// Nil if no key sets the variable.
  init?(of variable: String, _ facts: [Identifier<Key>: KeyFacts], active: [Identifier<Slot>: Identifier<Key>]) {
    let keys = facts.filter { $0.value.variable == variable }.keys.sorted()
    guard !keys.isEmpty else { return nil }
    self.variable = variable
    self.keys = keys
    slots = active.filter { keys.contains($0.value) }.keys.sorted()
  }

  init?(of variable: String, in recorded: Recorded) {
    self.init(of: variable, recorded.keys.mapValues(\.facts), active: recorded.slots.mapValues(\.key))
  }

  /// The name to type instead: a slot decides among several keys.
  var name: String { keys.count == 1 || slots.count != 1 ? keys[0].name : "active.\(slots[0])" }

  var failure: Failure {
    let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
    return Failure(
      .failed, "Name of a variable", "\(variable) is not the name of a key. It is the variable of \(names).",
      hint: "Use the key's name: `keyplan get \(name)`")
  }
}
