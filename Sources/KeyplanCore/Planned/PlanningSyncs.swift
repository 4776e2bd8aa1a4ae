extension Draft {
  /// Plans to write what a target lacks. `others` are records that other targets left at the same place: what they wrote
  /// there is keyplan's own.
  mutating func planSync(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ wish: Wish, heirOf others: [TargetRecord]
  ) {
    switch observed.targets[target.destination] {
    case .entries(let found): planEntries(id, target, record, wish.keys, found, others)
    case .writeOnly:
      tell(
        .targetWriteOnly,
        "\(target.destination.location) takes values and never shows them; what is there now is not known.",
        at: target.place, of: .target(id))
      planBlind(id, target, record, wish.keys)
    case .notAllowed: planBlind(id, target, record, wish.keys)
    case .unreachable, .unreadable, nil: break
    }
  }

  private mutating func planEntries(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ names: [String: Identifier<Key>],
    _ found: [String: FoundEntry], _ others: [TargetRecord]
  ) {
    var entries: [TargetWrite.Entry] = []
    var ground: [String: Fingerprint] = [:]
    var taken: [String] = []
    for (name, key) in names.inOrder {
      let inherited = others.compactMap { $0.entries[name] }
      guard let reason = reason(for: name, key, recorded: record?.entries[name], inherited, found: found[name])
      else { continue }
      // Whether a value that is known at apply only is the one that is there already is looked at then.
      let isKnown = outlook(of: key)?.fingerprint != nil
      if reason == .takeOver, isKnown, !target.takeOver, !allowances.overwrite { taken.append(name) }
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
    addSync(id, target, record, entries, ground, total: names.count)
  }

  /// Why a name is written; nil where all is well.
  private func reason(
    for name: String, _ key: Identifier<Key>, recorded entry: TargetRecord.Entry?, _ inherited: [TargetRecord.Entry],
    found: FoundEntry?
  ) -> TargetWrite.Reason? {
    let wanted = outlook(of: key)?.fingerprint
    guard let entry else {
      guard let found else { return .new }
      if found.holds(wanted, of: key) { return .alreadyThere }
      let isOurs = found.isOurs(among: recorded.keys) || inherited.contains { found.holds($0.fingerprint, of: $0.key) }
      return isOurs ? .keyChanged : .takeOver
    }
    guard let found else { return .missingThere }
    guard found.holds(entry.fingerprint, of: entry.key) else {
      return found.holds(wanted, of: key) ? .alreadyThere : .changedThere
    }
    return entry.key == key && wanted == entry.fingerprint ? nil : .keyChanged
  }

  /// Plans by what is recorded, because what is there cannot be read, or not yet.
  private mutating func planBlind(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ names: [String: Identifier<Key>]
  ) {
    let entries = names.inOrder.compactMap { name, key -> TargetWrite.Entry? in
      let entry = record?.entries[name]
      guard entry == nil || entry?.key != key || entry?.fingerprint != outlook(of: key)?.fingerprint else { return nil }
      return TargetWrite.Entry(name: name, key: key, reason: .notReadable)
    }
    addSync(id, target, record, entries, nil, total: names.count)
  }

  private mutating func addSync(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ entries: [TargetWrite.Entry],
    _ ground: [String: Fingerprint]?, total: Int
  ) {
    guard !entries.isEmpty else { return }
    // What is there already is only written down in the records.
    if entries.contains(where: { $0.reason != .alreadyThere }),
      isHindered(id, at: target.destination, target.place, record)
    {
      return
    }
    var after: Set<Address> = []
    for entry in entries where outlook(of: entry.key)?.isWritten == true { after.insert(.key(entry.key)) }
    for entry in target.entries {
      if case .slot(let slot) = entry.feed, recorded.slots[slot]?.key != choices[slot] { after.insert(.slot(slot)) }
    }
    if let surface = target.destination.surface { after.insert(.surface(surface)) }
    // The record has room for one place: writing to the new one first would lose sight of the values at the old one.
    if let record, record.destination != target.destination { after.insert(.target(id)) }
    if let attempt = recorded.attempts[id], attempt.destination != target.destination { after.insert(.target(id)) }
    add(
      .sync(TargetWrite(destination: target.destination, entries: entries, total: total)), at: .target(id),
      because: cause(of: entries, .target(id)), on: Ground(revision: record?.revision, target: ground),
      after: after.map { ($0, $0.description) }.sorted { $0.1 < $1.1 }.map(\.0))
  }

  private func cause(of entries: [TargetWrite.Entry], _ address: Address) -> Cause {
    if recorded.interrupted[address] != nil { return .interrupted }
    if entries.allSatisfy({ $0.reason == .changedThere || $0.reason == .missingThere }) { return .drift }
    let allFollow = entries.allSatisfy { outlook(of: $0.key)?.isWritten == true && $0.reason == .keyChanged }
    return allFollow ? .follows : .manifest
  }
}
