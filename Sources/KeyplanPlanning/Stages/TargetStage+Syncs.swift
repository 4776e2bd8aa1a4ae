internal import KeyplanModel

extension TargetStage {
  /// Plans to write the names that a target lacks. `others` are records that other targets left at the same place: the values that they
  /// wrote there are keyplan's own.
  mutating func planSync(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ wish: TargetWish,
    heirOf others: [TargetRecord]
  ) {
    switch observed.targets[target.destination] {
    case .entries(let found): planEntries(id, target, record, wish, found, others)
    case .marks(let found): planMarks(id, target, record, wish, found, heirOf: others)
    // Querying would run nothing, and has only one answer.
    case .notAllowed where target.destination.isNeverRead, .notAskedHere where target.destination.isNeverRead:
      planMarks(id, target, record, wish, wish.keys.mapValues { _ in nil }, heirOf: others)
    case .notAllowed: planBlind(id, target, record, wish)
    case .notAskedHere:
      report(.target(id, .notCompared(target.destination)), at: target.place)
      planBlind(id, target, record, wish)
    case .failed, nil: break
    }
  }

  private mutating func planEntries(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ wish: TargetWish,
    _ found: [String: FoundEntry], _ others: [TargetRecord]
  ) {
    var entries: [TargetWrite.Entry] = []
    var ground: [String: Fingerprint] = [:]
    var taken: [String] = []
    let unread = reportUnread(wish.keys.keys.filter { found[$0]?.failure != nil }, found, id, target.place, record)
    for (name, key) in wish.keys.inOrder where !unread.contains(name) {
      let seen = found[name].map { NameFacts.Seen.value($0) } ?? .nothing
      guard let reason = facts(name, key, id, target, record, seen, others).reason(among: recorded.keys) else {
        continue
      }
      // Whether a value that is known at apply only is the one that is there already is looked at then.
      let isKnown = states[key]?.fingerprint != nil
      if reason == .takeOver, isKnown, !target.takeOver, !allowances.overwrite, !isBlocked(name, at: target.destination)
      {
        taken.append(name)
      }
      entries.append(TargetWrite.Entry(name: name, key: key, reason: reason))
      ground[name] = found[name]?.fingerprint(of: key)
    }
    reportTaken(taken, id, target, canBeRead: true)
    addSync(id, target, record, entries, TargetPrecondition(values: ground), of: wish)
  }

  /// Whether the name cannot be set, so that no permission to replace its value would help.
  func isBlocked(_ name: String, at destination: Destination) -> Bool {
    observed.writeBlockers[destination]?.setting[name] != nil
  }

  func facts(
    _ name: String, _ key: Identifier<Key>, _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?,
    _ seen: NameFacts.Seen, _ others: [TargetRecord]
  ) -> NameFacts {
    let attempt = recorded.attempts[id].flatMap { $0.destination == target.destination ? $0 : nil }
    return NameFacts(
      wanted: .value(key, states[key]?.fingerprint), written: record?.entries[name], seen: seen,
      isAttempted: attempt?.names[name] != nil, inherited: others.compactMap { $0.entries[name] })
  }

  /// Reports values that keyplan did not write and that a sync would replace; nothing if there are none.
  mutating func reportTaken(_ names: [String], _ id: Identifier<Target>, _ target: Target, canBeRead: Bool) {
    guard !names.isEmpty else { return }
    report(.target(id, .taken(target.destination, names: names, canBeRead: canBeRead)), at: target.place)
  }

  /// Plans from the records, because the values there cannot be read, or not yet.
  private mutating func planBlind(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ wish: TargetWish
  ) {
    let entries = wish.keys.inOrder.compactMap { name, key -> TargetWrite.Entry? in
      facts(name, key, id, target, record, .unseen, []).reason(among: recorded.keys).map {
        TargetWrite.Entry(name: name, key: key, reason: $0)
      }
    }
    addSync(id, target, record, entries, .unseen, of: wish)
  }

  mutating func addSync(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ wanted: [TargetWrite.Entry],
    _ planned: TargetPrecondition, of wish: TargetWish
  ) {
    var (entries, ground) = (wanted, planned)
    let mode = wish.keys.isEmpty ? nil : modeChange(id, target)
    guard !entries.isEmpty || mode?.was != nil else { return }
    // Values that are there already are only recorded.
    let written = entries.filter { $0.reason != .alreadyThere }.map(\.name)
    if mode != nil || !written.isEmpty {
      guard let blocked = blockedNames(id, at: target.destination, setting: written, target.place, record) else {
        return
      }
      if !blocked.isEmpty {
        entries.removeAll { blocked.contains($0.name) }
        ground.remove(blocked)
        guard !entries.isEmpty || mode?.was != nil else { return }
      }
    }
    if observed.pipelineFiles.contains(target.destination), !allowances.overwrite {
      report(.target(id, .inPipeline(target.destination)), at: target.place)
    }
    var after: Set<Address> = []
    for entry in entries where states[entry.key]?.isWritten == true { after.insert(.key(entry.key)) }
    for entry in target.entries {
      if case .slot(let slot) = entry.feed, recorded.slots[slot]?.key != choices[slot] { after.insert(.slot(slot)) }
    }
    after.formUnion(manifest.surface(of: target).map(Address.surface))
    // The record has room for one place: writing to the new one first would lose sight of the values at the old one.
    if let record, record.destination != target.destination { after.insert(.target(id)) }
    if let attempt = recorded.attempts[id], attempt.destination != target.destination { after.insert(.target(id)) }
    add(
      .outside(
        .sync(
          id,
          TargetWrite(
            destination: target.destination, entries: entries, total: wish.count, mode: mode,
            takesEffect: target.takesEffect,
            notice: entries.contains { Self.mayCreate($0, record) } ? target.notice(of: .create) : nil,
            newVariables: entries.map(\.name).filter { record?.entries[$0] == nil && target.isReviewed($0) }))),
      because: cause(of: entries, at: id),
      on: Precondition(revision: record?.revision, target: ground.values, marks: ground.marks),
      after: after.map { ($0, $0.description) }.sorted { $0.1 < $1.1 }.map(\.0))
  }

  /// Whether the write may create the name, which is unknown if it was not compared.
  private static func mayCreate(_ entry: TargetWrite.Entry, _ record: TargetRecord?) -> Bool {
    switch entry.reason {
    case .new, .missingThere, .notCompared: true
    case .notReadable: record?.entries[entry.name] == nil
    case .alreadyThere, .takeOver, .keyChanged, .changedThere: false
    }
  }

  /// The change of the file's mode; a mode that gives other users access without a declaration is reported and kept.
  private mutating func modeChange(_ id: Identifier<Target>, _ target: Target) -> TargetWrite.ModeChange? {
    let found = observed.modes[target.destination]
    guard let declared = target.mode else {
      if let found, found.isOpen(beyond: nil) {
        report(.target(id, .exposed(target.destination, found)), at: target.place)
      }
      return nil
    }
    guard declared != found ?? .ownerOnly else { return nil }
    return TargetWrite.ModeChange(was: found, to: declared)
  }

  private func cause(of entries: [TargetWrite.Entry], at id: Identifier<Target>) -> Cause {
    if recorded.interrupted[.target(id)] != nil { return .interrupted }
    if let open = recorded.attempts[id],
      entries.contains(where: { $0.reason == .notReadable && open.names[$0.name] != nil })
    {
      return .interrupted
    }
    if entries.isEmpty { return .manifest }
    if entries.allSatisfy({ $0.reason == .changedThere || $0.reason == .missingThere }) { return .drift }
    let allFollow = entries.allSatisfy { states[$0.key]?.isWritten == true && $0.reason == .keyChanged }
    return allFollow ? .follows : .manifest
  }
}
