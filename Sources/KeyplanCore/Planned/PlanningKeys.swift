extension PlanBuilder {
  /// Declared × recorded × found at the source: the first truth table. In any order: what is reported about a key depends on that key
  /// alone, and steps and diagnostics are put in order at the end.
  mutating func planKeys() {
    for (id, key) in manifest.keysAsDeclared {
      let record = recorded.keys[id]
      if record != nil { knownKeys += 1 }
      if key.facts.expiry != nil { ending.append(id) }
      if key.facts.ownsVariable { owners.append(id) }
      guard !unsupported.contains(.key(id)) else { continue }
      for case let item? in key.sources.lazy.map(\.surface) { usedSurface.insert(item) }
      if let item = key.unsafeVariable { usedSurface.insert(item) }
      switch observed.sources[id] {
      case .value(let fingerprint, let index, let looksRight):
        compare(fingerprint, of: id, key, record, from: index, looksRight: looksRight)
      case .given(let fingerprint, let looksRight):
        compare(fingerprint, of: id, key, record, from: nil, looksRight: looksRight)
      case .notAllowed(let index): planUnknown(id, key, from: index)
      case .contentChanged(let index, let digest): planUnknown(id, key, from: index, content: digest)
      case .deferred: planUnknown(id, key, from: nil)
      case .notAskedHere(let index): planNotAsked(id, key, index)
      case .missing: planMissing(id, key)
      case .failed(let index, let failure): reportSource(failure, index, id, key)
      case nil: planUnasked(id, key)
      }
    }
  }

  /// The start of a key's age.
  static func birth(of facts: KeyFacts, storedAt: Moment) -> Moment { facts.issued ?? storedAt }

  func outlook(of key: Key, recorded record: KeyRecord) -> PlannedKeyState {
    outlook(
      of: key, storedAt: record.version.storedAt, record.version.fingerprint, isWritten: false, record.retiredAt)
  }

  func outlook(
    of key: Key, storedAt: Moment, _ fingerprint: Fingerprint?, isWritten: Bool, _ retiredAt: Moment? = nil
  ) -> PlannedKeyState {
    PlannedKeyState(
      hasValue: true, fingerprint: fingerprint, isWritten: isWritten,
      serving: key.facts.serving(storedAt: storedAt, retiredAt: retiredAt, at: now))
  }

  private mutating func compare(
    _ fingerprint: Fingerprint, of id: Identifier<Key>, _ key: Key, _ record: KeyRecord?, from index: Int?,
    looksRight: Bool
  ) {
    // Made where it is needed only: nearly every key is as it is recorded.
    var write: KeyWrite { KeyWrite(facts: key.facts, source: index) }
    guard let record else {
      if !looksRight { reportFormat(id, key) }
      add(
        .store(write), at: .key(id), because: index == nil ? .byHand : .manifest, on: Precondition(source: fingerprint),
        after: surfaces(of: key))
      written[id] = outlook(of: key, storedAt: now, fingerprint, isWritten: true)
      return
    }
    let isSame = record.version.fingerprint == fingerprint
    if record.rejected == fingerprint, !isSame, index != nil {
      report(.key(id, .rejectedValue(at: origin(key, index))), at: key.place)
      return planUpdate(id, key, record)
    }
    if isSame { return planUpdate(id, key, record, from: index) }
    if key.follow == .once, index != nil { return planUpdate(id, key, record) }
    if !looksRight { reportFormat(id, key) }
    if let earlier = record.history.first(where: { $0.fingerprint == fingerprint }) {
      report(
        .key(id, .earlierValue(at: origin(key, index), version: earlier.number, storedAt: earlier.storedAt)),
        at: key.place)
    }
    let isDrift = record.facts.sources == key.facts.sources
    add(
      .replace(write), at: .key(id), because: index == nil ? .byHand : isDrift ? .sourceChanged : .manifest,
      on: Precondition(revision: record.revision, source: fingerprint), after: surfaces(of: key))
    written[id] = outlook(of: key, storedAt: now, fingerprint, isWritten: true)
  }

  /// Records facts that changed, and which source has the value; the value stays.
  private mutating func planUpdate(
    _ id: Identifier<Key>, _ key: Key, _ record: KeyRecord, from index: Int? = nil
  ) {
    let movedOn = index.map { key.facts.source(at: $0) != record.version.origin } ?? false
    guard record.facts != key.facts || movedOn else { return }
    let isDrift = record.facts == key.facts
    add(
      .update(KeyWrite(facts: key.facts, source: index)), at: .key(id),
      because: isDrift ? .sourceChanged : .manifest,
      on: Precondition(revision: record.revision, source: movedOn ? record.version.fingerprint : nil),
      after: surfaces(of: key))
  }

  /// The value is known at apply only: the source may be read once its surface is allowed, or not from an untrusted checkout.
  private mutating func planUnknown(_ id: Identifier<Key>, _ key: Key, from index: Int?, content: String? = nil) {
    let write = KeyWrite(facts: key.facts, source: index, isDeferred: index == nil)
    let record = recorded.keys[id]
    add(
      record == nil ? .store(write) : .replace(write), at: .key(id), because: .manifest,
      on: Precondition(revision: record?.revision, content: content), after: surfaces(of: key))
    // The value may turn out to be the recorded one: until that is known a retired key stays retired.
    written[id] = outlook(
      of: key, storedAt: record?.version.storedAt ?? now, nil, isWritten: true, record?.retiredAt)
  }

  /// The recorded value stays: planning does not run what lies in an untrusted checkout.
  private mutating func planNotAsked(_ id: Identifier<Key>, _ key: Key, _ index: Int) {
    guard let record = recorded.keys[id] else { return planUnknown(id, key, from: index) }
    report(.key(id, .sourceNotRun(origin(key, index))), at: key.place)
    planUpdate(id, key, record)
  }

  private mutating func planMissing(_ id: Identifier<Key>, _ key: Key) {
    if let record = recorded.keys[id] {
      // Where every source belongs to a machine, an absence says nothing: the value may be on another one.
      if !key.sources.allSatisfy(\.isLocal) { report(.key(id, .sourceMissing(key.sources)), at: key.place) }
      return planUpdate(id, key, record)
    }
    report(.key(id, .notFound(at: key.sources, reason: observed.absences[id])), at: key.place)
  }

  /// A key without a source, which nobody gave a value now: the store is the authority.
  private mutating func planUnasked(_ id: Identifier<Key>, _ key: Key) {
    if let record = recorded.keys[id] { return planUpdate(id, key, record) }
    if let adoption = adoptions[id], planAdoption(adoption, key) { return }
    report(.key(id, .noValue), at: key.place)
  }

  private func surfaces(of key: Key) -> [Address] { manifest.surface(of: key).map(Address.surface) }

  /// Nil for a value that was given by hand.
  private func origin(_ key: Key, _ index: Int?) -> Reference? {
    index.flatMap { key.sources.indices.contains($0) ? key.sources[$0] : nil }
  }

  mutating func reportFormat(_ id: Identifier<Key>, _ key: Key) {
    report(.key(id, .unexpectedFormat(provider: key.facts.provider)), at: key.place)
  }

  private mutating func reportSource(
    _ failure: AccessFailure, _ index: Int, _ id: Identifier<Key>, _ key: Key
  ) {
    let issue = KeyIssue.sourceFailed(origin(key, index), failure, recorded: recorded.keys[id] != nil)
    report(.key(id, issue), at: key.place)
  }
}
