internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// The parts of one key, which work only together.
extension Ledger {
  /// Ends the steps whose other part cannot even be tried.
  /// - Parameters:
  ///   - all: the steps that belong together.
  ///   - open: those of them that can be tried.
  func withoutOtherPart(_ all: [StoreStep], _ open: [StoreStep]) -> [StoreStep] {
    guard open.count < all.count else { return open }
    let tried = Set(open.map { StepName($0.step) })
    let refused = Dictionary(
      all.compactMap { typed in
        tried.contains(StepName(typed.step)) ? nil : typed.effect.part?.whole.map { ($0, typed.step.address) }
      }
    ) { first, _ in first }
    return open.filter { typed in
      guard let address = typed.effect.part?.whole.flatMap({ refused[$0] }) else { return true }
      end(typed.step, .notTried(.dependency(address)))
      return false
    }
  }

  /// The records that steps on parts of one key can change, as they are; nil for steps on other things.
  func excerpt(of steps: ArraySlice<StoreStep>) -> Records.Excerpt? {
    let parts = Set(steps.compactMap(\.effect.part))
    guard !parts.isEmpty else { return nil }
    let accepted = steps.compactMap { step in
      if case .key(_, .accept(let acceptance)) = step.effect { acceptance.target } else { nil }
    }
    return records.excerpt(parts, Set(accepted))
  }

  /// Whether a key is a part whose value does not work with those of the other parts.
  func isMixed(_ id: Identifier<Key>) -> Bool {
    guard id.whole != nil else { return false }
    let declared = context.wholes.parts(of: id).filter { context.manifest.keys[$0] != nil }
    return PartRecords(declared, in: records.keys).areMixed
  }

  /// The number of a part's new version: that which another part has already got, or else the next one. Nil for any other key.
  func partNumber(of id: Identifier<Key>) -> Int64? {
    guard id.whole != nil else { return nil }
    let parts = PartRecords(context.wholes.parts(of: id), in: records.keys).parts
    let others = parts.filter { $0.key != id }.map(\.record.version.number)
    return ([records.keys[id].map { PartRecords([(id, $0)]).nextNumber } ?? 1] + others).max()
  }

  /// The numbers of the versions whose values are used, of any part, or will be.
  func versionsInUse(of id: Identifier<Key>) -> Set<Int64> {
    var numbers: Set<Int64> = []
    for part in context.wholes.parts(of: id) where context.manifest.keys[part] != nil {
      guard let record = records.keys[part] else { continue }
      numbers.formUnion(record.versions(with: record.version.fingerprint))
      if let pending = record.pending { numbers.insert(pending.number) }
    }
    return numbers.union(versionsInValues(of: id))
  }

  /// The numbers of the versions that current values of composed keys are made of.
  private func versionsInValues(of id: Identifier<Key>) -> Set<Int64> {
    let composed = records.keys.filter { context.manifest.keys[$0.key] != nil && !$0.value.version.parts.isEmpty }
    guard !composed.isEmpty else { return [] }
    let known = PartsOfValues(records.keys, records.forgotten)
    let parts = Set(context.wholes.parts(of: id))
    var numbers: Set<Int64> = []
    for record in composed.values where record.inheriting(from: known).serving(at: context.now).isServed {
      for part in known.contents(of: record.version) where parts.contains(part.key) { numbers.insert(part.number) }
    }
    return numbers
  }

  /// Changes the records of all parts of a key.
  func changeParts(of id: Identifier<Key>, _ change: (inout KeyRecord) -> Void) -> [RecordChange] {
    context.wholes.parts(of: id).compactMap { part in
      guard var record = records.keys[part] else { return nil }
      let before = record
      change(&record)
      guard record != before else { return nil }
      record.revision = revision
      return records.put(record, part)
    }
  }
}

extension [StoreStep] {
  /// The steps in their order; those on parts of one key, which follow each other, together.
  var together: [ArraySlice<StoreStep>] {
    chunked { first, next in
      guard let whole = first.effect.part?.whole else { return false }
      return next.effect.part?.whole == whole
    }
  }
}

extension StoreEffect {
  /// The part of a key that it changes.
  fileprivate var part: Identifier<Key>? {
    guard case .key(let id, let effect) = self else { return nil }
    // Under a new name a record has the old one's parts.
    if case .move(let old) = effect { return old.whole == nil ? nil : old }
    return id.whole == nil ? nil : id
  }
}
