internal import KeyplanModel

/// Retires expired keys, except the last usable key of a slot or target. A value that would be retired at once is not stored.
struct RetirementStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  /// The keys that this plan retires.
  private(set) var retiring: Set<Identifier<Key>> = []
  /// The keys whose new value is not stored, because it has expired already.
  private(set) var refused: Set<Identifier<Key>> = []
  /// The keys' states, without the values in `refused`.
  private(set) var states: PlannedKeyStates

  init(_ context: PlanningContext, _ keys: KeyStage, _ slots: SlotStage) {
    self.context = context
    states = keys.states
    retire(keys.ending, slots.choices)
  }

  private mutating func retire(_ ending: [Identifier<Key>], _ choices: [Identifier<Slot>: Identifier<Key>]) {
    var needed = Set(choices.values)
    for target in manifest.targets.values {
      for case .key(let key) in target.entries.lazy.map(\.feed) { needed.insert(key) }
    }
    // The parts of a composed value are needed as long as the value itself.
    for id in manifest.composed.keys.reversed() where needed.contains(id) {
      needed.formUnion(manifest.keys[id]?.composition?.parts ?? [])
    }
    var successions: [Identifier<Key>: [Address]] = [:]
    for (slot, record) in recorded.slots.inOrder where choices[slot].map({ $0 != record.key }) ?? false {
      successions[record.key, default: []].append(.slot(slot))
    }
    for id in ending {
      guard let key = manifest.keys[id], let expiry = key.facts.expiry, let planned = states[id], planned.hasValue,
        !planned.isOutOfUse
      else { continue }
      let record = recorded.keys[id]
      switch expiry.state(from: states.birth(of: id, key.facts), at: now) {
      case .fresh: continue
      case .soon(let end):
        report(.key(id, .expiresSoon(expiry.limit, on: end)), at: key.place)
      // `KeyStage` has planned the new value, or reported why there is none.
      case .over where expiry.then == .rotate: continue
      case .over(let end) where !planned.isOver:
        report(.key(id, .expired(on: end)), at: key.place)
      case .over(let end):
        // Its other parts are of no use without it.
        let isNeeded = needed.contains(id) || key.minting?.parts.contains { needed.contains($0.key) } == true
        if isNeeded, !allowances.retire {
          report(.key(id, .lastKeyKept(expiredOn: end)), at: key.place)
        } else {
          if planned.isWritten {
            refused.insert(id)
            report(.key(id, .newValueExpired(expiry.limit, on: end)), at: key.place)
            states.unwrite(id)
          }
          guard let record, record.retiredAt == nil else { continue }
          retiring.insert(id)
          add(
            .key(id, .retire), because: .expiry, on: Precondition(revision: record.revision),
            after: successions[id] ?? [])
        }
      }
    }
    followParts()
  }

  /// A value that is made of a retired one goes out of use with it, and is not made of one that is not stored.
  private mutating func followParts() {
    guard !retiring.isEmpty || !refused.isEmpty else { return }
    for id in manifest.composed.keys {
      guard let parts = manifest.keys[id]?.composition?.parts else { continue }
      if parts.contains(where: retiring.contains), recorded.keys[id] != nil { retiring.insert(id) }
      guard parts.contains(where: refused.contains), states[id]?.isWritten == true else { continue }
      refused.insert(id)
      states.unwrite(id)
    }
  }
}
