internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// The values that were read for the steps of one transaction on the store.
struct StoreInputs: Sendable {
  private let answers: [Reference: SourceAnswer]
  /// The first of a key's sources that had something, with its answer.
  private let found: [Identifier<Key>: (origin: Reference, answer: SourceAnswer)]
  /// The digests of files that git tracks.
  let contents: [Reference: String]
  /// The files of other programs that tokens are taken over from.
  private let files: [Reference: SourceAnswer]
  /// The present values of targets, for steps that accept them.
  private(set) var accepted: [Address: TargetAnswer] = [:]
  /// The answers of providers about new values.
  private(set) var verdicts: [Identifier<Key>: CheckVerdict] = [:]

  init(_ context: RunContext, _ steps: [StoreStep], _ ledger: isolated Ledger) async {
    let observer = context.observer
    let references = steps.compactMap(context.reference)
    answers = Dictionary(zip(references, await observer.read(references))) { first, _ in first }
    found = await Self.askInOrder(steps, context)
    for case .settle(.target(let id)) in steps.map(\.effect) {
      if let earlier = context.start.attempts[id] { await observer.removeLeftovers(of: earlier) }
    }
    contents = observer.checkout.inspector?.trackedContent(of: steps.flatMap(context.sources)) ?? [:]
    files = await observer.files(steps.compactMap { context.takeover(of: $0.effect)?.original })
    for step in steps {
      guard case .key(_, .accept(let acceptance)) = step.effect,
        let target = observer.targets[acceptance.destination.type]
      else { continue }
      accepted[acceptance.address] =
        await target.read([acceptance.name], at: acceptance.destination).withoutPlaceholders
    }
    verdicts = await verdicts(on: steps, context, ledger)
  }

  /// Asks the sources of keys in order; only a definite *missing* moves on to the next.
  private static func askInOrder(
    _ steps: [StoreStep], _ context: RunContext
  ) async -> [Identifier<Key>: (origin: Reference, answer: SourceAnswer)] {
    var open: [(id: Identifier<Key>, sources: [Reference])] = steps.compactMap { step in
      guard case .key(let id, let effect) = step.effect, case .firstSource = effect.write?.value else { return nil }
      return context.manifest.keys[id].map { (id, $0.sources) }
    }
    var found: [Identifier<Key>: (origin: Reference, answer: SourceAnswer)] = [:]
    var index = 0
    while !open.isEmpty {
      open.removeAll { $0.sources.count <= index }
      let answers = await context.observer.read(open.map { $0.sources[index] })
      var next: [(id: Identifier<Key>, sources: [Reference])] = []
      for (asked, answer) in zip(open, answers) {
        if case .missing = answer { next.append(asked) } else { found[asked.id] = (asked.sources[index], answer) }
      }
      (open, index) = (next, index + 1)
    }
    return found
  }

  /// Asks providers about the values that are stored only if they are accepted.
  private func verdicts(
    on steps: [StoreStep], _ context: RunContext, _ ledger: isolated Ledger
  ) async -> [Identifier<Key>: CheckVerdict] {
    var values: [UncheckedValue] = []
    for typed in steps where typed.effect.isChecked {
      context.applier.begin(typed.step)
      guard case .key(let id, _) = typed.effect else { continue }
      let step = KeyStep(context: context, inputs: self, typed: typed, id: id)
      if let value = step.uncheckedValue(ledger) { values.append(value) }
    }
    guard !values.isEmpty, let checks = context.applier.checks else { return [:] }
    var verdicts = await checks.check(values)
    // A provider may need some seconds until it accepts a key that it has just made.
    for seconds in Self.patience {
      let early = values.filter {
        ledger.records.keys[$0.key]?.pending != nil && verdicts[$0.key]?.isAccepted == false
      }
      guard !early.isEmpty else { break }
      await context.applier.pause(.seconds(seconds))
      verdicts.merge(await checks.check(early)) { $1 }
    }
    return verdicts
  }

  /// The seconds before each further check of a key that was just made: 30 together, and AWS needs ten.
  private static let patience = [1, 2, 4, 8, 15]

  /// The value that a source has, if its file is the one that was planned with.
  func value(at reference: Reference, for step: Step) throws(Refusal) -> SecretBox {
    guard step.ground.content == nil || contents[reference] == step.ground.content else {
      throw .stale(.changed(.file(reference)))
    }
    return try Self.value(answers[reference], of: reference, for: step)
  }

  /// The value of the first of a key's sources that had something.
  func firstValue(of id: Identifier<Key>, for step: Step) throws(Refusal) -> (value: SecretBox, origin: Reference)? {
    guard let (origin, answer) = found[id] else { return nil }
    return (try Self.value(answer, of: origin, for: step), origin)
  }

  /// The token that a step takes over.
  func token(for typed: StoreStep, _ id: Identifier<Account>, _ context: RunContext) throws(Refusal) -> SecretBox {
    if let original = context.takeover(of: typed.effect)?.original {
      let token = files[original].map { context.observer.token(in: $0, for: id, context.manifest).answer }
      return try Self.value(token, of: original, for: typed.step)
    }
    guard let reference = context.reference(of: typed) else { throw .gone(typed.step) }
    return try Self.value(answers[reference], of: reference, for: typed.step)
  }

  private static func value(
    _ answer: SourceAnswer?, of reference: Reference, for step: Step
  ) throws(Refusal) -> SecretBox {
    switch answer {
    case .value(let value): return value
    case .missing, nil:
      throw step.ground.source != nil ? .stale(.noValue(reference)) : .failed(.noValue(at: [reference]))
    case .failed(let failure): throw .failed(failure.at(reference))
    }
  }
}

extension RunContext {
  /// The sources of the key that a step writes.
  fileprivate func sources(of step: StoreStep) -> [Reference] {
    guard case .key(let id, let effect) = step.effect, effect.write != nil else { return [] }
    return manifest.keys[id]?.sources ?? []
  }

  /// The migration that a step carries out for an account.
  func takeover(of effect: StoreEffect) -> Migration? {
    guard case .adoptToken(let id, let from, _) = effect, let migration = takeovers[id],
      migration.original?.description == from
    else { return nil }
    return migration
  }

  /// The source whose value a step stores.
  func reference(of typed: StoreStep) -> Reference? {
    switch typed.effect {
    case .adoptToken(let id, _, _): takeover(of: typed.effect) == nil ? manifest.accounts[id]?.token : nil
    case .key(let id, .store(let write)), .key(let id, .replace(let write)): reference(of: write, id)
    case .key(let id, .update(let write)) where typed.step.ground.source != nil: reference(of: write, id)
    case .key(let id, .adopt): adoptions[id]?.original
    default: nil
    }
  }

  private func reference(of write: KeyWrite, _ id: Identifier<Key>) -> Reference? {
    guard case .source(let index, _, _) = write.value, let sources = manifest.keys[id]?.sources,
      sources.indices.contains(index)
    else { return nil }
    return sources[index]
  }
}
