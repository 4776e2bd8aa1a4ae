internal import KeyplanModel

/// The state of a key after the plan is applied.
struct PlannedKeyState {
  /// Whether there is a value, recorded or about to be.
  let hasValue: Bool
  /// The fingerprint of that value; nil while it is known at apply only.
  let fingerprint: Fingerprint?
  let isWritten: Bool
  /// Whether it may be served.
  let serving: Serving

  /// Whether it was retired before and stays so.
  var isRetired: Bool { if case .retired = serving { true } else { false } }
  /// Whether its value is revoked.
  var isRevoked: Bool { if case .revoked = serving { true } else { false } }
  /// Whether readers never get it, whatever else is usable.
  var isOutOfUse: Bool { isRetired || isRevoked }
  /// Whether it has expired under a policy that retires.
  var isOver: Bool { if case .pastItsEnd = serving { true } else { false } }
  /// Whether its provider does not accept it.
  var isRefusedByProvider: Bool { if case .refusedByProvider = serving { true } else { false } }
  /// Whether a slot may choose it.
  var isUsable: Bool { hasValue && serving == .asUsual }
}

/// The state of each declared key after the plan is applied.
struct PlannedKeyStates {
  private let context: PlanningContext
  /// The keys that this plan writes. The others keep their recorded state.
  private var written: [Identifier<Key>: PlannedKeyState] = [:]

  init(_ context: PlanningContext) { self.context = context }

  /// Nil for a key without a record that gets none.
  subscript(id: Identifier<Key>) -> PlannedKeyState? {
    if let state = written[id] { return state }
    guard let key = context.manifest.keys[id], let record = context.recorded.keys[id] else { return nil }
    return PlannedKeyState(
      hasValue: true, fingerprint: record.version.fingerprint, isWritten: false,
      serving: record.serving(under: key.facts, at: context.now))
  }

  /// Records that the plan writes a value of a key.
  /// - Parameters:
  ///   - birth: the start of its age; nil for that of a new value.
  ///   - fingerprint: nil if the value is known at apply only.
  mutating func write(
    _ id: Identifier<Key>, _ key: Key, from birth: Moment? = nil, _ fingerprint: Fingerprint?, retiredAt: Moment? = nil,
    revocation: Revocation? = nil, check: KeyCheck? = nil
  ) {
    written[id] = PlannedKeyState(
      hasValue: true, fingerprint: fingerprint, isWritten: true,
      serving: key.facts.serving(
        from: birth ?? newBirth(of: id, key.facts, fingerprint), retiredAt: retiredAt, revocation: revocation,
        check: check, at: context.now))
  }

  /// Records that the plan makes a value of those of other keys, whose states are known.
  mutating func compose(_ id: Identifier<Key>, _ key: Key, _ fingerprint: Fingerprint?, of parts: [Identifier<Key>]) {
    // The value may turn out to be the recorded one.
    let record = fingerprint == nil ? context.recorded.keys[id] : nil
    let own = key.facts.serving(
      from: record?.birth(under: key.facts) ?? newBirth(of: id, key.facts, fingerprint), retiredAt: record?.retiredAt,
      revocation: record?.revoked.first { $0.fingerprint == record?.version.fingerprint }, at: context.now)
    let inherited = parts.compactMap { part in self[part]?.serving.inherited(from: part) }
    written[id] = PlannedKeyState(
      hasValue: true, fingerprint: fingerprint, isWritten: true, serving: .worst(of: [own] + inherited))
  }

  /// Reverts `write`.
  mutating func unwrite(_ id: Identifier<Key>) { written[id] = nil }

  /// The start of a key's age once the plan is applied, or of the oldest value that its value is made of.
  func oldestBirth(of id: Identifier<Key>, _ facts: KeyFacts) -> Moment {
    var oldest = birth(of: id, facts)
    var open = context.manifest.keys[id]?.composition?.parts ?? []
    var seen: Set<Identifier<Key>> = []
    while let part = open.popLast() {
      guard seen.insert(part).inserted, let key = context.manifest.keys[part] else { continue }
      oldest = min(oldest, birth(of: part, key.facts))
      open += key.composition?.parts ?? []
    }
    return oldest
  }

  /// The start of a key's age once the plan is applied.
  func birth(of id: Identifier<Key>, _ facts: KeyFacts) -> Moment {
    if let written = written[id] { return newBirth(of: id, facts, written.fingerprint) }
    return context.recorded.keys[id]?.birth(under: facts) ?? facts.issued ?? context.now
  }

  private func newBirth(of id: Identifier<Key>, _ facts: KeyFacts, _ fingerprint: Fingerprint?) -> Moment {
    context.observed.dates[id] ?? KeyRecord.issuedAt(of: fingerprint, facts, over: context.recorded.keys[id])
      ?? context.now
  }
}
