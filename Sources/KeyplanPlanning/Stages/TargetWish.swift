internal import KeyplanModel

/// The wanted contents of a target.
struct TargetWish {
  /// A declared entry whose key is retired or revoked.
  typealias Unusable = (key: Identifier<Key>, state: PlannedKeyState, declared: Target.Entry)

  /// The key for each name.
  private(set) var keys: [String: Identifier<Key>] = [:]
  /// The names that are left alone, because their key or its value is not known yet.
  private(set) var blocked: Set<String> = []
  /// The number of entries without a known key or value. Each can have several possible names.
  private var waiting = 0
  /// The number of names that belong there, now or once they have a value.
  var count: Int { keys.count + waiting }
  /// The entries that get no value.
  private(set) var unusable: [Unusable] = []

  /// - Parameters:
  ///   - choices: the key of each slot.
  ///   - retiring: the keys that are about to be retired.
  ///   - mixed: the keys whose values do not work together.
  init(
    of id: Identifier<Target>, _ target: Target, _ context: PlanningContext, _ states: PlannedKeyStates,
    choices: [Identifier<Slot>: Identifier<Key>], retiring: Set<Identifier<Key>>, mixed: Set<Identifier<Key>>
  ) {
    let (manifest, recorded) = (context.manifest, context.recorded)
    var kept: Set<Identifier<Key>> = []
    for entry in target.entries {
      let chosen: Identifier<Key>? =
        switch entry.feed {
        case .key(let key): key
        case .slot(let slot): choices[slot]
        }
      if let key = chosen, let state = states[key], state.hasValue, let facts = manifest.keys[key]?.facts,
        !mixed.contains(key)
      {
        if retiring.contains(key) { continue }
        guard !state.isOutOfUse else {
          unusable.append((key, state, entry))
          continue
        }
        if let name = entry.name(for: facts) { keys[name] = key }
      } else {
        waiting += 1
        blocked.formUnion(manifest.possibleNames(of: entry))
        // A slot that cannot move on stays, together with the names that it feeds.
        if case .slot(let slot) = entry.feed, let active = recorded.slots[slot]?.key, manifest.keys[active] != nil {
          kept.insert(active)
        }
      }
    }
    if let record = recorded.targets[id], !kept.isEmpty {
      blocked.formUnion(record.entries.lazy.filter { kept.contains($0.value.key) }.map(\.key))
    }
    blocked.subtract(keys.keys)
  }
}
