extension Draft {
  /// Plans to take recorded names away from one place. False when that place could not be asked, so that nothing may move on.
  @discardableResult
  mutating func planWithdrawal(
    _ id: Identifier<Target>, _ record: TargetRecord, of names: [String], from destination: Destination, isMove: Bool,
    at place: Place?
  ) -> Bool {
    guard !names.isEmpty || manifest.targets[id] == nil else { return true }
    var found: [String: FoundEntry]?
    switch observed.targets[destination] {
    case .entries(let entries): found = entries
    case .writeOnly, .notAskedHere: found = nil
    case .unreachable(let reason):
      block(.targetUnreachable, id, place, record, reason)
      return false
    case .unreadable(let reason):
      block(.targetUnreadable, id, place, record, reason)
      return false
    case .notAllowed where manifest.targets[id]?.destination != destination:
      block(.targetUnreachable, id, place, record, "\(destination.location) may not be touched.")
      return false
    case .notAllowed, nil:
      stuck.formUnion(record.entries.values.map(\.key))
      return false
    }
    // Another declared target writes here now, so what it wants passes over to it.
    let heir = claims[destination].flatMap { $0.target == id ? nil : $0 }
    var removal = (names: [String](), released: [String](), ground: [String: Fingerprint]())
    for name in names.sorted() {
      guard let entry = record.entries[name] else { continue }
      let isPassedOn = heir?.names.contains(name) ?? false
      if !isPassedOn, found?[name]?.holds(entry.fingerprint, of: entry.key) ?? (found == nil) {
        removal.names.append(name)
        removal.ground[name] = entry.fingerprint
        continue
      }
      removal.released.append(name)
      if !isPassedOn, found?[name] != nil { tellChanged(name, id, destination, place) }
    }
    if !removal.names.isEmpty, isHindered(id, at: destination, removing: removal.names, place, record) { return false }
    let isInterrupted = recorded.interrupted[.target(id)] != nil || recorded.attempts[id] != nil
    let heirs = heir.map { [Address.target($0.target)] } ?? []
    add(
      .withdraw(
        TargetRemoval(destination: destination, names: removal.names, released: removal.released, isMove: isMove)),
      at: .target(id), because: isInterrupted ? .interrupted : .manifest,
      on: Ground(revision: recorded.targets[id]?.revision, target: found == nil ? nil : removal.ground),
      after: isMove ? [] : ([.target(id)] + heirs).sorted())
    return true
  }

  private mutating func tellChanged(
    _ name: String, _ id: Identifier<Target>, _ destination: Destination, _ place: Place?
  ) {
    tell(
      .changedByOthers,
      "\(name) at \(destination.location) is no longer declared, and holds a value that keyplan did not write. "
        + "It is left in place.",
      at: place, of: .entry(id, name: name))
  }

  /// Leaves a target that could not be asked, or cannot be written, as it is.
  mutating func block(
    _ code: Diagnostic.Code, _ id: Identifier<Target>, _ place: Place?, _ record: TargetRecord?, _ reason: String,
    hint: String? = nil
  ) {
    stuck.formUnion(record?.entries.values.map(\.key) ?? [])
    tell(code, "target.\(id): \(reason) Nothing is changed there.", hint: hint, at: place, of: .target(id))
  }

  /// Whether something is in the way of writing there; then the target is left as it is.
  mutating func isHindered(
    _ id: Identifier<Target>, at destination: Destination, setting set: [String] = [], removing removed: [String] = [],
    _ place: Place?, _ record: TargetRecord?
  ) -> Bool {
    guard let obstacles = observed.obstacles[destination] else { return false }
    if let obstacle = obstacles.place, !obstacle.isOnlyHere {
      if hindered.insert(id).inserted {
        block(.targetUnreadable, id, place, record, obstacle.reason, hint: obstacle.hint)
      }
      return true
    }
    if let reason = obstacles.reason(setting: set, removing: removed) {
      if hindered.insert(id).inserted {
        block(
          .targetUnreadable, id, place, record, reason,
          hint: "Edit the file so that these names hold plain strings, or remove them from the target.")
      }
      return true
    }
    if let obstacle = obstacles.place, hindered.insert(id).inserted {
      tell(
        .targetNotWritable, "target.\(id): \(obstacle.reason) An apply from here would leave it as it is.",
        hint: obstacle.hint, at: place, of: .target(id))
    }
    return false
  }
}
