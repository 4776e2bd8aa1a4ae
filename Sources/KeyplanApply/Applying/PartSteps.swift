internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// Steps on the parts of one key: all of them are carried out, or none.
extension Run {
  /// The records of parts before their steps.
  struct PartState {
    fileprivate let keys: [(Identifier<Key>, KeyRecord?)]
    fileprivate let targets: [(Identifier<Target>, TargetRecord?)]
  }

  /// The steps in their order; those on parts of one key, which follow each other, together.
  nonisolated func together(_ steps: [StoreStep]) -> [ArraySlice<StoreStep>] {
    steps.chunked { first, next in
      guard let whole = first.effect.part?.whole else { return false }
      return next.effect.part?.whole == whole
    }
  }

  /// Nil for steps on other things than parts.
  func partState(of steps: ArraySlice<StoreStep>) -> PartState? {
    let parts = Set(steps.compactMap(\.effect.part))
    guard !parts.isEmpty else { return nil }
    let accepted = Set(
      steps.compactMap { step in
        if case .key(_, .accept(let acceptance)) = step.effect { acceptance.target } else { nil }
      })
    return PartState(keys: parts.map { ($0, keys[$0]) }, targets: accepted.map { ($0, targets[$0]) })
  }

  func restore(_ state: PartState) {
    for (id, record) in state.keys { keys[id] = record }
    for (id, record) in state.targets { targets[id] = record }
  }

  /// Ends the steps whose other part cannot even be tried.
  /// - Parameters:
  ///   - all: the steps that belong together.
  ///   - open: those of them that can be tried.
  func withoutOtherPart(_ all: [StoreStep], _ open: [StoreStep]) -> [StoreStep] {
    guard open.count < all.count else { return open }
    let tried = Set(open.map { Name($0.step) })
    let refused = Dictionary(
      all.compactMap { typed in
        tried.contains(Name(typed.step)) ? nil : typed.effect.part?.whole.map { ($0, typed.step.address) }
      }
    ) { first, _ in first }
    return open.filter { typed in
      guard let address = typed.effect.part?.whole.flatMap({ refused[$0] }) else { return true }
      end(typed.step, .notTried(.dependency(address)))
      return false
    }
  }

  /// Whether a key is a part whose value does not work with those of the other parts.
  func isMixed(_ id: Identifier<Key>) -> Bool {
    guard id.whole != nil else { return false }
    return PartRecords(wholes.parts(of: id).filter { applier.manifest.keys[$0] != nil }, in: keys).areMixed
  }

  /// The number of a part's new version: that which another part has already got, or else the next one. Nil for any other key.
  func partNumber(of id: Identifier<Key>) -> Int64? {
    guard id.whole != nil else { return nil }
    let records = PartRecords(wholes.parts(of: id), in: keys)
    let others = records.parts.filter { $0.key != id }.map(\.record.version.number)
    return ([keys[id].map { PartRecords([(id, $0)]).nextNumber } ?? 1] + others).max()
  }

  /// The number of the version that all parts get at once.
  func commonNumber(of id: Identifier<Key>) -> Int64? {
    id.whole == nil ? nil : PartRecords(wholes.parts(of: id), in: start.keys).nextNumber
  }

  /// A request's record belongs to the key that the request is for.
  func moveMint(of old: Identifier<Key>, to new: Identifier<Key>) -> [RecordChange] {
    guard let before = old.whole, let after = new.whole, let attempt = mints.removeValue(forKey: before) else {
      return []
    }
    mints[after] = attempt
    return [.mint(before, nil), .mint(after, attempt)]
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
