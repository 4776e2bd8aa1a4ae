extension Draft {
  /// Takes originals away whose values the store has, or will have by then.
  mutating func planRemovals() {
    let pending = adoptions.inOrder.filter { $0.value.removesOriginal && observed.originals[$0.key] != nil }
    guard !pending.isEmpty else { return }
    let users = OriginalUsers(self)
    for (id, migration) in pending {
      guard let reference = migration.original, let finding = observed.originals[id],
        recorded.keys[id] != nil || outlook(of: id)?.isWritten == true,
        let ground = ground(forRemoving: reference, finding, migration)
      else { continue }
      if let user = users.whoReads(reference) {
        refuse(migration, reference, user)
        continue
      }
      // Others that adopt the same value must have it before it goes.
      let heirs = users.whoAdopts(reference).filter { $0 != id && recorded.keys[$0] == nil }
      if let heir = heirs.first(where: { outlook(of: $0)?.isWritten != true }) {
        refuse(migration, reference, .key(heir))
        continue
      }
      let surface = reference.surface.map { [Address.surface($0)] } ?? []
      add(
        .remove(key: id, from: reference.description), at: migration.address,
        because: recorded.interrupted[migration.address] == nil ? .migration : .interrupted, on: ground,
        after: [.key(id)] + heirs.map(Address.key) + surface)
    }
  }

  /// Nil where nothing is to be removed.
  private mutating func ground(
    forRemoving reference: Reference, _ finding: SourceFinding, _ migration: Migration
  ) -> Ground? {
    let record = recorded.keys[migration.key]
    switch finding {
    case .value(let found, _, _), .given(let found, _):
      if let record, !([record.version] + record.history).contains(where: { $0.fingerprint == found }) {
        tell(
          .changedByOthers, "\(reference) holds a value that \"\(migration.key)\" never had. It is left in place.",
          hint: "Remove it yourself, or say `original: keep`.", at: migration.place, of: migration.address)
        return nil
      }
      return Ground(source: found)
    case .notAllowed: return Ground()
    // Gone before anybody wrote down that it is: what is left to do is to remember it. Otherwise its absence says nothing:
    // the value may stand on another machine.
    case .missing: return recorded.interrupted[migration.address] == nil ? nil : Ground()
    case .unreachable(_, let reason), .unreadable(_, let reason):
      // Of a key that has no value yet it has been said already.
      guard record != nil else { return nil }
      let code: Diagnostic.Code = if case .unreachable = finding { .sourceUnreachable } else { .sourceUnreadable }
      tell(code, "\(reference): \(reason) It is not removed.", at: migration.place, of: migration.address)
      return nil
    }
  }

  private mutating func refuse(_ migration: Migration, _ reference: Reference, _ user: Address) {
    tell(
      .removalRefused, "\(reference) would be removed, and \(user) still needs it there.",
      hint: "Say `original: keep`, or change \(user) first.", at: migration.place, of: migration.address)
  }
}

/// Who else is declared to have to do with the places from which values are adopted. Places are compared by their text.
private struct OriginalUsers {
  /// One name in a file, or the whole of it.
  private struct Spot: Hashable {
    let location: String
    let name: String?

    /// Targets and pointers write a name at the top level with and without a slash before it.
    init(_ location: String, _ name: String?) {
      self.location = location
      self.name = name.map { String($0.drop { $0 == "/" }) }
    }
  }

  private var readers: [Spot: Address] = [:]
  /// By location, the first of those who read anything there.
  private var anyReaders: [String: Address] = [:]
  private var adopters: [Spot: [Identifier<Key>]] = [:]
  private var anyAdopters: [String: [Identifier<Key>]] = [:]

  init(_ draft: Draft) {
    let locations = Set(draft.adoptions.values.compactMap { $0.original?.location })
    for (id, key) in draft.manifest.keys.inOrder {
      for source in key.sources where locations.contains(source.location) && source.scheme != "env" {
        add(.key(id), source.location, source.selector)
      }
    }
    for (destination, claim) in draft.claims.sorted(by: { $0.value.target < $1.value.target })
    where locations.contains(destination.location) {
      for name in claim.names { add(.target(claim.target), destination.location, name) }
    }
    for (id, migration) in draft.adoptions.inOrder {
      guard let original = migration.original else { continue }
      adopters[Spot(original.location, original.selector), default: []].append(id)
      anyAdopters[original.location, default: []].append(id)
    }
  }

  private mutating func add(_ user: Address, _ location: String, _ name: String?) {
    let spot = Spot(location, name)
    if readers[spot] == nil { readers[spot] = user }
    if anyReaders[location] == nil { anyReaders[location] = user }
  }

  /// Somebody who reads or writes a value there; who takes the whole file takes each name in it.
  func whoReads(_ original: Reference) -> Address? {
    guard original.selector != nil else { return anyReaders[original.location] }
    return readers[Spot(original.location, original.selector)] ?? readers[Spot(original.location, nil)]
  }

  /// The keys that adopt a value there.
  func whoAdopts(_ original: Reference) -> [Identifier<Key>] {
    guard original.selector != nil else { return anyAdopters[original.location] ?? [] }
    return (adopters[Spot(original.location, original.selector)] ?? [])
      + (adopters[Spot(original.location, nil)] ?? [])
  }
}
