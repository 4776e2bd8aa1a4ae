package import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// The address of a record as typed; a key's name alone is accepted.
package enum RecordedAddress {
  /// For commands that change it: there must be a store. For a key with several parts this is the address of one part; the commands
  /// change all of them.
  /// - Parameter command: the name of the command in `keys` and in `records`, if both have it.
  package static func find(
    _ text: String, _ kinds: RecordKinds = .all, for command: String? = nil, in workspace: Workspace,
    orForgotten: Bool = false
  ) throws(Failure) -> Address {
    guard workspace.store != nil else { throw Failure.noStore(workspace.place) }
    let recorded = workspace.recorded
    if kinds != .others, !orForgotten, case .key(let id)? = Address(text) ?? Identifier<Key>(text).map(Address.key),
      let key = workspace.manifest.keys[id], !recorded.has(.key(id)), recorded.parts(at: .key(id)).isEmpty
    {
      throw Failure.withoutValue(id, key)
    }
    let address = try find(text, kinds, for: command, in: recorded, orForgotten: orForgotten)
    return recorded.parts(at: address, andForgotten: orForgotten).first ?? address
  }

  /// The same, but only for keys.
  package static func key(
    _ text: String, for command: String? = nil, in workspace: Workspace, orForgotten: Bool = false
  ) throws(Failure) -> Identifier<Key> {
    let address = try find(text, .keys, for: command, in: workspace, orForgotten: orForgotten)
    guard case .key(let key) = address else { throw notOfKind(address, .keys, command) }
    return key
  }

  /// - Throws: `Failure` with the nearest recorded address, if there is no such record.
  package static func find(
    _ text: String, _ kinds: RecordKinds = .all, for command: String? = nil, in recorded: Recorded,
    orForgotten: Bool = false
  ) throws(Failure) -> Address {
    if let address = address(text, in: recorded),
      recorded.has(address) || orForgotten && recorded.forgotten.contains(where: { .key($0.key) == address })
        || !recorded.parts(at: address, andForgotten: orForgotten).isEmpty
    {
      guard kinds.contain(address) else { throw notOfKind(address, kinds, command) }
      return address
    }
    throw notRecorded(text, kinds, in: recorded, orForgotten: orForgotten)
  }

  /// The error that a record has commands of another group.
  package static func notOfKind(_ address: Address, _ kinds: RecordKinds, _ command: String?) -> Failure {
    if case .key(let key) = address {
      return Failure(
        .usage, "Record of a key", "\(address) is a key. This command takes other records.",
        hint: command.map { "keyplan keys \($0) \(key.whole ?? key)" } ?? "List the keys with `keyplan keys`.")
    }
    return Failure(
      .usage, "Not a key", "\(address) is not a key. This command takes keys only.",
      hint: command.map { "keyplan records \($0) \(ShellWord.quoted(address.description))" }
        ?? "List the keys with `keyplan keys`.")
  }

  /// The address in a text, with a name at a target as it is recorded; nil for any other text.
  package static func address(_ text: String, in recorded: Recorded) -> Address? {
    let address = Address(text) ?? Identifier<Key>(text).map(Address.key)
    return address.map { recorded.has($0) ? $0 : $0.normalized }
  }

  /// The error that there is no record at this address; suggests the nearest one.
  package static func notRecorded(
    _ text: String, _ kinds: RecordKinds = .all, in recorded: Recorded, orForgotten: Bool = false
  ) -> Failure {
    let address = Address(text) ?? Identifier<Key>(text).map(Address.key)
    let known = recorded.addresses(andForgotten: orForgotten).filter(kinds.contain).map(\.description)
    let near =
      (kinds == .others ? nil : recorded.keys.filter { $0.value.facts.variable == text }.keys.min()?.name)
      ?? known.filter { $0.hasSuffix(".\(text)") }.min()
      ?? Suggestion.nearest(to: text, among: known)
      ?? address.flatMap { Suggestion.nearest(to: $0.description, among: known) }
    return Failure(
      .failed, "Not recorded",
      address == nil && near == nil
        ? "The store has no record with the given name." : "The store has no record of \(text).",
      hint: near.map { "Did you mean \($0)?" } ?? (address == nil ? Failure.hint(ofTyped: text) : nil)
        ?? list(kinds, orForgotten))
  }

  private static func list(_ kinds: RecordKinds, _ forgotten: Bool) -> String {
    switch kinds {
    case .all: "List the keys with `keyplan keys`, and other records with `keyplan records`."
    case .keys where forgotten: "List the keys, with forgotten ones, with `keyplan keys history`."
    case .keys: "List the keys with `keyplan keys`."
    case .others: "List the records with `keyplan records`."
    }
  }
}

extension Address {
  /// The same with a single name as it is recorded: `/N` is `N`.
  fileprivate var normalized: Address {
    guard case .entry(let id, let name) = self, name.hasPrefix("/"), let nested = try? NestedName(name) else {
      return self
    }
    return .entry(id, name: nested.text)
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
