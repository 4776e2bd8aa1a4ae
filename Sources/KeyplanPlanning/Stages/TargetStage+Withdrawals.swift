internal import KeyplanModel

extension TargetStage {
  /// Plans to remove recorded names from one place. False if that place was unreachable or unusable, so that nothing may move on.
  @discardableResult
  mutating func planWithdrawal(
    _ id: Identifier<Target>, _ record: TargetRecord, of names: [String], from destination: Destination, isMove: Bool,
    at place: FileLocation?
  ) -> Bool {
    guard !names.isEmpty || manifest.targets[id] == nil else { return true }
    let found: Content
    switch observed.targets[destination] {
    case .entries(let entries): found = .entries(entries)
    case .marks(let marks): found = .marks(marks)
    case .notAskedHere: found = .unseen
    case .failed(let failure):
      block(.failed(failure, at: destination), id, place, record)
      return false
    case .notAllowed where manifest.targets[id]?.destination != destination:
      block(.notAllowed(destination), id, place, record)
      return false
    case .notAllowed, nil:
      held.formUnion(record.entries.values.map(\.key))
      return false
    }
    // Another declared target writes here now, so it takes over the names that it wants.
    let successor = claims[destination].flatMap { $0.target == id ? nil : $0 }
    var removal = (names: [String](), released: [String](), ground: TargetPrecondition())
    switch found {
    case .entries: removal.ground.values = [:]
    case .marks: removal.ground.marks = [:]
    case .unseen: break
    }
    // A place is left as a whole, and an open attempt is closed as a whole.
    let isWhole = isMove || recorded.attempts[id] != nil
    let unread = reportUnread(
      names.filter { found.failure(of: $0) != nil }, found.entries, id, isWhole: isWhole, place, record)
    guard unread.isEmpty || !isWhole else { return false }
    for name in names.sorted() where !unread.contains(name) {
      guard let entry = record.entries[name] else { continue }
      let isPassedOn = successor?.names.contains(name) ?? false
      let facts = NameFacts(
        wanted: .nothing, written: entry, seen: observed.targets[destination].seen(name), isAttempted: false)
      if !isPassedOn, facts.standing(among: recorded.keys) == .leftover || found.isUnseen {
        removal.names.append(name)
        removal.ground.values?[name] = found.entries[name]?.fingerprint(of: entry.key) ?? entry.fingerprint
        removal.ground.marks?[name] = found.mark(of: name)
        continue
      }
      removal.released.append(name)
      if !isPassedOn, found.has(name) {
        report(.entry(id, name: name, destination, .changedByOthers), at: place)
      }
    }
    if !removal.names.isEmpty {
      guard
        let blocked = blockedNames(
          id, at: destination, removing: removal.names, isWhole: isWhole, place, record)
      else { return false }
      removal.names.removeAll { blocked.contains($0) }
      removal.ground.remove(blocked)
      guard blocked.isEmpty || !removal.names.isEmpty || !removal.released.isEmpty else { return false }
    }
    guard unread.isEmpty || !removal.names.isEmpty || !removal.released.isEmpty else { return false }
    let isInterrupted = recorded.interrupted[.target(id)] != nil || recorded.attempts[id] != nil
    let heirs = successor.map { [Address.target($0.target)] } ?? []
    add(
      .outside(
        .withdraw(
          id,
          TargetRemoval(
            destination: destination, names: removal.names, released: removal.released, isMove: isMove,
            notice: manifest.targets[id]?.notice(of: .remove)))
      ),
      because: isInterrupted ? .interrupted : .manifest,
      on: Precondition(
        revision: recorded.targets[id]?.revision, target: removal.ground.values, marks: removal.ground.marks),
      after: isMove ? [] : ([.target(id)] + heirs).sorted())
    return true
  }

  /// The contents of a place, as far as it shows them.
  private enum Content {
    case entries([String: FoundEntry]), marks([String: Mark?]), unseen

    var entries: [String: FoundEntry] { if case .entries(let found) = self { found } else { [:] } }

    func failure(of name: String) -> AccessFailure? { entries[name]?.failure }

    var isUnseen: Bool { if case .unseen = self { true } else { false } }

    func has(_ name: String) -> Bool {
      switch self {
      case .entries(let found): found[name] != nil
      case .marks(let found): found[name] != nil
      case .unseen: false
      }
    }

    func mark(of name: String) -> String? {
      guard case .marks(let found) = self else { return nil }
      return found[name].map { $0?.text ?? "" }
    }
  }

  /// Leaves a target that was unreachable or cannot be written unchanged.
  mutating func block(
    _ issue: TargetIssue, _ id: Identifier<Target>, _ place: FileLocation?, _ record: TargetRecord?
  ) {
    held.formUnion(record?.entries.values.map(\.key) ?? [])
    report(.target(id, issue), at: place)
  }

  /// Reports names whose values could not be read: they are left unchanged.
  /// - Parameter isWhole: whether the names are changed together or not at all.
  /// - Returns: the names.
  mutating func reportUnread(
    _ names: [String], _ found: [String: FoundEntry], _ id: Identifier<Target>, isWhole: Bool = false,
    _ place: FileLocation?, _ record: TargetRecord?
  ) -> Set<String> {
    guard !names.isEmpty else { return [] }
    let blockers = names.compactMap { name in found[name]?.failure.map { (name, WriteBlocker($0)) } }
    let issue = TargetIssue.namesBlocked(WriteBlockers.grouped(blockers), isWhole: isWhole)
    if isWhole {
      block(issue, id, place, record)
    } else {
      held.formUnion(names.compactMap { record?.entries[$0]?.key })
      report(.target(id, issue), at: place)
    }
    return Set(names)
  }

  /// The names that cannot be changed there: they are reported and left unchanged, and do not block the others. Nil if the whole target is
  /// left unchanged.
  /// - Parameter isWhole: whether the names are changed together or not at all.
  mutating func blockedNames(
    _ id: Identifier<Target>, at destination: Destination, setting set: [String] = [], removing removed: [String] = [],
    isWhole: Bool = false, _ place: FileLocation?, _ record: TargetRecord?
  ) -> Set<String>? {
    guard let writeBlockers = observed.writeBlockers[destination] else { return [] }
    if let obstacle = writeBlockers.place, !obstacle.isOnlyHere {
      if unwritable.insert(id).inserted { block(.blocked(obstacle), id, place, record) }
      return nil
    }
    let groups = writeBlockers.blocked(setting: set, removing: removed)
    if isWhole, !groups.isEmpty {
      if unwritable.insert(id).inserted { block(.namesBlocked(groups, isWhole: true), id, place, record) }
      return nil
    }
    let names = Set(groups.flatMap(\.names))
    if !names.isEmpty {
      held.formUnion(names.compactMap { record?.entries[$0]?.key })
      report(.target(id, .namesBlocked(groups, isWhole: false)), at: place)
    }
    if let obstacle = writeBlockers.place, unwritable.insert(id).inserted {
      report(.target(id, .blockedHere(obstacle)), at: place)
    }
    return names
  }
}
