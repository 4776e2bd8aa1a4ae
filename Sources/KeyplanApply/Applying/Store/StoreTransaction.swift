internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// Carries out steps on the store alone: all of those whose precondition is still met, in one transaction.
struct StoreTransaction: Sendable {
  let context: RunContext

  func carryOut(_ steps: [StoreStep], _ ledger: isolated Ledger) async {
    let inputs = await StoreInputs(context, steps, ledger)
    var (changes, done): ([RecordChange], [Step]) = ([], [])
    let composing = Set(steps.flatMap(\.effect.parts))
    var fresh: [Identifier<Key>: SecretBox] = [:]
    for steps in steps.together {
      let before = ledger.excerpt(of: steps)
      var (made, ended): ([RecordChange], [Step]) = ([], [])
      var refused: Address?
      for typed in steps {
        let step = typed.step
        do throws(Refusal) {
          if let refused { throw Refusal(.notTried(.dependency(refused))) }
          // Again, because a step of this very transaction may have failed that another one waits for.
          if let obstacle = ledger.obstacle(before: step) { throw Refusal(obstacle) }
          if !typed.effect.isChecked { context.applier.begin(step) }
          made += try record(typed, inputs, fresh, ledger)
          ended.append(step)
        } catch {
          refused = refused ?? step.address
          changes += error.changes
          ledger.end(step, error.result)
        }
      }
      if let refused, let before {
        ledger.records.restore(before)
        for step in ended { ledger.end(step, .notTried(.dependency(refused))) }
      } else {
        changes += made
        done += ended
        for case .key(let id, _, let value?) in made where composing.contains(id) { fresh[id] = value }
      }
    }
    ledger.record(done, changes)
  }

  private func record(
    _ typed: StoreStep, _ inputs: StoreInputs, _ fresh: [Identifier<Key>: SecretBox], _ ledger: isolated Ledger
  ) throws(Refusal) -> [RecordChange] {
    let (step, start) = (typed.step, context.start)
    switch typed.effect {
    case .allow(let item, let grant):
      guard context.limits.terms(of: item).sorted() == grant.terms else { throw .stale(.changed(.files(item))) }
      return [.allow(item, Set(grant.terms))]
    case .disallow(let item):
      guard start.surface.contains(item) else { throw .stale(.notAllowed) }
      return [.disallow(item)]
    case .guards(let change):
      guard let guards = change.applied(to: start.guards) else { throw .stale(.changed(.record(step.address))) }
      return [.guards(guards)]
    case .rewrap(let rewrap): return [try self.rewrap(rewrap, step, ledger)]
    case .key(let id, let effect):
      return try KeyStep(context: context, inputs: inputs, typed: typed, id: id, fresh: fresh).record(effect, ledger)
    case .activate(let id, let key, _):
      return [.slot(id, SlotRecord(revision: ledger.revision, key: key, since: context.now))]
    case .deactivate(let id, _), .forgetSlot(let id): return [.slot(id, nil)]
    case .forgetTarget(let id): return [try forget(step, of: id, ledger)]
    case .forgetEntry(let id, let name): return [try forget(step, name, of: id, ledger)]
    case .adoptToken(let id, let from, let facts):
      if let migration = context.takeover(of: typed.effect), start.migrated.contains(migration.mark) {
        throw .stale(.migrated(step.address))
      }
      let token = try inputs.token(for: typed, id, context)
      return try AccountStep(context: context, step: step, id: id).adopt(token, from: from, facts, ledger)
    case .settle(.target(let id)):
      let dropped: [RecordChange] = context.manifest.hooks[id] == nil ? [.hook(id, isDue: false)] : []
      return dropped + [.attempt(id, nil), .finished(step.address)]
    case .settle(.key(let id)) where ledger.records.mints[id]?.isOpen == false:
      return [ledger.records.put(ledger.records.mints[id]?.reported, id), .finished(step.address)]
    case .settle(let address): return [.finished(address)]
    }
  }

  private func rewrap(_ rewrap: Rewrap, _ step: Step, _ ledger: isolated Ledger) throws(Refusal) -> RecordChange {
    let before = context.start.recipients
    let all = Dictionary(rewrap.recipients.map { ($0.name, $0.value) }) { _, last in last }
    // The recorded recipients are this step's precondition: a different change could add or remove one without review.
    let change = rewrap.freshRoot == true ? Rewrap(rekeying: before) : Rewrap(from: before, to: all)
    guard change == rewrap else { throw .stale(.changed(.record(step.address))) }
    // A plugin that recorded recipients have was allowed, or is that of the person who created the store.
    guard all.plugins.subtracting(before.plugins).allSatisfy(context.permits) else { throw .stale(.notAllowed) }
    return ledger.records.put(all, freshRoot: rewrap.replacesRootKey, leaving: before.leaving(for: all))
  }

  /// Ends what is recorded of a target, or of one of its names. The place is not touched.
  /// - Parameter name: nil for all.
  private func forget(
    _ step: Step, _ name: String? = nil, of id: Identifier<Target>, _ ledger: isolated Ledger
  ) throws(Refusal) -> RecordChange {
    guard let record = ledger.records.targets[id] else { throw .gone(step) }
    guard record.revision == step.ground.revision else { throw .stale(.changed(.record(step.address))) }
    let names = name.map { [$0] } ?? Array(record.entries.keys)
    return ledger.records.put(record.forgetting(names, revision: ledger.revision), id)
  }
}

extension StoreEffect {
  /// The keys of whose values it makes one.
  fileprivate var parts: [Identifier<Key>] {
    guard case .key(_, let effect) = self else { return [] }
    return effect.write?.composition?.parts ?? []
  }
}
