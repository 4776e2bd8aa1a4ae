extension PlanBuilder {
  /// A record gets its new name before anything else is made of it. Two records for one name are left as they are.
  mutating func planMoves() {
    for (new, old) in moves.inOrder {
      add(
        .move(from: old), at: .key(new), because: .migration, on: Precondition(revision: recorded.keys[new]?.revision))
    }
    for (new, recorded) in manifest.collisions(in: observed.recorded).inOrder {
      unwithdrawable.formUnion(recorded.filter { $0 != new })
      report(
        .key(new, .collision(recorded.sorted())), at: manifest.migrations.first { $0.key == new }?.place)
    }
  }

  /// Whatever speaks of a key that moves waits until it has its new name.
  func waitingForMoves(_ step: Step) -> Step {
    if case .move = step.effect { return step }
    let moved = keys(of: step).intersection(moves.keys).map(Address.key).filter { !step.after.contains($0) }
    guard !moved.isEmpty else { return step }
    return Step(
      step.effect, at: step.address, because: step.cause, on: step.ground, after: step.after + moved.sorted())
  }

  private func keys(of step: Step) -> Set<Identifier<Key>> {
    var keys: Set<Identifier<Key>> = []
    switch step.address {
    case .key(let id): keys.insert(id)
    case .slot(let id):
      if let old = recorded.slots[id]?.key { keys.insert(old) }
      if case .activate(let new, _) = step.effect { keys.insert(new) }
    case .target(let id):
      keys.formUnion((recorded.targets[id]?.entries ?? [:]).values.lazy.map(\.key))
      if let attempt = recorded.attempts[id] { keys.formUnion(attempt.names.values) }
      if case .sync(let write) = step.effect { keys.formUnion(write.entries.lazy.map(\.key)) }
    case .entry, .calendar, .recipients, .surface, .migration, .rules, .store: break
    }
    return keys
  }
}
