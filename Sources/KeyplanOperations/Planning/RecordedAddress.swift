package import KeyplanCore
package import KeyplanReporting

/// What a person means by an address of something recorded; a key's bare name will do.
package enum RecordedAddress {
  /// For commands that change it: there must be a store.
  package static func find(
    _ text: String, in workspace: Workspace, orForgotten: Bool = false
  ) throws(Failure) -> Address {
    guard workspace.store != nil else { throw Failure.noStore(workspace.place) }
    return try find(text, in: workspace.recorded, orForgotten: orForgotten)
  }

  /// The same for what only keys have.
  package static func key(
    _ text: String, in workspace: Workspace, orForgotten: Bool = false
  ) throws(Failure) -> Identifier<Key> {
    let address = try find(text, in: workspace, orForgotten: orForgotten)
    guard case .key(let key) = address else {
      throw Failure(.usage, "Not a key", "\(address) is no key, and this is done to keys alone.")
    }
    return key
  }

  /// - Throws: `Failure` where nothing is recorded there, with the nearest address that is.
  package static func find(_ text: String, in recorded: Recorded, orForgotten: Bool = false) throws(Failure) -> Address
  {
    let address = Address(text) ?? Identifier<Key>(text).map(Address.key)
    if let address,
      recorded.has(address) || orForgotten && recorded.forgotten.contains(where: { .key($0.key) == address })
    {
      return address
    }
    throw notRecorded(text, in: recorded, orForgotten: orForgotten)
  }

  /// Nothing is recorded under what was asked for; with the nearest address that is.
  package static func notRecorded(_ text: String, in recorded: Recorded, orForgotten: Bool = false) -> Failure {
    let address = Address(text) ?? Identifier<Key>(text).map(Address.key)
    let known = recorded.addresses(andForgotten: orForgotten).map(\.description)
    let near =
      Suggestion.nearest(to: text, among: known)
      ?? address.flatMap { Suggestion.nearest(to: $0.description, among: known) }
    return Failure(
      .failed, "Not recorded", "The store has nothing under \(text).",
      hint: near.map { "Did you mean \($0)?" } ?? "`keyplan state history` lists what it has.")
  }
}

extension Recorded {
  fileprivate func has(_ address: Address) -> Bool {
    switch address {
    case .key(let id): keys[id] != nil
    case .slot(let id): slots[id] != nil
    case .target(let id): targets[id] != nil
    case .entry(let id, let name): targets[id]?.entries[name] != nil
    case .calendar(let id): accounts[id] != nil
    case .recipients, .surface, .migration, .rules, .store: false
    }
  }

  fileprivate func addresses(andForgotten: Bool) -> [Address] {
    keys.keys.map(Address.key) + slots.keys.map(Address.slot) + targets.keys.map(Address.target)
      + accounts.keys.map(Address.calendar)
      + targets.flatMap { id, record in record.entries.keys.map { Address.entry(id, name: $0) } }
      + (andForgotten ? forgotten.map { .key($0.key) } : [])
  }
}
