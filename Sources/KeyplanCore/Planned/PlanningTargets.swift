extension Draft {
  /// Declared × recorded × found at the target: the second truth table.
  mutating func planTargets() {
    for (id, target) in manifest.targets.inOrder where !unsupported.contains(.target(id)) {
      planTarget(id, target)
    }
    for (id, record) in recorded.targets.inOrder
    where manifest.targets[id] == nil && !unsupported.contains(.target(id)) {
      planWithdrawal(id, record, of: Array(record.entries.keys), from: record.destination, isMove: false, at: nil)
    }
  }

  private mutating func planTarget(_ id: Identifier<Target>, _ target: Target) {
    var record = recorded.targets[id]
    if let old = record, old.destination != target.destination {
      let left = Array(old.entries.keys)
      guard planWithdrawal(id, old, of: left, from: old.destination, isMove: true, at: target.place) else { return }
      record?.entries = [:]
    }
    let names = desired(of: target)
    guard let finding = observed.targets[target.destination] else { return }
    switch finding {
    case .unreachable(let reason): return block(.targetUnreachable, id, target.place, record, reason)
    case .unreadable(let reason): return block(.targetUnreadable, id, target.place, record, reason)
    case .writeOnly:
      tell(
        .targetWriteOnly,
        "\(target.destination.location) takes values and never shows them; what is there now is not known.",
        at: target.place, of: .target(id))
      planBlind(id, target, record, names)
    case .notAllowed: planBlind(id, target, record, names)
    case .entries(let found): planEntries(id, target, record, names, found)
    }
    let gone = (record?.entries.keys).map { $0.filter { names.keys[$0] == nil && !names.blocked.contains($0) } } ?? []
    if let record { planWithdrawal(id, record, of: gone, from: target.destination, isMove: false, at: target.place) }
  }

  /// What a target should hold, and the names that are left alone because their key has no value yet.
  private func desired(of target: Target) -> (keys: [String: Identifier<Key>], blocked: Set<String>) {
    var keys: [String: Identifier<Key>] = [:]
    var blocked: Set<String> = []
    for entry in target.entries {
      let candidates: [Identifier<Key>]
      var chosen: Identifier<Key>?
      switch entry.feed {
      case .key(let key):
        candidates = [key]
        chosen = key
      case .slot(let slot):
        candidates = manifest.slots[slot]?.candidates ?? []
        chosen = choices[slot]
      }
      if let key = chosen, let outlook = outlooks[key], outlook.hasValue {
        guard !outlook.isRetired, !retiring.contains(key) else { continue }
        if let name = entry.name(for: outlook.facts) { keys[name] = key }
      } else {
        blocked.formUnion(candidates.compactMap { key in manifest.keys[key].flatMap { entry.name(for: $0.facts) } })
      }
    }
    return (keys, blocked.subtracting(keys.keys))
  }

  private mutating func planEntries(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?,
    _ names: (keys: [String: Identifier<Key>], blocked: Set<String>), _ found: [String: FoundEntry]
  ) {
    var entries: [TargetWrite.Entry] = []
    var ground: [String: Fingerprint] = [:]
    var taken: [String] = []
    for (name, key) in names.keys.inOrder {
      let reason = reason(for: name, key, recorded: record?.entries[name], found: found[name])
      guard let reason else { continue }
      if reason == .takeOver, !target.takeOver, !allowances.overwrite { taken.append(name) }
      entries.append(TargetWrite.Entry(name: name, key: key, reason: reason))
      ground[name] = found[name]?.fingerprint(of: key)
    }
    if !taken.isEmpty {
      tell(
        .targetTaken,
        "\(target.destination.location) already holds other values under \(taken.joined(separator: ", ")), and keyplan "
          + "did not write them.",
        hint: "Say `takeOver: true` on target.\(id), or --allow-overwrite for this once.", at: target.place,
        of: .target(id))
    }
    addSync(id, target, record, entries, ground, total: names.keys.count)
  }

  /// Why a name is written; nil where all is well.
  private func reason(
    for name: String, _ key: Identifier<Key>, recorded entry: TargetRecord.Entry?, found: FoundEntry?
  ) -> TargetWrite.Reason? {
    let wanted = outlooks[key]?.fingerprint
    guard let entry else {
      guard let found else { return .new }
      return found.holds(wanted, of: key) ? .alreadyThere : .takeOver
    }
    guard let found else { return .missingThere }
    guard found.holds(entry.fingerprint, of: entry.key) else {
      return found.holds(wanted, of: key) ? .alreadyThere : .changedThere
    }
    return entry.key == key && wanted == entry.fingerprint ? nil : .keyChanged
  }

  /// Plans by what is recorded, because what is there cannot be read, or not yet.
  private mutating func planBlind(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?,
    _ names: (keys: [String: Identifier<Key>], blocked: Set<String>)
  ) {
    let entries = names.keys.inOrder.compactMap { name, key -> TargetWrite.Entry? in
      let entry = record?.entries[name]
      guard entry == nil || entry?.key != key || entry?.fingerprint != outlooks[key]?.fingerprint else { return nil }
      return TargetWrite.Entry(name: name, key: key, reason: .notReadable)
    }
    addSync(id, target, record, entries, nil, total: names.keys.count)
  }

  private mutating func addSync(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ entries: [TargetWrite.Entry],
    _ ground: [String: Fingerprint]?, total: Int
  ) {
    guard !entries.isEmpty else { return }
    var after: Set<Address> = []
    for entry in entries where outlooks[entry.key]?.isWritten == true { after.insert(.key(entry.key)) }
    for entry in target.entries {
      if case .slot(let slot) = entry.feed, recorded.slots[slot]?.key != choices[slot] { after.insert(.slot(slot)) }
    }
    if let surface = target.destination.surface { after.insert(.surface(surface)) }
    add(
      .sync(TargetWrite(destination: target.destination, entries: entries, total: total)), at: .target(id),
      because: cause(of: entries, .target(id)), on: Ground(revision: record?.revision, target: ground),
      after: after.map { ($0, $0.description) }.sorted { $0.1 < $1.1 }.map(\.0))
  }

  private func cause(of entries: [TargetWrite.Entry], _ address: Address) -> Cause {
    if recorded.interrupted[address] != nil { return .interrupted }
    if entries.allSatisfy({ $0.reason == .changedThere || $0.reason == .missingThere }) { return .drift }
    return entries.allSatisfy { outlooks[$0.key]?.isWritten == true && $0.reason == .keyChanged } ? .follows : .manifest
  }

  /// Plans to take recorded names away from one place. False when that place could not be asked, so that nothing may move on.
  @discardableResult
  private mutating func planWithdrawal(
    _ id: Identifier<Target>, _ record: TargetRecord, of names: [String], from destination: Destination, isMove: Bool,
    at place: Place?
  ) -> Bool {
    guard !names.isEmpty || manifest.targets[id] == nil else { return true }
    var found: [String: FoundEntry]?
    switch observed.targets[destination] {
    case .entries(let entries): found = entries
    case .writeOnly: found = nil
    case .unreachable(let reason):
      block(.targetUnreachable, id, place, record, reason)
      return false
    case .unreadable(let reason):
      block(.targetUnreadable, id, place, record, reason)
      return false
    case .notAllowed, nil: return false
    }
    var removed: [String] = []
    var released: [String] = []
    var ground: [String: Fingerprint] = [:]
    for name in names.sorted() {
      guard let entry = record.entries[name] else { continue }
      if found?[name]?.holds(entry.fingerprint, of: entry.key) ?? (found == nil) {
        removed.append(name)
        ground[name] = entry.fingerprint
      } else {
        released.append(name)
        guard found?[name] != nil else { continue }
        tell(
          .changedByOthers,
          "\(name) at \(destination.location) is no longer declared, and holds a value that keyplan did not write. "
            + "It is left in place.",
          at: place, of: .entry(id, name: name))
      }
    }
    let isInterrupted = recorded.interrupted[.target(id)] != nil
    add(
      .withdraw(TargetRemoval(destination: destination, names: removed, released: released, isMove: isMove)),
      at: .target(id), because: isInterrupted ? .interrupted : .manifest,
      on: Ground(revision: record.revision, target: found == nil ? nil : ground), after: isMove ? [] : [.target(id)])
    return true
  }

  private mutating func block(
    _ code: Diagnostic.Code, _ id: Identifier<Target>, _ place: Place?, _ record: TargetRecord?, _ reason: String
  ) {
    stuck.formUnion(record?.entries.values.map(\.key) ?? [])
    tell(code, "target.\(id): \(reason) Nothing is changed there.", at: place, of: .target(id))
  }
}
