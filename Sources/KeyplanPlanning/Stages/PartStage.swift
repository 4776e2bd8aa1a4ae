internal import KeyplanModel

/// Finds keys whose parts have values of different keys at the provider. Targets keep their values of these parts.
struct PartStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  /// The parts of these keys.
  private(set) var mixed: Set<Identifier<Key>> = []

  init(_ context: PlanningContext, _ keys: KeyStage) {
    self.context = context
    for minting in keys.divided { plan(minting, keys.states) }
  }

  private mutating func plan(_ minting: Minting, _ states: PlannedKeyStates) {
    let parts = minting.parts.map(\.key)
    guard !parts.contains(where: { unsupported.contains(.key($0)) }) else { return }
    let given = parts.filter { if case .given = observed.sources[$0] { true } else { false } }
    let records = PartRecords(parts, in: recorded.keys)
    guard given.isEmpty else {
      // The other values may be set next.
      if records.parts.contains(where: { !given.contains($0.key) && PartVersion($0.key, $0.record).made != nil }) {
        mixed.formUnion(parts)
      }
      return
    }
    guard !parts.contains(where: { states[$0]?.isWritten == true }), records.areMixed else { return }
    mixed.formUnion(parts)
    let versions = records.parts.map { PartVersion($0.key, $0.record) }
    report(.key(minting.holder, .partsDiffer(minting.key, versions)), at: manifest.keys[minting.holder]?.place)
  }
}
