package import KeyplanModel

/// A plan for one amendment, and the work that it leaves for the next apply.
package struct AmendedPlan: Sendable {
  /// The steps of the amendment alone.
  package let plan: Plan
  /// The findings about the amendment.
  package let diagnostics: [Diagnostic]
  /// The steps of the next apply; empty if there are no steps, and after a move, whose record has fingerprints that are not known before.
  package let next: Plan
  /// The diagnostics of the next apply.
  package let nextDiagnostics: [Diagnostic]
  /// The records afterwards; nil if there are no steps.
  package let after: Recorded?
}

extension Plan {
  /// Plans a change of the records that a person requests, and previews the next apply.
  ///
  /// Pure and total, as `reconciling` is. No migration of the keys in question may be pending.
  package static func amending(
    _ manifest: Manifest, by amendment: Amendment, with observed: Observation,
    allowing allowances: Allowances = Allowances(), at now: Moment
  ) -> AmendedPlan {
    var draft = AmendmentDraft(manifest: manifest, observed: observed, allowances: allowances, now: now)
    switch amendment {
    case .move(let old, let new): draft.move(old, to: new)
    case .forget(let address): draft.forget(address)
    case .rollback(let id, let number): draft.rollBack(id, to: number)
    case .revoke(let id, let reason): draft.revoke(id, reason)
    case .purge(let id, let isAll): draft.purge(id, isAll: isAll)
    case .restore(let forgotten, let number): draft.restore(forgotten, to: number)
    case .acceptTarget(let id, let name): draft.accept(name, at: id)
    case .acceptSource(let id): draft.acceptSource(of: id)
    case .signIn(let id): draft.signIn(id)
    case .signOut(let id): draft.signOut(id)
    }
    return AmendedPlan(
      plan: Plan(steps: draft.steps),
      diagnostics: manifest.marking(draft.diagnostics, in: observed.recorded, at: now).sorted(), next: draft.next,
      nextDiagnostics: draft.nextDiagnostics, after: draft.after)
  }
}

/// The plan for an amendment in the making.
struct AmendmentDraft {
  let manifest: Manifest
  let observed: Observation
  let allowances: Allowances
  let now: Moment
  var steps: [Step] = []
  var diagnostics: [Diagnostic] = []
  var next = Plan(steps: [])
  private(set) var nextDiagnostics: [Diagnostic] = []
  private(set) var after: Recorded?

  var recorded: Recorded { observed.recorded }

  /// The keys that are changed together with a key, itself among them.
  func parts(of id: Identifier<Key>) -> [Identifier<Key>] {
    WholeKeys(manifest, recorded, andForgotten: true).parts(of: id)
  }

  /// The records of these keys.
  func records(of id: Identifier<Key>) -> PartRecords { PartRecords(parts(of: id), in: recorded.keys) }

  mutating func add(
    _ effect: Effect, on ground: Precondition = Precondition(), after: [Address] = []
  ) {
    steps.append(Step(effect, because: .byHand, on: ground, after: after))
  }

  mutating func report(_ issue: Diagnostic.Issue, at place: FileLocation? = nil) {
    diagnostics.append(Diagnostic(issue, at: place))
  }

  /// Previews the next apply with these records: reports warnings about the keys, and violations of their rules.
  mutating func look(ahead after: Recorded, at ids: [Identifier<Key>] = []) {
    var then = observed
    then.recorded = after
    let (plan, reported) = Plan.reconciling(manifest, with: then, allowing: allowances, at: now)
    (next, nextDiagnostics, self.after) = (plan, reported, after)
    guard !ids.isEmpty else { return }
    let own = reported.filter { if case .key(let id) = $0.address { ids.contains(id) } else { false } }
    diagnostics += own.filter { $0.code.severity == .warning }
    let broken = own.filter { $0.code == .ruleBroken }
    if !broken.isEmpty {
      // An error that existed before does not block the amendment.
      let before = Plan.reconciling(manifest, with: observed, allowing: allowances, at: now).diagnostics
      diagnostics += broken.filter { !before.contains($0) }
    }
    for case .store(.key(let id, let effect)) in plan.steps.lazy.map(\.effect) where ids.contains(id) {
      if effect == .forget { report(.key(id, .undeclared)) }
      if effect == .retire { report(.key(id, .retiredNext)) }
    }
  }

  /// The value that would undo the choice of this one: the source's current value, otherwise the recorded value, which the source may have
  /// elsewhere. Nil if the source has the chosen value.
  func rival(of chosen: Fingerprint, for id: Identifier<Key>) -> Fingerprint? {
    if case .value(let found, _, _) = observed.sources[id] { return found == chosen ? nil : found }
    let current = recorded.keys[id]?.version.fingerprint
    return current == chosen ? nil : current
  }
}

extension AmendmentDraft {
  /// Does not wait for permissions: the person who signs in has seen which hosts are contacted.
  mutating func signIn(_ id: Identifier<Account>) {
    guard let account = manifest.accounts[id] else { return }
    let planned = PlannedAccount(id, account, in: recorded)
    let need = planned.need(observed.accounts[id], at: now) ?? AccountNeed(facts: account.facts, reason: .ended)
    add(.person(.signIn(id, need)))
    add(planned.selection(nil), after: [planned.address])
  }

  mutating func signOut(_ id: Identifier<Account>) {
    guard let record = recorded.accounts[id] else { return }
    add(.outside(.signOut(id, manifest.signOut(record, of: id, at: now))))
    guard let account = manifest.accounts[id] else { return }
    report(.account(id, .stillDeclared), at: account.place)
  }

  /// - Parameter new: the new name; for a part, the new name of the whole key.
  mutating func move(_ old: Identifier<Key>, to new: Identifier<Key>) {
    guard old.whole != nil, new.whole == nil else { return move([(old, new)]) }
    move(
      records(of: old).parts.compactMap { part in
        Identifier(part: part.key.partName, of: new).map { (part.key, $0) }
      })
  }

  private mutating func move(_ moves: [(old: Identifier<Key>, new: Identifier<Key>)]) {
    if let (_, new) = moves.first(where: { recorded.keys[$0.new] != nil }) { return report(.key(new, .isRecorded)) }
    for (old, new) in moves {
      guard let record = recorded.keys[old] else { continue }
      add(.key(new, .move(from: old)), on: Precondition(revision: record.revision))
      switch (manifest.keys[old] != nil, manifest.keys[new] != nil) {
      case (false, true): break
      case (false, false): report(.key(new, .undeclared))
      case (true, false):
        report(.key(new, .declaredAs(old, hasSource: manifest.keys[old]?.sources.isEmpty == false)))
      case (true, true): report(.key(old, .losesRecord))
      }
    }
  }

  /// The keys that a key's value is made of, as declared, or as recorded; nil for a key whose value is not.
  func parts(composing id: Identifier<Key>) -> [Identifier<Key>]? {
    if let key = manifest.keys[id] { return key.composition?.parts }
    let parts = recorded.keys[id]?.version.parts.map(\.key) ?? []
    return parts.isEmpty ? nil : parts
  }

  mutating func rollBack(_ id: Identifier<Key>, to number: Int64) {
    // The next apply would make the value again.
    if let composition = manifest.keys[id]?.composition {
      return report(.key(id, .madeOfParts(composition.parts)), at: manifest.keys[id]?.place)
    }
    let records = records(of: id)
    guard records.canRollBack(to: number), records.revocation(of: number) == nil else { return }
    var after = recorded
    for (part, record) in records.parts where record.version.number != number {
      guard let rolledBack = planRollback(of: part, record, to: number) else { continue }
      after.keys[part] = rolledBack
    }
    look(ahead: after, at: records.parts.map(\.key))
  }

  /// The record once the version is current again; nil if it cannot be.
  private mutating func planRollback(
    of id: Identifier<Key>, _ record: KeyRecord, to number: Int64, rejecting rival: Fingerprint? = nil,
    on ground: Precondition? = nil, after: [Address] = []
  ) -> KeyRecord? {
    guard let version = record.history.first(where: { $0.number == number }) else { return nil }
    let rejected = rival ?? self.rival(of: version.fingerprint, for: id) ?? record.version.fingerprint
    let rollback = KeyRollback(to: number, was: record.version.number, rejected: rejected)
    guard let rolledBack = record.rolledBack(rollback, revision: record.revision) else { return nil }
    add(.key(id, .rollback(rollback)), on: ground ?? Precondition(revision: record.revision), after: after)
    return rolledBack
  }

  /// Brings back all parts of a key, or none: each from the commit that deleted it, or from a later one.
  mutating func restore(_ chosen: ForgottenKey, to number: Int64?) {
    let wanted = chosen.record.version.number
    var restored: [ForgottenKey] = []
    for id in parts(of: chosen.key) {
      let forgotten = recorded.forgotten.filter { $0.key == id && $0.record.version.number == wanted }
      if let record = recorded.keys[id] {
        guard record.version.number != wanted else { continue }
        return report(.key(chosen.key, .partElsewhere(id)))
      }
      if id == chosen.key {
        restored.append(chosen)
      } else if let own = forgotten.first(where: { $0.serial == chosen.serial }) ?? forgotten.last {
        restored.append(own)
      } else if recorded.forgotten.contains(where: { $0.key == id }) {
        return report(.key(chosen.key, .partElsewhere(id)))
      }
    }
    let earlier = number.flatMap { $0 == wanted ? nil : $0 }
    if let earlier {
      let all = restored.map { (key: $0.key, record: $0.record) }
      let records = PartRecords(all + records(of: chosen.key).parts)
      guard records.canRollBack(to: earlier), records.revocation(of: earlier) == nil else { return }
    }
    var after = recorded
    for forgotten in restored { restore(forgotten, to: earlier, &after) }
    if let earlier {
      for (part, record) in records(of: chosen.key).parts {
        if let rolledBack = planRollback(of: part, record, to: earlier) { after.keys[part] = rolledBack }
      }
    }
    look(ahead: after, at: parts(of: chosen.key))
  }

  private mutating func restore(_ forgotten: ForgottenKey, to earlier: Int64?, _ after: inout Recorded) {
    let id = forgotten.key
    after.forgotten.removeAll { $0 == forgotten }
    var record = forgotten.record
    let version = record.history.first { $0.number == earlier } ?? record.version
    let rival = rival(of: version.fingerprint, for: id)
    record.rejected = rival ?? record.rejected
    add(.key(id, .restore(KeyRestoration(serial: forgotten.serial, rejected: earlier == nil ? rival : nil))))
    if let earlier {
      let ground = Precondition()
      let rejected = rival ?? record.version.fingerprint
      guard
        let rolledBack = planRollback(
          of: id, record, to: earlier, rejecting: rejected, on: ground, after: [.key(id)])
      else { return }
      record = rolledBack
    }
    after.keys[id] = record
  }
}
