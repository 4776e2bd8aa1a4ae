extension Finding {
  /// What changed behind keyplan's back or ends by itself: recorded against found, and never a pending change of the manifest.
  ///
  /// Pure and total, as planning is. What could not be asked is a diagnostic, not a finding.
  public static func drift(
    of manifest: Manifest, in observed: Observation, at now: Moment
  ) -> (findings: [Finding], diagnostics: [Diagnostic]) {
    var seen = observed
    // Nothing is going to be written.
    seen.writeBlockers = [:]
    let (plan, diagnostics) = Plan.reconciling(manifest, with: seen, at: now)
    let recorded = observed.recorded.moving(manifest.moves(in: observed.recorded))
    var findings = targets(recorded, observed)
    findings += exposures(manifest, recorded, observed)
    findings += accounts(manifest, recorded, observed, plan, at: now)
    findings += plan.steps.compactMap { originalLeft($0, recorded) }
    for (address, since) in recorded.interrupted where !isRefreshing(address, recorded) {
      findings.append(Finding(.interrupted, at: address, level: .pending, since: since))
    }
    for step in plan.steps where step.cause == .sourceChanged {
      guard case .key(let id) = step.address, case .replace(let write) = step.effect else { continue }
      let since = recorded.keys[id]?.version.storedAt
      findings.append(
        Finding(.sourceChanged, at: step.address, level: .pending, since: since, detail: write.origin))
    }
    // It is not planned, because it would come in past its end; it is another value all the same.
    for case .key(let id) in diagnostics.lazy.filter({ $0.code == .pastItsEnd }).compactMap(\.address) {
      guard let record = recorded.keys[id], let source = manifest.keys[id]?.sources.first else { continue }
      findings.append(
        Finding(
          .sourceChanged, at: .key(id), level: .pending, since: record.version.storedAt, detail: source.description))
    }
    for case .slot(let id) in diagnostics.lazy.filter({ $0.code == .noUsableKey }).compactMap(\.address) {
      guard let key = recorded.slots[id]?.key, let since = recorded.keys[key]?.retiredAt else { continue }
      findings.append(
        Finding(.slotWithoutKey, at: .slot(id), level: .broken, since: since, detail: "\"\(key)\" is retired"))
    }
    for diagnostic in diagnostics {
      guard case .key(let id) = diagnostic.address, let record = recorded.keys[id], let key = manifest.keys[id]
      else { continue }
      let kind: (Kind, Level)? =
        switch diagnostic.code {
        case .sourceMissing where record.facts.sources == key.facts.sources: (.sourceMissing, .pending)
        case .valueRejected where record.facts.sources == key.facts.sources: (.valueRejected, .pending)
        case .expired where isSamePolicy(record, key): (.expired, .pending)
        case .expiresSoon where isSamePolicy(record, key): (.expiresSoon, .soon)
        case .lastKeyKept where isSamePolicy(record, key): (.lastKeyKept, .pending)
        default: nil
        }
      guard let (kind, level) = kind else { continue }
      findings.append(
        Finding(
          kind, at: .key(id), level: level, since: end(of: key, record, now),
          detail: diagnostic.detail))
    }
    for step in plan.steps where step.cause == .expiry {
      guard case .retire = step.effect, case .key(let id) = step.address, let record = recorded.keys[id],
        let key = manifest.keys[id], isSamePolicy(record, key)
      else { continue }
      let detail = "It is retired by the next apply."
      let since = end(of: key, record, now)
      findings.append(Finding(.expired, at: step.address, level: .pending, since: since, detail: detail))
    }
    let told =
      diagnostics.filter { isAboutAsking($0.code) || isMissingCredential($0) } + notAsked(manifest, observed, at: now)
    return (findings.sorted(), told.sorted())
  }

  /// An original that an apply had the value of, and did not come to removing. One that nothing was adopted from yet is a
  /// pending change.
  private static func originalLeft(_ step: Step, _ recorded: Recorded) -> Finding? {
    guard case .remove(let successor, let origin) = step.effect, step.cause != .interrupted else { return nil }
    let since: Moment?
    switch successor {
    case .key(let id):
      guard let version = recorded.keys[id]?.version, version.origin == origin else { return nil }
      since = version.storedAt
    case .account(let id):
      guard let signIn = recorded.accounts[id]?.signIn, signIn.adopted != nil else { return nil }
      since = signIn.signedInAt
    }
    return Finding(.originalLeft, at: step.address, level: .pending, since: since, detail: origin)
  }

  /// Whether a key's end is where it was when it was last applied, and no pending change of the manifest.
  private static func isSamePolicy(_ record: KeyRecord, _ key: Key) -> Bool {
    record.facts.expiry == key.facts.expiry && record.facts.issued == key.facts.issued
  }

  /// When a key came to its end; nil while it has not.
  private static func end(of key: Key, _ record: KeyRecord, _ now: Moment) -> Moment? {
    let start = PlanBuilder.birth(of: key.facts, storedAt: record.version.storedAt)
    guard case .over(let end) = key.facts.expiry?.state(from: start, at: now) else { return nil }
    return end
  }

  private static func targets(_ recorded: Recorded, _ observed: Observation) -> [Finding] {
    recorded.targets.flatMap { id, record -> [Finding] in
      let found: [String: FoundEntry]
      switch observed.targets[record.destination] {
      case .entries(let entries): found = entries
      case .marks(let marks): return rewritten(id, record, marks)
      default: return []
      }
      return record.entries.compactMap { name, entry in
        let kind: Kind
        if let value = found[name] {
          guard !value.holds(entry.fingerprint, of: entry.key) else { return nil }
          kind = .targetChanged
        } else {
          kind = .targetMissing
        }
        let place = record.destination.location
        return Finding(kind, at: .entry(id, name: name), level: .broken, since: entry.syncedAt, detail: place)
      }
    }
  }

  /// What shows at a place whose values cannot be read. What was accepted there is not keyplan's any more.
  private static func rewritten(
    _ id: Identifier<Target>, _ record: TargetRecord, _ marks: [String: Mark?]
  ) -> [Finding] {
    record.entries.compactMap { name, entry in
      guard entry.kept == nil else { return nil }
      let kind: Kind
      if let mark = marks[name] {
        guard !entry.isOurs(marked: mark) else { return nil }
        kind = .targetRewritten
      } else {
        kind = .targetMissing
      }
      return Finding(
        kind, at: .entry(id, name: name), level: .broken, since: entry.syncedAt, detail: record.destination.location)
    }
  }

  /// Files that keyplan wrote values to, and that let in more than the owner and whom the manifest names.
  private static func exposures(_ manifest: Manifest, _ recorded: Recorded, _ observed: Observation) -> [Finding] {
    recorded.targets.compactMap { id, record in
      guard !record.entries.isEmpty, let mode = observed.modes[record.destination],
        mode.isOpen(beyond: manifest.targets[id]?.mode)
      else { return nil }
      return Finding(.targetExposed, at: .target(id), level: .soon, since: nil, detail: record.destination.location)
    }
  }

  /// Whether what a service is asked with could not be had, so that nothing is known of the account.
  private static func isMissingCredential(_ diagnostic: Diagnostic) -> Bool {
    guard case .calendar = diagnostic.address else { return false }
    return diagnostic.code == .secretNotFound
  }

  private static func isAboutAsking(_ code: Diagnostic.Code) -> Bool {
    switch code {
    case .sourceUnreachable, .sourceUnreadable, .targetUnreachable, .targetUnreadable, .targetWriteOnly,
      .accountUnreachable, .accountNotAllowed:
      true
    default: false
    }
  }
}
