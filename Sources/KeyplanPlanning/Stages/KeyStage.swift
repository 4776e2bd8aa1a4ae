internal import KeyplanModel

/// Declared × recorded × found at the source: the first truth table.
///
/// In any order: the diagnostics about a key depend on that key alone, and steps and diagnostics are sorted at the end.
struct KeyStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  var states: PlannedKeyStates
  // Collected in the one pass over all keys, so that later stages do not repeat it.
  /// The declared keys with an end.
  private(set) var ending: [Identifier<Key>] = []
  /// The declared keys with a variable of their own.
  private(set) var owners: [Identifier<Key>] = []
  /// The declared keys with keys at a provider that keyplan had made for them.
  private(set) var issuing: [Identifier<Key>] = []
  /// The declared keys with several parts.
  private(set) var divided: [Minting] = []
  /// The number of declared keys that are recorded.
  private(set) var recordedCount = 0
  /// The external accesses of the keys.
  private(set) var surface: Set<ExternalAccess> = []

  init(_ context: PlanningContext) {
    self.context = context
    states = PlannedKeyStates(context)
    for (id, key) in manifest.keysAsDeclared { plan(id, key) }
    for id in manifest.composed.keys {
      if let key = manifest.keys[id], let composition = key.composition { planComposed(composition, for: id, key) }
    }
  }

  private mutating func plan(_ id: Identifier<Key>, _ key: Key) {
    let record = recorded.keys[id]
    if let record {
      recordedCount += 1
      if !record.issued.isEmpty { issuing.append(id) }
    }
    if let minting = key.minting, key.isPart, minting.holder == id { divided.append(minting) }
    if key.facts.expiry != nil { ending.append(id) }
    if key.facts.ownsVariable { owners.append(id) }
    if let date = key.facts.futureDate(at: now) { report(.key(id, .issuedAhead(date)), at: key.place) }
    guard !unsupported.contains(.key(id)) else { return }
    for case let item? in key.sources.lazy.map(\.surface) { surface.insert(item) }
    if let item = key.unsafeVariable { surface.insert(item) }
    // Planned once the states of all other keys are known.
    guard key.composition == nil else { return }
    switch observed.sources[id] {
    case .value(let fingerprint, let index, let looksRight):
      compare(fingerprint, of: id, key, record, from: index, looksRight: looksRight)
    case .given(let fingerprint, let looksRight):
      compare(fingerprint, of: id, key, record, from: nil, looksRight: looksRight)
    case .wanted(let value?): generate(value, for: id, key, record, because: .byHand)
    case .wanted(nil): planUnasked(id, key)
    case .notAllowed(let index): planUnknown(id, key, from: index)
    case .contentChanged(let index, let digest): planUnknown(id, key, from: index, content: digest)
    case .deferred: planUnknown(id, key, from: nil)
    case .notAskedHere(let index): planNotAsked(id, key, index)
    case .missing: planMissing(id, key)
    case .failed(let index, let failure): reportSource(failure, index, id, key)
    case nil: planUnasked(id, key)
    }
    if let record { reportRecorded(id, key, record) }
  }

  /// Reports what is to be said of a recorded value, unless it is replaced.
  mutating func reportRecorded(_ id: Identifier<Key>, _ key: Key, _ record: KeyRecord) {
    reportRevocation(of: id, key, record)
    reportStoredFormat(of: id, key, record)
    if let issued = key.facts.issued { reportDate(issued, of: id, key, record) }
  }

  /// Reports a date of issue that is not that of the value which is current once the plan is applied.
  private mutating func reportDate(_ issued: Moment, of id: Identifier<Key>, _ key: Key, _ record: KeyRecord) {
    var own = record.issuedAt(under: key.facts)
    if let state = states[id], state.isWritten {
      // A value that is read at apply only may turn out to be the recorded one.
      guard let fingerprint = state.fingerprint else { return }
      own = KeyRecord.issuedAt(of: fingerprint, key.facts, over: record)
    }
    if let date = observed.dates[id] { own = date }
    if own != issued { report(.key(id, .issuedOutdated(issued)), at: key.place) }
  }

  /// Reports a value that was stored without a plan having shown that it does not look like a key of its provider, until the value,
  /// the provider or the format is another one.
  private mutating func reportStoredFormat(of id: Identifier<Key>, _ key: Key, _ record: KeyRecord) {
    guard record.missesFormat(of: manifest.providers[key.facts.provider]), states[id]?.isWritten != true else { return }
    report(.key(id, .storedFormat(provider: key.facts.provider)), at: key.place)
  }

  /// Reports a revoked value without a replacement.
  private mutating func reportRevocation(of id: Identifier<Key>, _ key: Key, _ record: KeyRecord) {
    guard let revocation = record.revocation, states[id]?.isRevoked == true else { return }
    report(.key(id, .revoked(revocation)), at: key.place)
  }

  private mutating func compare(
    _ fingerprint: Fingerprint, of id: Identifier<Key>, _ key: Key, _ record: KeyRecord?, from index: Int?,
    looksRight: Bool
  ) {
    // Built only if needed: nearly every key is as recorded.
    var write: KeyWrite {
      KeyWrite(
        facts: key.facts, source: index, isChecked: observed.checkable.contains(id), issued: observed.issued[id],
        issuedAt: observed.dates[id])
    }
    guard let record else {
      if let revocation = recorded.revocation(of: fingerprint, for: id) {
        return report(.key(id, .revokedValue(at: origin(key, index), revocation)), at: key.place)
      }
      if !looksRight { reportFormat(id, key) }
      reportDoubt(id, key, from: index)
      add(
        .key(id, .store(write)), because: index == nil ? .byHand : .manifest, on: Precondition(source: fingerprint),
        after: surfaces(of: key))
      states.write(id, key, fingerprint)
      return
    }
    let isSame = record.version.fingerprint == fingerprint
    // The provider may meanwhile accept a value that it refused, so it is checked again before it is used.
    let isAskedAgain = record.refusal != nil && observed.checkable.contains(id)
    if record.rejected == fingerprint, !isSame, !isAskedAgain, let index {
      let source = origin(key, index)
      let issue = record.refusal.map { KeyIssue.refusedValue(at: source, $0) } ?? .rejectedValue(at: source)
      report(.key(id, issue), at: key.place)
      return planUpdate(id, key, record)
    }
    if isSame { return planUpdate(id, key, record, from: index) }
    if let revocation = record.revocation(of: fingerprint) {
      report(.key(id, .revokedValue(at: origin(key, index), revocation)), at: key.place)
      return planUpdate(id, key, record)
    }
    // A revoked or refused value has to be replaced, whatever the manifest declares about its origin.
    let isReplaced = record.revocation != nil || record.version.check?.outcome.isUnusable == true
    if key.follow == .once, index != nil, !isReplaced { return planUpdate(id, key, record) }
    if !looksRight { reportFormat(id, key) }
    reportDoubt(id, key, from: index)
    if let earlier = record.history.first(where: { $0.fingerprint == fingerprint }) {
      report(
        .key(id, .earlierValue(at: origin(key, index), version: earlier.number, storedAt: earlier.storedAt)),
        at: key.place)
    }
    let isDrift = record.facts.sources == key.facts.sources
    add(
      .key(id, .replace(write)), because: index == nil ? .byHand : isDrift ? .sourceChanged : .manifest,
      on: Precondition(revision: record.revision, source: fingerprint), after: surfaces(of: key))
    states.write(id, key, fingerprint)
  }

  /// Records facts that changed, and which source has the value; the value stays.
  mutating func planUpdate(
    _ id: Identifier<Key>, _ key: Key, _ record: KeyRecord, from index: Int? = nil
  ) {
    let movedOn = index.map { key.facts.source(at: $0) != record.version.origin } ?? false
    let issued = observed.issued[id].flatMap { record.gains($0) ? $0 : nil }
    let date = observed.dates[id].flatMap { $0 == record.issuedAt(under: key.facts) ? nil : $0 }
    guard record.facts != key.facts || movedOn || issued != nil || date != nil else { return }
    let isDrift = record.facts == key.facts
    add(
      .key(id, .update(KeyWrite(facts: key.facts, source: index, issued: issued, issuedAt: date))),
      because: issued != nil || date != nil ? .byHand : isDrift ? .sourceChanged : .manifest,
      on: Precondition(revision: record.revision, source: movedOn ? record.version.fingerprint : nil),
      after: surfaces(of: key))
  }

  /// The value is known at apply only: the source may be read once its surface is allowed, or not from an untrusted checkout.
  private mutating func planUnknown(_ id: Identifier<Key>, _ key: Key, from index: Int?, content: String? = nil) {
    let isChecked = observed.checkable.contains(id)
    let write = KeyWrite(
      key.facts,
      index.map { .source($0, isChecked: isChecked, issued: nil) } ?? .firstSource(isChecked: isChecked))
    let record = recorded.keys[id]
    add(
      .key(id, record == nil ? .store(write) : .replace(write)), because: .manifest,
      on: Precondition(revision: record?.revision, content: content), after: surfaces(of: key))
    // The value may turn out to be the recorded one: until that is known a key that is out of use stays so.
    states.write(
      id, key, from: record?.birth(under: key.facts), nil, retiredAt: record?.retiredAt, revocation: record?.revocation,
      check: record?.version.check)
  }

  /// The recorded value stays: planning does not run files of an untrusted checkout.
  private mutating func planNotAsked(_ id: Identifier<Key>, _ key: Key, _ index: Int) {
    guard let record = recorded.keys[id] else { return planUnknown(id, key, from: index) }
    report(.key(id, .sourceNotRun(origin(key, index))), at: key.place)
    planUpdate(id, key, record)
  }

  private mutating func planMissing(_ id: Identifier<Key>, _ key: Key) {
    if let record = recorded.keys[id] {
      // If every source is local to a machine, a missing value means nothing: it may be on another one.
      if !key.sources.allSatisfy(\.isLocal) { report(.key(id, .sourceMissing(key.sources)), at: key.place) }
      return planUpdate(id, key, record)
    }
    report(.key(id, .notFound(at: key.sources, reason: observed.absences[id])), at: key.place)
  }

  /// Plans a key without a source and without a new value set by hand: the store is the authority. A recorded value is not compared with the
  /// declared form, so that neither a new format nor another kind of source replaces a value in use.
  private mutating func planUnasked(_ id: Identifier<Key>, _ key: Key) {
    if let minting = key.minting { return planMinted(minting, for: id, key, recorded.keys[id]) }
    if let record = recorded.keys[id] {
      if let value = key.generated, record.revocation != nil,
        record.version.origin.flatMap(GeneratedValue.form(in:)) != nil
      {
        return generate(value, for: id, key, record, because: .revocation)
      }
      guard let value = key.generated, let end = key.rotationEnd(of: record), now >= end else {
        return planUpdate(id, key, record)
      }
      guard record.version.origin.flatMap(GeneratedValue.form(in:)) != nil else {
        report(.key(id, .rotationHeld(expiredOn: end)), at: key.place)
        return planUpdate(id, key, record)
      }
      return generate(value, for: id, key, record, because: .expiry)
    }
    if let value = key.generated { return generate(value, for: id, key, nil, because: .manifest) }
    if let adoption = context.adoptions[id], adopt(adoption, key) { return }
    report(.key(id, .noValue), at: key.place)
  }

  /// The value exists only after the apply has generated it, so the plan contains nothing of it.
  private mutating func generate(
    _ value: GeneratedValue, for id: Identifier<Key>, _ key: Key, _ record: KeyRecord?, because cause: Cause
  ) {
    let write = KeyWrite(key.facts, .generated(value))
    add(
      .key(id, record == nil ? .store(write) : .replace(write)), because: cause,
      on: Precondition(revision: record?.revision), after: surfaces(of: key))
    states.write(id, key, .ofNewValue)
  }

  func surfaces(of key: Key) -> [Address] { manifest.surface(of: key).map(Address.surface) }

  /// Nil for a value that was set by hand.
  private func origin(_ key: Key, _ index: Int?) -> Reference? {
    index.flatMap { key.sources.indices.contains($0) ? key.sources[$0] : nil }
  }

  private mutating func reportFormat(_ id: Identifier<Key>, _ key: Key) {
    report(.key(id, .unexpectedFormat(provider: key.facts.provider)), at: key.place)
  }

  private mutating func reportDoubt(_ id: Identifier<Key>, _ key: Key, from index: Int?) {
    guard let doubt = observed.doubts[id] else { return }
    report(.key(id, .doubtful(at: origin(key, index), doubt)), at: key.place)
  }

  private mutating func reportSource(
    _ failure: AccessFailure, _ index: Int, _ id: Identifier<Key>, _ key: Key
  ) {
    let issue = KeyIssue.sourceFailed(origin(key, index), failure, recorded: recorded.keys[id] != nil)
    report(.key(id, issue), at: key.place)
  }

  /// Adopts the value for a key that has none yet. False if there is nothing to report.
  private mutating func adopt(_ migration: Migration, _ key: Key) -> Bool {
    guard let reference = migration.original, let id = migration.key, let finding = observed.originals[id] else {
      return false
    }
    let fingerprint: Fingerprint?
    switch finding {
    case .value(let found, _, let looksRight), .given(let found, let looksRight):
      fingerprint = found
      if let revocation = recorded.revocation(of: found, for: id) {
        report(.key(id, .revokedValue(at: reference, revocation)), at: migration.place)
        return true
      }
      if !looksRight { reportFormat(id, key) }
    case .notAllowed, .deferred, .contentChanged, .notAskedHere, .wanted: fingerprint = nil
    case .missing:
      report(.key(id, .nothingToAdopt(at: reference)), at: migration.place)
      return true
    case .failed(_, let failure):
      report(.key(id, .sourceFailed(reference, failure, recorded: nil)), at: migration.place)
      return true
    }
    add(
      .key(id, .adopt(KeyWrite(facts: key.facts, source: nil), from: reference.description)), because: .migration,
      on: Precondition(source: fingerprint), after: manifest.surface(of: reference).map(Address.surface))
    states.write(id, key, fingerprint)
    return true
  }
}
