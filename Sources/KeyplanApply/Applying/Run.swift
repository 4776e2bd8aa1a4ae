internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// One apply of a plan: hands each step to the executor of its kind, in the plan's order.
struct Run: Sendable {
  let context: RunContext

  func carryOut(_ group: StepGroup, _ ledger: isolated Ledger) async {
    switch group {
    case .store(let steps):
      let open = ledger.withoutOtherPart(steps, ledger.unobstructed(steps))
      await StoreTransaction(context: context).carryOut(open, ledger)
    case .outside(let steps):
      for batch in StepGroup.batches(steps) { await carryOut(ledger.unobstructed(batch), ledger) }
    case .person(let steps): carryOut(ledger.unobstructed(steps), ledger)
    }
  }

  /// Carries steps outside out side by side. That they begin is durable before the first of them does anything.
  private func carryOut(_ steps: [OutsideStep], _ ledger: isolated Ledger) async {
    guard !steps.isEmpty, ledger.begin(steps) else { return }
    let values = BatchValues(of: steps, ledger)
    // Originals often stand in one file, which two removals at once would each put back for the other.
    let bound = if case .removeOriginal = steps.first?.effect { 1 } else { Applier.bound }
    await withTaskGroup(of: Void.self) { group in
      for (index, step) in steps.enumerated() {
        if index >= bound { await group.next() }
        group.addTask { await carryOut(step, values, ledger) }
      }
    }
    ledger.recordEnded()
  }

  private func carryOut(_ typed: OutsideStep, _ values: BatchValues, _ ledger: isolated Ledger) async {
    let step = typed.step
    if let result = ledger.obstacle(before: step) { return ledger.close(step, result) }
    context.applier.begin(step)
    func target(_ id: Identifier<Target>) -> TargetStep {
      TargetStep(context: context, step: step, id: id, values: values)
    }
    func issued(_ id: Identifier<Key>) -> ProviderKeyStep { ProviderKeyStep(context: context, step: step, id: id) }
    func account(_ id: Identifier<Account>) -> AccountStep { AccountStep(context: context, step: step, id: id) }
    do throws(Refusal) {
      switch typed.effect {
      case .sync(let id, let write): try await target(id).sync(write, ledger)
      case .withdraw(let id, let removal): try await target(id).withdraw(removal, ledger)
      case .run(let id, let hook): try await target(id).run(hook, ledger)
      case .removeOriginal(let number, let successor, let origin):
        try await OriginalStep(context: context, step: step, number: number, origin: origin).remove(successor, ledger)
      case .mint(let id, let mint): try await issued(id).mint(mint, ledger)
      case .settle(let id, let late): try await issued(id).settle(late, ledger)
      case .disable(let id, let keys): try await issued(id).end(keys, disabling: true, ledger)
      case .end(let id, let keys): try await issued(id).end(keys, disabling: false, ledger)
      case .renew(let id, let keys): try await issued(id).renew(keys, ledger)
      case .refresh(let id, let refresh): try await account(id).refresh(refresh, ledger)
      case .select(let id, let selection): try await account(id).select(selection, ledger)
      case .signOut(let id, let signOut): try await account(id).signOut(signOut, ledger)
      }
    } catch {
      ledger.close(step, error.result)
    }
  }

  /// Records completed sign-ins, and reports keys that must be created manually. `keys set` stores their values in a plan of its own.
  private func carryOut(_ steps: [PersonStep], _ ledger: isolated Ledger) {
    var (changes, done): ([RecordChange], [Step]) = ([], [])
    for typed in steps {
      switch typed.effect {
      case .issue(let id, let manual): ledger.end(typed.step, .needsKey(manual, of: id))
      case .signIn(let id, let need):
        context.applier.begin(typed.step)
        do throws(Refusal) {
          changes.append(try AccountStep(context: context, step: typed.step, id: id).signIn(need, ledger))
          done.append(typed.step)
        } catch {
          ledger.end(typed.step, error.result)
        }
      }
    }
    ledger.record(done, changes)
  }
}

/// The accesses of steps that need a permission.
extension RunContext {
  /// The hosts, commands and files that a step reads values from or writes them to and that need a permission.
  func items(usedBy step: Step) -> [ExternalAccess] {
    switch step.effect {
    case .store(.key(let id, let effect)) where effect.write != nil:
      ((manifest.keys[id]?.sources ?? []) + [adoptions[id]?.original].compactMap(\.self)).compactMap(\.surface)
    case .outside(.sync(_, let write)): [write.destination.surface].compactMap(\.self)
    case .outside(.withdraw(_, let removal)): [removal.destination.surface].compactMap(\.self)
    case .store, .outside, .person: []
    }
  }

  /// The schemes and target types that a step uses.
  func schemes(usedBy step: Step, _ mints: [Identifier<Key>: MintAttempt]) -> [String] {
    switch step.effect {
    case .store(.key(_, .accept(let acceptance))): [acceptance.destination.type]
    case .store(.key(let id, let effect)) where effect.write != nil:
      (manifest.keys[id]?.sources.map(\.scheme) ?? []) + [adoptions[id]?.original?.scheme].compactMap(\.self)
    case .outside(.sync(_, let write)): [write.destination.type]
    case .outside(.withdraw(_, let removal)): [removal.destination.type]
    case .outside(.mint(let id, let mint)): [mint.place.type, mints[id]?.place.type].compactMap(\.self)
    case .outside(.settle(_, let late)): [late.place.type]
    case .outside(.disable(_, let end)), .outside(.end(_, let end)), .outside(.renew(_, let end)):
      end.keys.map(\.place.type)
    case .outside(.removeOriginal(let number, _, _)):
      manifest.migrations.filter { $0.number == number }.compactMap(\.original?.scheme)
    case .outside(.refresh(let id, _)), .outside(.select(let id, _)), .outside(.signOut(let id, _)),
      .store(.adoptToken(let id, _, _)):
      (manifest.accounts[id]?.references.map(\.scheme) ?? []) + [takeovers[id]?.original?.scheme].compactMap(\.self)
    case .store, .outside(.run), .person: []
    }
  }
}

/// The reason that a step is not carried out. Nothing was changed for it.
struct Refusal: Error {
  let result: StepResult
  /// The changes that are recorded all the same.
  let changes: [RecordChange]

  init(_ result: StepResult, recording changes: [RecordChange] = []) { (self.result, self.changes) = (result, changes) }

  static func failed(_ failure: StepFailure) -> Refusal { Refusal(.failed(failure)) }
  static func failed(_ failure: AccessFailure) -> Refusal { Refusal(.failed(failure)) }
  static func failed(_ error: StoreError) -> Refusal { Refusal(.failed(error)) }
  static func stale(_ reason: StaleReason) -> Refusal { Refusal(.stale(reason)) }
  static func gone(_ step: Step) -> Refusal { .stale(.notRecorded(step.address)) }
}
