internal import KeyplanModel
package import KeyplanPlanning

/// The number of steps of a plan that require a person.
package struct PeopleNeeded: Hashable, Sendable {
  private let accounts: Int
  private let keys: Int

  package init(_ steps: some Sequence<Step>) {
    let actions = steps.map(\.effect.action)
    accounts = actions.count { $0 == .authorize }
    keys = actions.count { $0 == .issue }
  }

  /// `1 account requires a sign-in.`, `2 keys have to be made by hand.`
  package var sentences: [String] {
    var sentences: [String] = []
    if accounts > 0 {
      sentences.append("\(Spans.count(accounts, "account")) \(accounts == 1 ? "requires" : "require") a sign-in.")
    }
    if keys > 0 { sentences.append("\(Spans.count(keys, "key")) \(keys == 1 ? "has" : "have") to be made by hand.") }
    return sentences
  }
}
