internal import KeyplanModel

/// Disables and revokes unused keys at their providers: keys that were replaced, and keys that were removed from the manifest.
struct IssuedStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  /// Undeclared keys whose records must be kept until they are revoked at their providers.
  private(set) var held: Set<Identifier<Key>> = []
  private let states: PlannedKeyStates
  /// The targets at which this plan writes or withdraws something.
  private let changed: Set<Identifier<Target>>
  private lazy var uses = KeyUses(recorded, manifest)

  init(
    _ context: PlanningContext, _ moves: MoveStage, _ keys: KeyStage, _ retirements: RetirementStage,
    _ targets: TargetStage
  ) {
    self.context = context
    states = retirements.states
    changed = Set(
      targets.decisions.steps.compactMap { step in if case .target(let id) = step.address { id } else { nil } })
    reportOpenMints()
    for id in keys.issuing.sorted() {
      guard let record = recorded.keys[id] else { continue }
      plan(id, record, manifest.keys[id])
      renew(id, record)
    }
    guard keys.recordedCount < recorded.keys.count else { return }
    for (id, record) in recorded.undeclared(in: manifest)
    where !record.issued.isEmpty && moves.held.isDisjoint(with: context.wholes.parts(of: id)) {
      plan(id, record, context.wholes.parts(of: id).compactMap { context.manifest.keys[$0] }.first)
    }
  }

  /// Reports requests whose answer was lost and that no step of this plan cleans up, and keys that appeared meanwhile.
  private mutating func reportOpenMints() {
    guard !recorded.mints.isEmpty else { return }
    let mintings = manifest.keys.values.compactMap(\.minting)
    let made = Set(mintings.map(\.key))
    // Their steps clean up themselves.
    var making: Set<Identifier<Key>> = []
    for minting in mintings where minting.manual == nil && recorded.mints[minting.key] != nil {
      if case .mint = context.decision(on: minting) { making.insert(minting.key) }
    }
    for (id, attempt) in recorded.mints.inOrder {
      if !attempt.unexplained.isEmpty {
        report(.key(id, .mintUnexplained(attempt.unexplained, at: attempt.place.brief)))
      } else if attempt.isOpen, !made.contains(id) {
        report(.key(id, .mintLeft(label: attempt.label, at: attempt.place.brief)))
      }
      if let due = attempt.lateDue, now >= due, !making.contains(id) { settle(id, attempt) }
    }
  }

  /// Looks once more for the keys of requests without an answer.
  private mutating func settle(_ id: Identifier<Key>, _ attempt: MintAttempt) {
    guard canEnd(at: attempt.place) else {
      return report(.key(id, .mintLeft(label: attempt.label, at: attempt.place.brief)))
    }
    add(
      .outside(.settle(id, LateKeys(place: attempt.place, labels: attempt.late))), because: .interrupted,
      on: Precondition(revision: recorded.revision(of: .key(id)) ?? nil),
      after: manifest.surface(at: attempt.place).map(Address.surface))
  }

  /// Extends the lifetime of the key in use, unless a plan replaces it.
  private mutating func renew(_ id: Identifier<Key>, _ record: KeyRecord) {
    guard let issued = record.issuedKey, let due = issued.refreshDue, now >= due, context.canRenew(issued),
      states[id]?.isWritten != true, !unsupported.contains(.key(id))
    else { return }
    let surfaces = manifest.surface(at: issued.place).map(Address.surface)
    add(
      .outside(.renew(id, IssuedKeys([issued]))), because: .expiry, on: Precondition(revision: record.revision),
      after: surfaces)
  }

  /// - Parameters:
  ///   - id: the part with whose record the keys at the provider are recorded.
  ///   - key: one of its parts; nil if none is declared. Then all its keys at the provider are revoked.
  private mutating func plan(_ id: Identifier<Key>, _ record: KeyRecord, _ key: Key?) {
    let parts = context.wholes.parts(of: id)
    let kept = kept(of: parts, key)
    let replaced = record.issued.filter { !kept.contains($0.version) }
    guard !replaced.isEmpty, !parts.contains(where: { unsupported.contains(.key($0)) }) else { return }
    let (endable, left) = replaced.divided { canEnd(at: $0.place) }
    if !left.isEmpty { wait(id, .replacedKeyLeft(left.map(\.id), at: left[0].place.brief)) }
    guard !endable.isEmpty else { return }
    let users = users(of: parts)
    if let user = users.first(where: { !changed.contains($0) }) {
      return wait(id, .replacedKeyInUse(endable.map(\.id), at: user))
    }
    let (due, early) = endable.divided { key == nil || now >= end(of: $0, id, record, parts, users) }
    if !early.isEmpty {
      wait(id, .replacedKeyWaits(early.map(\.id), until: end(of: early[0], id, record, parts, users)))
    }
    addEnds(of: due, id, record, parts, after: users)
  }

  private mutating func addEnds(
    of due: [IssuedKey], _ id: Identifier<Key>, _ record: KeyRecord, _ parts: [Identifier<Key>],
    after users: [Identifier<Target>]
  ) {
    guard !due.isEmpty else { return }
    let slots = Set(parts.flatMap { uses.slots[$0, default: []] }).sorted()
    let surfaces = Set(due.flatMap { manifest.surface(at: $0.place) }).sorted().map(Address.surface)
    let made = manifest.composed(of: parts).sorted()
    let after = (parts + made).map(Address.key) + slots.map(Address.slot) + users.map(Address.target) + surfaces
    let cause: Cause = parts.contains { manifest.keys[$0] != nil } ? .follows : .manifest
    let usable = due.filter { $0.disabledAt == nil && manifest.connection(named: $0.place.type)?.canDisable == true }
    if !usable.isEmpty {
      add(
        .outside(.disable(id, IssuedKeys(usable))), because: cause, on: Precondition(revision: record.revision),
        after: after)
    }
    add(.outside(.end(id, IssuedKeys(due))), because: cause, on: Precondition(revision: record.revision), after: after)
  }

  private mutating func wait(_ id: Identifier<Key>, _ issue: KeyIssue) {
    if manifest.keys[id] == nil { held.insert(id) }
    report(.key(id, issue), at: manifest.keys[id]?.place)
  }

  /// The versions whose keys are in use once the plan is applied, or will be: as long as one part has a value of theirs.
  private mutating func kept(of parts: [Identifier<Key>], _ key: Key?) -> Set<Int64> {
    guard let key else { return [] }
    // A value that is made of one, and stays, needs it.
    var kept: Set<Int64> = []
    for (id, numbers) in uses.values(madeOf: parts)
    where manifest.keys[id] != nil && states[id]?.isWritten != true && states[id]?.isOutOfUse != true {
      kept.formUnion(numbers)
    }
    if let minting = key.minting {
      switch context.decision(on: minting) {
      case .mint where minting.manual == nil: return kept
      case .use: return kept.union(parts.compactMap { recorded.keys[$0]?.pending?.number })
      case .mint, .keep: break
      }
    }
    for part in parts where manifest.keys[part] != nil {
      guard let record = recorded.keys[part] else { continue }
      if let state = states[part], state.isWritten, state.fingerprint != record.version.fingerprint {
        // A value that is set by hand.
        if let given = state.fingerprint { kept.formUnion(record.versions(with: given)) }
        continue
      }
      kept.formUnion(record.versions(with: record.version.fingerprint))
      if let pending = record.pending { kept.insert(pending.number) }
    }
    return kept
  }

  /// The targets that have a value of one of the parts other than the one that it will have.
  private mutating func users(of parts: [Identifier<Key>]) -> [Identifier<Target>] {
    var users: Set<Identifier<Target>> = []
    for part in parts + uses.values(madeOf: parts).keys {
      let next = states[part]?.fingerprint
      users.formUnion(uses.synced[part, default: []].filter { $0.fingerprint != next }.map(\.target))
      users.formUnion(uses.attempts[part, default: []])
    }
    return users.sorted()
  }

  /// The time at which a replaced key is revoked: after the overlap, in which programs may still use it. A leaked or unused key is revoked
  /// immediately.
  private mutating func end(
    of issued: IssuedKey, _ id: Identifier<Key>, _ record: KeyRecord, _ parts: [Identifier<Key>],
    _ users: [Identifier<Target>]
  ) -> Moment {
    let records = parts.compactMap { recorded.keys[$0] }
    if records.contains(where: { $0.revoked.contains { $0.version == issued.version } }) { return now }
    if issued.version == record.pending?.number { return now }
    if observed.leases[id] == .ended, issued.version == record.version.number { return now }
    let expiry = (manifest.keys[id]?.facts ?? record.facts).expiry
    let overlap = expiry?.overlap ?? Expiry.defaultOverlap
    // A target that gets the new value with this plan has the overlap before it.
    guard users.isEmpty, !records.contains(where: { $0.version.number == issued.version }),
      !parts.contains(where: { states[$0]?.isWritten == true })
    else { return now + overlap }
    let made = Array(manifest.composed(of: parts))
    let replaced = records.map(\.version.storedAt) + (parts + made).flatMap { uses.synced[$0, default: []].map(\.at) }
    return replaced.reduce(record.version.storedAt, max) + overlap
  }

  private func canEnd(at place: Destination) -> Bool {
    guard let connection = manifest.connection(named: place.type) else { return false }
    return connection.canRevoke && connection.leads(to: place)
  }
}

/// The users of each key. Made once, because every replaced key looks up its own.
private struct KeyUses {
  struct Synced {
    let target: Identifier<Target>
    let fingerprint: Fingerprint
    let at: Moment
  }

  private(set) var synced: [Identifier<Key>: [Synced]] = [:]
  /// The targets with an interrupted write.
  private(set) var attempts: [Identifier<Key>: [Identifier<Target>]] = [:]
  /// The slots that can choose the key.
  private(set) var slots: [Identifier<Key>: [Identifier<Slot>]] = [:]
  private let composed: [Identifier<Key>: KeyRecord]
  private let values: PartsOfValues

  init(_ recorded: Recorded, _ manifest: Manifest) {
    for (id, target) in recorded.targets {
      for entry in target.entries.values {
        synced[entry.key, default: []].append(Synced(target: id, fingerprint: entry.fingerprint, at: entry.syncedAt))
      }
    }
    for (id, attempt) in recorded.attempts {
      for key in Set(attempt.names.values) { attempts[key, default: []].append(id) }
    }
    for (id, slot) in manifest.slots { for key in Set(slot.candidates) { slots[key, default: []].append(id) } }
    composed = recorded.keys.filter { $0.value.hasParts }
    values = PartsOfValues(recorded.keys, recorded.forgotten)
  }

  /// The composed keys whose current value is made of one of these keys, each with the numbers of the versions.
  func values(madeOf keys: [Identifier<Key>]) -> [Identifier<Key>: Set<Int64>] {
    composed.mapValues { record in
      Set(values.contents(of: record.version).filter { keys.contains($0.key) }.map(\.number))
    }.filter { !$0.value.isEmpty }
  }
}

extension IssuedKeys {
  fileprivate init(_ keys: [IssuedKey]) { self.init(keys: keys.map(\.reference)) }
}

extension Array {
  /// The elements that satisfy `isFirst`, and the others, in their order.
  fileprivate func divided(by isFirst: (Element) -> Bool) -> (first: [Element], others: [Element]) {
    (filter(isFirst), filter { !isFirst($0) })
  }
}
