internal import KeyplanModel

/// The decision about a key that is made at its provider.
enum MintDecision: Equatable {
  /// Its values stay, or there are none to plan with.
  case keep
  /// The values that were made and are not used yet become current.
  case use
  /// A new one is made.
  case mint(Cause)
}

extension PlanningContext {
  /// One decision for all parts of a key.
  func decision(on minting: Minting) -> MintDecision {
    let keys = minting.parts.map(\.key)
    if keys.contains(where: { if case .wanted = observed.sources[$0] { true } else { false } }) {
      return .mint(.byHand)
    }
    if recorded.mints[minting.key]?.isOpen == true { return .mint(.interrupted) }
    let records = keys.map { recorded.keys[$0] }
    if records.allSatisfy({ $0?.pending != nil }) { return .use }
    let known = records.compactMap(\.self)
    guard known.count == keys.count, !lacksParts(minting) else { return .mint(.manifest) }
    if known.contains(where: { $0.revocation != nil }) { return .mint(.revocation) }
    if known.contains(where: { $0.version.check?.outcome.isUnusable == true }) { return .mint(.check) }
    if observed.leases[minting.holder] == .ended { return .mint(.check) }
    let isOver = zip(keys, known).contains { id, record in
      guard let end = manifest.keys[id]?.rotationEnd(of: record), now >= end else { return false }
      return minting.manual != nil || recorded.keys[minting.holder]?.isMinted == true
    }
    return isOver || isEnding(minting) ? .mint(.expiry) : .keep
  }

  /// Whether the values belong to a key with more parts than the provider's description has now.
  private func lacksParts(_ minting: Minting) -> Bool {
    guard minting.parts.count > 1 else { return false }
    let number = recorded.keys[minting.holder]?.version.number
    return wholes.parts(of: minting.holder).contains { part in
      manifest.keys[part] == nil && recorded.keys[part]?.version.number == number
    }
  }

  /// Whether the provider soon ends a key that cannot be renewed any more.
  private func isEnding(_ minting: Minting) -> Bool {
    guard let issued = recorded.keys[minting.holder]?.issuedKey, let due = issued.refreshDue, now >= due else {
      return false
    }
    return !canRenew(issued)
  }

  /// Whether the lifetime of a key is extended instead of making another one.
  func canRenew(_ issued: IssuedKey) -> Bool {
    guard let connection = manifest.connection(named: issued.place.type), connection.leads(to: issued.place),
      let end = issued.expires
    else { return false }
    return connection.canRenew && !issued.isEnding && now < end
  }
}

extension KeyStage {
  /// Plans a key that is made at its provider. A recorded value from elsewhere stays until it is to be replaced.
  mutating func planMinted(_ minting: Minting, for id: Identifier<Key>, _ key: Key, _ record: KeyRecord?) {
    let isFirst = minting.holder == id
    switch context.decision(on: minting) {
    case .keep:
      guard let record else { return }
      if let end = key.rotationEnd(of: record), now >= end, !record.isMinted {
        report(.key(id, .rotationHeld(expiredOn: end)), at: key.place)
      }
      planUpdate(id, key, record)
    case .use:
      guard let record, let pending = record.pending else { return }
      addMinted(id, key, record, because: .interrupted, after: [])
      states.write(id, key, from: pending.birth, pending.fingerprint)
    case .mint(let cause):
      if let manual = minting.manual {
        if isFirst {
          add(.person(.issue(minting.key, manual)), because: cause, on: Precondition(revision: record?.revision))
        }
        if let record { planUpdate(id, key, record) }
        return
      }
      if isFirst { addMint(minting, key, because: cause) }
      addMinted(id, key, record, because: cause == .interrupted ? .follows : cause, after: [.key(minting.key)])
      states.write(id, key, .ofNewValue)
    }
  }

  private mutating func addMint(_ minting: Minting, _ key: Key, because cause: Cause) {
    let parts = minting.parts.map { KeyMint.Part($0.name, $0.key, revision: recorded.keys[$0.key]?.revision) }
    add(
      .outside(.mint(minting.key, KeyMint(place: minting.place, parts: parts))), because: cause,
      on: Precondition(revision: recorded.keys[minting.key]?.revision), after: surfaces(of: key))
  }

  private mutating func addMinted(
    _ id: Identifier<Key>, _ key: Key, _ record: KeyRecord?, because cause: Cause, after: [Address]
  ) {
    let write = KeyWrite(key.facts, .minted(isChecked: observed.checkable.contains(id)))
    add(
      .key(id, record == nil ? .store(write) : .replace(write)), because: cause,
      on: Precondition(revision: record?.revision), after: after + surfaces(of: key))
  }
}

extension KeyRecord {
  /// Whether the current value was made at the provider for keyplan.
  var isMinted: Bool { issuedKey != nil }
}
