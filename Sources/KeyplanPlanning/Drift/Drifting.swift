package import KeyplanModel

extension Finding {
  /// Changes made outside of keyplan, values that did not arrive at their target, and upcoming expirations.
  ///
  /// Pure and total, as planning is. A place that could not be queried is a diagnostic, not a finding.
  package static func drift(of manifest: Manifest, in observed: Observation, at now: Moment) -> Drift {
    var seen = observed
    // First without obstacles, which would hide the writes that they prevent.
    seen.writeBlockers = [:]
    let context = PlanningContext(manifest: manifest, observed: seen, allowances: Allowances(), now: now)
    let (plan, diagnostics) = Plan.reconciling(context)
    let obstacles = observed.writeBlockers.isEmpty ? [] : self.obstacles(manifest, observed, at: now)
    let recorded = observed.recorded.moving(manifest.moves(in: observed.recorded))
    let standings = TargetStandings(context, plan)
    let written = plan.writtenNames
    var findings = standings.rows.compactMap { row in
      row.finding(recorded, isReplaced: written.contains(.entry(row.target, name: row.name)))
    }
    findings += retirements(diagnostics, manifest, recorded, at: now)
    findings += unrecordedWrites(standings, recorded)
    findings += exposures(manifest, recorded, observed)
    findings += accounts(manifest, recorded, observed, plan, at: now)
    findings += plan.steps.compactMap { originalLeft($0, recorded) }
    for (address, since) in recorded.interrupted where !isRefreshing(address, recorded) {
      findings.append(Finding(.interrupted, at: address, level: .pending, since: since))
    }
    findings += issued(manifest, recorded, plan)
    findings += failures(recorded, plan)
    for (id, since) in recorded.dueHooks {
      guard let hook = manifest.hooks[id] else { continue }
      findings.append(Finding(.commandDue(TargetHook(hook)), at: .target(id), level: .pending, since: since))
    }
    for step in plan.steps where step.cause == .sourceChanged {
      guard case .store(.key(let id, .replace(let write))) = step.effect else { continue }
      let since = recorded.keys[id]?.version.storedAt
      findings.append(Finding(.sourceChanged(write.origin), at: step.address, level: .pending, since: since))
    }
    findings += behindParts(plan, recorded)
    for diagnostic in diagnostics {
      switch diagnostic.issue {
      case .key(let id, .revoked(let revocation)):
        let level: Level = recorded.isInUse(id) ? .broken : .pending
        findings.append(Finding(.revoked(revocation), at: .key(id), level: level, since: revocation.at))
      case .key(let id, .refusedByProvider(let check)):
        let level: Level = recorded.isInUse(id) ? .broken : .pending
        findings.append(Finding(.refusedByProvider(check), at: .key(id), level: level, since: check.at))
      case .key(let id, .noCredit(let check)):
        findings.append(Finding(.noCredit(check), at: .key(id), level: .pending, since: check.at))
      // While an apply is running, it may have replaced this one.
      case .key(let id, .leaseEnded(let place)) where observed.running == nil:
        let isUsed = (manifest.keys[id]?.minting?.parts ?? []).contains { recorded.isInUse($0.key) }
        findings.append(Finding(.leaseEnded(at: place), at: .key(id), level: isUsed ? .broken : .pending, since: nil))
      case .key(let id, .partsDiffer(let whole, let versions)):
        let since = versions.compactMap { recorded.keys[$0.key]?.version.storedAt }.max()
        findings.append(Finding(.partsDiffer(whole, versions), at: .key(id), level: .broken, since: since))
      case .key(_, .exposed(let value)), .account(_, .exposed(let value)):
        guard let address = diagnostic.address else { continue }
        findings.append(
          Finding(.valueExposed(value), at: address, level: value.isLate ? .broken : .soon, since: value.since))
      case .key(let id, let issue):
        guard let record = recorded.keys[id], let key = manifest.keys[id],
          let (fact, level) = fact(of: issue, key, record)
        else { continue }
        let since: Moment?
        switch fact {
        case .sourceChanged, .issuedOutdated, .unexpectedFormat: since = record.version.storedAt
        default: since = end(of: key, record, now)
        }
        findings.append(Finding(fact, at: .key(id), level: level, since: since))
      case .slot(let id, .noUsableKey):
        guard let key = recorded.slots[id]?.key, let record = recorded.keys[key],
          let since = record.revocation?.at ?? record.retiredAt
        else { continue }
        let fact = FindingFact.slotWithoutKey(key, isRevoked: record.revocation != nil)
        findings.append(Finding(fact, at: .slot(id), level: .broken, since: since))
      default: continue
      }
    }
    for step in plan.steps where step.cause == .expiry {
      guard case .key(let id) = step.address, let record = recorded.keys[id], let key = manifest.keys[id],
        isSamePolicy(record, key)
      else { continue }
      let end = end(of: key, record, now)
      let fact: FindingFact
      switch step.effect {
      case .store(.key(_, .retire)): fact = .retiredNext
      case .store(.key(_, .replace)): fact = .rotationDue
      // It waits for a person, not for an apply.
      case .person(.issue): fact = .expired(on: end ?? now)
      default: continue
      }
      findings.append(Finding(fact, at: step.address, level: .pending, since: end))
    }
    if observed.running != nil { findings.removeAll { $0.kind.isOfRunningApply } }
    // A name that could not be read is both unknown and an obstacle.
    let unread = diagnostics.filter(\.leavesUnknown)
    let known = Set(unread)
    let unknown = unread + obstacles.filter { !known.contains($0) } + notAsked(manifest, observed, at: now)
    return Drift(
      findings: findings.map { manifest.marking($0, in: recorded, at: now) }.sorted(), diagnostics: unknown.sorted(),
      left: LookedAt(standings, observed, manifest, plan, diagnostics + obstacles))
  }

  /// Retired keys that targets name: these have no value until there is another one.
  private static func retirements(
    _ diagnostics: [Diagnostic], _ manifest: Manifest, _ recorded: Recorded, at now: Moment
  ) -> [Finding] {
    let ids = diagnostics.compactMap { diagnostic -> Identifier<Key>? in
      guard case .target(_, .retiredKey(let id)) = diagnostic.issue else { return nil }
      return id
    }
    return Set(ids).sorted().compactMap { id in
      guard let key = manifest.keys[id], let record = recorded.keys[id],
        case .retired(let since, _) = record.serving(under: key.facts, at: now)
      else { return nil }
      return Finding(
        .retired(since: since), at: .key(id), level: recorded.isInUse(id) ? .broken : .pending, since: since)
    }
  }

  /// Composed values whose parts have got other values since. One whose part this plan replaces is found with that part.
  private static func behindParts(_ plan: Plan, _ recorded: Recorded) -> [Finding] {
    plan.steps.compactMap { step in
      guard step.cause == .follows, case .store(.key(let id, .replace(let write))) = step.effect,
        let composition = write.composition, let record = recorded.keys[id]
      else { return nil }
      let changed = composition.parts.filter { part in
        recorded.keys[part].map { known in
          !record.version.parts.contains { $0.key == part && $0.isSame(as: known.version) }
        } ?? false
      }
      guard !changed.isEmpty else { return nil }
      return Finding(
        .partsChanged(changed), at: .key(id), level: .pending,
        since: changed.compactMap { recorded.keys[$0]?.version.storedAt }.max())
    }
  }

  /// The errors and warnings of a plan about writes that cannot be made.
  private static func obstacles(_ manifest: Manifest, _ observed: Observation, at now: Moment) -> [Diagnostic] {
    Plan.reconciling(manifest, with: observed, at: now).diagnostics.filter(\.preventsWrite)
  }

  /// Keys at providers that wait for an apply, and not because of a change of the manifest.
  private static func issued(_ manifest: Manifest, _ recorded: Recorded, _ plan: Plan) -> [Finding] {
    var findings = recorded.mints.filter(\.value.isOpen).map { id, attempt in
      Finding(.mintLost(attempt), at: .key(id), level: .pending, since: attempt.began)
    }
    for step in plan.steps {
      switch step.effect {
      case .outside(.end(let id, let keys)) where step.cause == .follows:
        // This plan replaces the current key. Its reason is a finding of its own.
        let current = recorded.keys[id]?.issuedKey?.reference
        let replaced = keys.keys.filter { $0 != current }
        guard !replaced.isEmpty else { continue }
        findings.append(
          Finding(.replacedKeyValid(IssuedKeys(keys: replaced)), at: step.address, level: .pending, since: nil))
      case .outside(.settle(let id, _)):
        guard let attempt = recorded.mints[id] else { continue }
        findings.append(Finding(.mintLost(attempt), at: step.address, level: .pending, since: attempt.began))
      case .outside(.renew(let id, _)):
        guard let end = recorded.keys[id]?.issuedKey?.expires else { continue }
        findings.append(Finding(.renewalDue(end: end), at: step.address, level: .soon, since: nil))
      default: continue
      }
    }
    return findings
  }

  /// Steps that failed and are planned again. The findings about names at targets contain the failure, and a service's refusal is a finding
  /// of its own.
  private static func failures(_ recorded: Recorded, _ plan: Plan) -> [Finding] {
    guard !recorded.failures.isEmpty else { return [] }
    var findings: [Address: Finding] = [:]
    for step in plan.steps {
      guard step.effect.recordsFailure, let failure = recorded.failures[step.address] else { continue }
      switch step.address {
      case .target, .entry: continue
      case .calendar(let id) where recorded.accounts[id]?.refusal != nil: continue
      default:
        findings[step.address] = Finding(.stepFailed(failure), at: step.address, level: .pending, since: failure.since)
      }
    }
    return Array(findings.values)
  }

  /// The drift that a planning issue shows. A change of the manifest is a pending change, not drift.
  private static func fact(
    of issue: KeyIssue, _ key: Key, _ record: KeyRecord
  ) -> (FindingFact, Level)? {
    switch issue {
    case .sourceMissing(let sources) where record.facts.sources == key.facts.sources:
      (.sourceMissing(sources), .pending)
    case .rejectedValue(let source) where record.facts.sources == key.facts.sources:
      (.rejectedValue(source), .pending)
    case .refusedValue(let source, let check) where record.facts.sources == key.facts.sources:
      (.refusedValue(source, check), .pending)
    case .revokedValue(let source, let revocation) where record.facts.sources == key.facts.sources:
      (.revokedValue(source, revocation), .pending)
    case .expired(let end) where isSamePolicy(record, key), .rotationHeld(let end) where isSamePolicy(record, key):
      (.expired(on: end), .pending)
    case .expiresSoon(let limit, let end) where isSamePolicy(record, key): (.expiresSoon(limit, on: end), .soon)
    case .issuedOutdated: record.otherDate(under: key.facts).map { (.issuedOutdated($0), .soon) }
    case .storedFormat(let provider): (.unexpectedFormat(provider: provider), .soon)
    case .lastKeyKept(let end) where isSamePolicy(record, key): (.lastKeyKept(expiredOn: end), .pending)
    // It is not planned, because it has expired; it is nevertheless another value.
    case .newValueExpired: key.sources.first.map { (.sourceChanged($0.description), .pending) }
    default: nil
    }
  }

  /// An original whose value an apply adopted and that it did not remove. One that was not adopted yet is a pending change.
  private static func originalLeft(_ step: Step, _ recorded: Recorded) -> Finding? {
    guard case .outside(.removeOriginal(_, let successor, let origin)) = step.effect, step.cause != .interrupted else {
      return nil
    }
    let since: Moment?
    switch successor {
    case .key(let id):
      guard let version = recorded.keys[id]?.version, version.origin == origin else { return nil }
      since = version.storedAt
    case .account(let id):
      guard let signIn = recorded.accounts[id]?.signIn, signIn.adopted != nil else { return nil }
      since = signIn.signedInAt
    }
    return Finding(.originalLeft(origin), at: step.address, level: .pending, since: since)
  }

  /// Whether a key's expiry is the one of the last apply, and not a pending change of the manifest.
  private static func isSamePolicy(_ record: KeyRecord, _ key: Key) -> Bool {
    record.facts.expiry == key.facts.expiry && record.facts.issued == key.facts.issued
  }

  /// The end of an expired key; nil if it has not expired.
  private static func end(of key: Key, _ record: KeyRecord, _ now: Moment) -> Moment? {
    guard case .over(let end) = record.state(under: key.facts, at: now) else { return nil }
    return end
  }

  /// Writes that began and have no result, at targets without an open step that shows it.
  private static func unrecordedWrites(_ standings: TargetStandings, _ recorded: Recorded) -> [Finding] {
    let targets = Set(standings.rows.filter { $0.standing == .interrupted }.map(\.target))
    return targets.filter { recorded.interrupted[.target($0)] == nil }.sorted().map {
      Finding(.interrupted, at: .target($0), level: .pending, since: nil)
    }
  }

  /// Files that keyplan wrote values to, and that are accessible to more than the owner and those whom the manifest names.
  private static func exposures(_ manifest: Manifest, _ recorded: Recorded, _ observed: Observation) -> [Finding] {
    recorded.targets.compactMap { id, record in
      guard !record.entries.isEmpty, let mode = observed.modes[record.destination],
        mode.isOpen(beyond: manifest.targets[id]?.mode)
      else { return nil }
      return Finding(.exposed(record.destination), at: .target(id), level: .soon, since: nil)
    }
  }
}

extension Recorded {
  /// Whether a slot or a target has the key, or one whose value is made of it.
  fileprivate func isInUse(_ id: Identifier<Key>) -> Bool {
    let ids = dependents(of: [id], in: nil).union([id])
    return slots.values.contains { ids.contains($0.key) }
      || targets.values.contains { target in target.entries.values.contains { ids.contains($0.key) } }
  }
}

extension Diagnostic {
  /// Whether it reports that a planned write cannot be made.
  package var preventsWrite: Bool {
    switch issue {
    case .target(_, .blocked), .target(_, .namesBlocked), .target(_, .blockedHere): true
    default: false
    }
  }

  /// Whether the place or service could not be queried, so that its state is unknown.
  fileprivate var leavesUnknown: Bool {
    switch code {
    case .sourceUnreachable, .sourceUnreadable, .targetUnreachable, .targetUnreadable, .targetNameUnusable,
      .targetWriteOnly, .accountUnreachable, .accountNotAllowed:
      return true
    case .secretNotFound:
      // A service cannot be queried without its credential.
      if case .account = issue { return true } else { return false }
    default: return false
    }
  }
}

extension Finding.Kind {
  /// Whether an apply that is still running may be about to end it.
  fileprivate var isOfRunningApply: Bool {
    switch self {
    case .interrupted, .commandDue, .targetBehind, .targetUnwritten, .targetLeft, .mintLost, .replacedKeyValid,
      .originalLeft, .stepFailed:
      true
    default: false
    }
  }
}
