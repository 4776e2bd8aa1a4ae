import KeyplanCore

extension ManifestMeaning {
  mutating func readKeys() {
    let declared = Dictionary(raw.providers.map { ($0.name.name, $0.value) }) { first, _ in first }
    let policies = Dictionary(raw.policies.map { ($0.name.name, $0.value) }) { first, _ in first }
    keys.reserveCapacity(raw.keys.count)
    keysAsDeclared.reserveCapacity(raw.keys.count)
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
    let expiry = expiry(written.expires, policies)
    let sources = readable(written.sources ?? [], of: key)
    let facts = KeyFacts(
      provider: written.provider?.value ?? "generic", model: written.model, variable: variable,
      ownsVariable: written.variable != nil, expiry: expiry, issued: written.issued,
      sources: sources.map(\.description), isProtected: written.isProtected, labels: written.labels)
    let meant = Key(facts: facts, sources: sources, follow: written.follow, place: key.place)
    keys[key.name] = meant
    keysAsDeclared.append((key.name, meant))
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
      undeclared("provider", name, among: { $0.reader.catalog.names + declared.keys })
      return nil
    }
    let provider = Provider(
      format: own?.format ?? builtIn?.format, variable: own?.variable ?? builtIn?.variable)
    providers[name.value] = provider
    return provider
  }

  mutating func readSlots() {
    for slot in raw.slots {
      guard let written = slot.value else { continue }
      notes.subject = .slot(slot.name)
      var candidates: [Identifier<Key>] = []
      var seen: Set<String> = []
      for name in written {
        guard let key = Identifier<Key>(name.value), keys.keys.contains(key) else {
          undeclared("key", name, among: { $0.keys.keys.map(\.name) })
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
}
