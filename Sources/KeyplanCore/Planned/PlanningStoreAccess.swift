extension PlanBuilder {
  /// What the manifest touches outside its folder is allowed by steps of its own, before anything touches it.
  mutating func planSurface() {
    var items = usedSurface
    items.formUnion(adoptions.values.compactMap { $0.original?.surface })
    items.formUnion(takeovers.values.compactMap { $0.original?.surface })
    for connection in manifest.usedConnections { items.formUnion(connection.surfaceTerms.keys) }
    for (id, target) in manifest.targets where !unsupported.contains(.target(id)) {
      items.formUnion(manifest.surface(of: target))
    }
    for (id, account) in manifest.accounts where !unsupported.contains(.calendar(id)) {
      items.formUnion(account.surface)
    }
    for item in items.sorted() {
      let terms = wantedSurface[item] ?? []
      switch recorded.surface[item] {
      case nil: add(.allow(AccessGrant(terms)), at: .surface(item), because: .manifest)
      case .unrecorded where !terms.isEmpty:
        add(.allow(AccessGrant(terms, was: [])), at: .surface(item), because: .manifest)
      case .recorded(let was) where was != terms:
        add(.allow(AccessGrant(terms, was: was)), at: .surface(item), because: .manifest)
      case .unrecorded, .recorded: break
      }
    }
  }

  /// What the manifest no longer touches is no longer allowed, so that it must be approved again when it comes back. What a
  /// target still holds there comes first: without leave it could not be withdrawn.
  mutating func planDisallowing() {
    guard !recorded.surface.isEmpty else { return }
    let gone = Set(recorded.surface.items).subtracting(manifest.surface.keys)
    guard !gone.isEmpty else { return }
    var holders: [ExternalAccess: [Address]] = [:]
    for (id, record) in recorded.targets.inOrder {
      for item in manifest.surface(at: record.destination) { holders[item, default: []].append(.target(id)) }
    }
    for (id, attempt) in recorded.attempts.inOrder where !leftovers(of: id, at: attempt.destination).isEmpty {
      for item in manifest.surface(at: attempt.destination) { holders[item, default: []].append(.target(id)) }
    }
    for (id, record) in recorded.accounts.inOrder where manifest.accounts[id] == nil {
      for item in record.facts.hosts { holders[item, default: []].append(.calendar(id)) }
    }
    let cleared = Set(
      steps.compactMap { step -> Address? in
        if case .signOut = step.effect { return step.address }
        guard case .withdraw(let removal) = step.effect,
          !gone.isDisjoint(with: manifest.surface(at: removal.destination))
        else { return nil }
        return step.address
      })
    for item in gone.sorted() {
      let holders = holders[item] ?? []
      guard holders.allSatisfy(cleared.contains) else { continue }
      add(.disallow, at: .surface(item), because: .manifest, after: holders)
    }
  }

  /// Who can open the store, where the manifest says so and there is a store.
  mutating func planRecipients() {
    guard let declared = manifest.recipients, recorded.store != nil, declared != recorded.recipients,
      !unsupported.contains(.recipients)
    else { return }
    let rewrap = Rewrap(from: recorded.recipients, to: declared)
    if !declared.values.contains(where: { $0.role == .full }) {
      report(.store(.noRecipients))
    } else if let identity = observed.identity,
      rewrap.removed.contains(where: { name in
        recorded.recipients.contains { $0.key.name == name && $0.value.publicKey == identity }
      })
    {
      report(.store(.losesAccess(identity: identity)))
    }
    add(.rewrap(rewrap), at: .recipients, because: .manifest)
  }

  /// Closes what an interrupted run left open where nothing is left to do, as far as that can be told.
  mutating func planSettling() {
    let planned = Set(steps.map(\.address))
    let blocked = Set(diagnostics.lazy.filter { $0.code.severity == .error }.compactMap(\.address))
    let open = Set(recorded.interrupted.keys).union(recorded.attempts.keys.map(Address.target))
    for address in open.sorted() where !planned.contains(address) && !blocked.contains(address) {
      if case .target(let id) = address, let attempt = recorded.attempts[id],
        !leftovers(of: id, at: attempt.destination).isEmpty
      {
        continue
      }
      add(
        .settle, at: address, because: .interrupted, on: Precondition(revision: recorded.revision(of: address) ?? nil))
    }
  }
}

extension Manifest {
  /// All that it touches outside its folder with the terms of each, what is held back or carried out already included.
  public var surface: [ExternalAccess: Set<String>] {
    var surface: [ExternalAccess: Set<String>] = [:]
    func take(_ reference: Reference) {
      if let item = reference.surface { surface[item, default: []].formUnion(reference.terms) }
    }
    for (id, key) in keys {
      key.sources.forEach(take)
      if let item = key.unsafeVariable { surface[item, default: []].insert(Surface.term(of: id)) }
    }
    for migration in migrations { migration.original.map(take) }
    for (id, target) in targets {
      for item in self.surface(of: target) {
        surface[item, default: []].formUnion(item.kind == .variable ? [Surface.term(of: id)] : [])
      }
    }
    for account in accounts.values { surface.merge(account.surfaceTerms) { $0.union($1) } }
    for connection in usedConnections { surface.merge(connection.surfaceTerms) { $0.union($1) } }
    return surface
  }

  /// What a target touches: its place, where that is outside the manifest's folder, and the variables among its names that need
  /// a permission.
  func surface(of target: Target) -> [ExternalAccess] {
    var surface = self.surface(at: target.destination)
    if target.areUnsafeNamesAllowed {
      let names = Set(target.entries.flatMap(possibleNames)).filter(VariableName.isUnsafe)
      surface += names.sorted().map { ExternalAccess(.variable, $0) }
    }
    return surface
  }

  /// Every name under which one line of a target may write a key.
  public func possibleNames(of entry: Target.Entry) -> [String] {
    let candidates =
      switch entry.feed {
      case .key(let key): [key]
      case .slot(let slot): slots[slot]?.candidates ?? []
      }
    return candidates.compactMap { key in keys[key].flatMap { entry.name(for: $0.facts) } }
  }
}

extension Rewrap {
  /// The way from some recipients to others. Who keeps the key and loses a role leaves too: what it knows must end.
  public init(
    from old: [Identifier<KeyplanCore.Recipient>: KeyplanCore.Recipient],
    to new: [Identifier<KeyplanCore.Recipient>: KeyplanCore.Recipient]
  ) {
    let known = Set(new.values.map(\.publicKey))
    let full = Set(new.values.lazy.filter { $0.role == .full }.map(\.publicKey))
    self.init(
      recipients: new.inOrder.map { Recipient(name: $0.key, value: $0.value) },
      added: new.filter { old[$0.key] != $0.value }.keys.map(\.name).sorted(),
      removed: old.filter { !($0.value.role == .full ? full : known).contains($0.value.publicKey) }
        .keys.map(\.name).sorted())
  }
}
