extension TargetStage {
  /// Plans to take recorded names away from one place. False when that place could not be asked, so that nothing may move on.
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
    // Another declared target writes here now, so what it wants passes over to it.
    let successor = claims[destination].flatMap { $0.target == id ? nil : $0 }
    var removal = (names: [String](), released: [String](), ground: TargetPrecondition())
    switch found {
    case .entries: removal.ground.values = [:]
    case .marks: removal.ground.marks = [:]
    case .unseen: break
    }
    for name in names.sorted() {
      guard let entry = record.entries[name] else { continue }
      let isPassedOn = successor?.names.contains(name) ?? false
      let facts = NameFacts(
        wanted: .nothing, written: entry, seen: observed.targets[destination].seen(name), isAttempted: false)
      if !isPassedOn, facts.standing(among: recorded.keys) == .leftover || found.isUnseen {
        removal.names.append(name)
        removal.ground.values?[name] = entry.fingerprint
        removal.ground.marks?[name] = found.mark(of: name)
        continue
      }
      removal.released.append(name)
      if !isPassedOn, found.has(name) {
        report(.entry(id, name: name, destination, .changedByOthers), at: place)
      }
    }
    if !removal.names.isEmpty, isHindered(id, at: destination, removing: removal.names, place, record) { return false }
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

  /// What a place holds, as far as it shows it.
  private enum Content {
    case entries([String: FoundEntry]), marks([String: Mark?]), unseen

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

  /// Leaves a target that could not be asked, or cannot be written, as it is.
  mutating func block(
    _ issue: TargetIssue, _ id: Identifier<Target>, _ place: FileLocation?, _ record: TargetRecord?
  ) {
    held.formUnion(record?.entries.values.map(\.key) ?? [])
    report(.target(id, issue), at: place)
  }

  /// Whether something is in the way of writing there; then the target is left as it is.
  mutating func isHindered(
    _ id: Identifier<Target>, at destination: Destination, setting set: [String] = [], removing removed: [String] = [],
    _ place: FileLocation?, _ record: TargetRecord?
  ) -> Bool {
    guard let writeBlockers = observed.writeBlockers[destination] else { return false }
    if let obstacle = writeBlockers.place, !obstacle.isOnlyHere {
      if unwritable.insert(id).inserted { block(.blocked(obstacle), id, place, record) }
      return true
    }
    let names = writeBlockers.blocked(setting: set, removing: removed)
    guard names.isEmpty else {
      if unwritable.insert(id).inserted { block(.namesBlocked(names), id, place, record) }
      return true
    }
    if let obstacle = writeBlockers.place, unwritable.insert(id).inserted {
      report(.target(id, .blockedHere(obstacle)), at: place)
    }
    return false
  }
}
