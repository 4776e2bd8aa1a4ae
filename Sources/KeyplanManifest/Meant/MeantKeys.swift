import KeyplanCore

extension ManifestMeaning {
  mutating func readKeys() {
    let declared = Dictionary(raw.providers.map { ($0.name.name, $0.value) }) { first, _ in first }
    let policies = Dictionary(raw.policies.map { ($0.name.name, $0.value) }) { first, _ in first }
    keys.reserveCapacity(raw.keys.count)
    for key in raw.keys {
      notes.subject = .key(key.name)
      read(key, declared, policies)
    }
    notes.subject = nil
  }

  private mutating func read(
    _ key: Named<Key, RawKey>, _ declared: [String: RawProvider], _ policies: [String: Expiry?]
  ) {
    let written = key.value
    var variable = written.variable
    if let provider = written.provider { variable = variable ?? self.provider(provider, declared)?.variable }
    var expiry: Expiry?
    switch written.expires {
    case nil: break
    case .own(let own): expiry = own
    case .policy(let name):
      if let policy = policies[name.value] {
        expiry = policy
      } else {
        undeclared("policy", name, among: policies.keys)
      }
    }
    let sources = readable(written.sources ?? [], of: key)
    let facts = KeyFacts(
      provider: written.provider?.value ?? "generic", model: written.model, variable: variable,
      ownsVariable: written.variable != nil, expiry: expiry, issued: written.issued,
      sources: sources.map(\.description), isProtected: written.isProtected, labels: written.labels)
    keys[key.name] = Key(facts: facts, sources: sources, follow: written.follow, place: key.place)
  }

  /// A key with a source that cannot be read yet is held back as a whole: a later source must not win in its place.
  private mutating func readable(_ sources: [RawSource], of key: Named<Key, RawKey>) -> [Reference] {
    var readable: [Reference] = []
    for source in sources {
      switch source {
      case .supported(let reference): readable.append(reference)
      case .unsupported(let what, let place): unsupported.append(.init(.key(key.name), what, place: place))
      case .unreadable: break
      }
    }
    return readable
  }

  /// The catalog's provider with what the manifest says of it; each is looked up once.
  private mutating func provider(_ name: Written<String>, _ declared: [String: RawProvider]) -> Provider? {
    if let known = providers[name.value] { return known }
    let own = declared[name.value]
    let builtIn = reader.catalog.provider(name.value)
    guard own != nil || builtIn != nil else {
      undeclared("provider", name, among: reader.catalog.names + declared.keys)
      return nil
    }
    let provider = Provider(
      format: own?.format ?? builtIn?.format, variable: own?.variable ?? builtIn?.variable)
    providers[name.value] = provider
    return provider
  }

  mutating func readSlots() {
    let names = Dictionary(raw.keys.map { ($0.name.name, $0.name) }) { first, _ in first }
    for slot in raw.slots {
      guard let written = slot.value else { continue }
      notes.subject = .slot(slot.name)
      var candidates: [Identifier<Key>] = []
      var seen: Set<String> = []
      for name in written {
        guard let key = names[name.value] else {
          undeclared("key", name, among: names.keys)
          continue
        }
        guard seen.insert(name.value).inserted else {
          notes.note(.conflict, "\"\(key)\" stands twice in this slot.", at: name.place)
          continue
        }
        candidates.append(key)
      }
      if !candidates.isEmpty { slots[slot.name] = Slot(candidates: candidates, place: slot.place) }
    }
    notes.subject = nil
  }

  mutating func migrations() {
    let declared = Set(raw.keys.map(\.name.name))
    var moves: [String: String] = [:]
    for migration in raw.migrations {
      guard case .moved(let from) = migration.origin, let to = migration.to else { continue }
      notes.subject = .migration(migration.number)
      if declared.contains(from.value) {
        notes.note(
          .conflict, "\"\(from.value)\" is still declared, and cannot have moved.",
          hint: "Remove the key of the old name.", at: from.place)
      }
      if moves.updateValue(to.value, forKey: from.value) != nil {
        notes.note(.conflict, "This key has moved already.", at: from.place)
      }
    }
    let circular = Self.circular(moves)
    for migration in raw.migrations {
      let address = Address.migration(migration.number)
      notes.subject = address
      unsupported.append(.init(address, "migrations", place: migration.place))
      guard let to = migration.to else { continue }
      switch migration.origin {
      case .moved(let from) where circular.contains(from.value):
        notes.note(.conflict, "The moves lead back to where they began.", at: from.place)
      case .moved where moves[to.value] != nil: break
      default: adopts(migration, to)
      }
    }
    notes.subject = nil
  }

  private mutating func adopts(_ migration: RawMigration, _ to: Written<String>) {
    guard let name = Identifier<Key>(to.value), let key = keys[name] else {
      return undeclared("key", to, among: keys.keys.map(\.name))
    }
    guard case .adopted = migration.origin, !key.sources.isEmpty else { return }
    notes.note(
      .conflict, "\"\(name)\" has a source, so that nothing can be adopted for it.",
      hint: "Declare the key without a source: the store is its authority.", at: to.place)
  }

  /// The names from which moves lead into a circle. Each name is walked once.
  private static func circular(_ moves: [String: String]) -> Set<String> {
    var circular: Set<String> = []
    var done: Set<String> = []
    for start in moves.keys where !done.contains(start) {
      var path: [String] = []
      var onPath: Set<String> = []
      var name = start
      while let next = moves[name], !done.contains(name), onPath.insert(name).inserted {
        path.append(name)
        name = next
      }
      if onPath.contains(name) || circular.contains(name) { circular.formUnion(path) }
      done.formUnion(path)
    }
    return circular
  }
}
