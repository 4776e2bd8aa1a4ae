internal import KeyplanModel

/// Renames records before any other change. If two records want one name, neither is renamed.
struct MoveStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  /// The keys whose records are kept because several records want the same name.
  private(set) var held: Set<Identifier<Key>> = []

  init(_ context: PlanningContext) {
    self.context = context
    plan()
  }

  private mutating func plan() {
    for (new, old) in context.moves.inOrder {
      add(
        .key(new, .move(from: old)), because: .migration, on: Precondition(revision: recorded.keys[new]?.revision))
    }
    held = manifest.held(in: observed.recorded)
    for (new, recorded) in manifest.collisions(in: observed.recorded).inOrder {
      held.formUnion(recorded.filter { $0 != new })
      report(
        .key(new, .collision(recorded.sorted())), at: manifest.migrations.first { $0.key == new }?.place)
    }
  }
}

extension PlanningContext {
  /// A step about a key that moves waits until the key has its new name.
  func waitingForMoves(_ step: Step) -> Step {
    if case .store(.key(_, .move)) = step.effect { return step }
    let moved = keys(of: step).intersection(moves.keys).map(Address.key).filter { !step.after.contains($0) }
    guard !moved.isEmpty else { return step }
    return Step(step.effect, because: step.cause, on: step.ground, after: step.after + moved.sorted())
  }

  private func keys(of step: Step) -> Set<Identifier<Key>> {
    var keys: Set<Identifier<Key>> = []
    switch step.address {
    case .key(let id):
      keys.insert(id)
      if case .store(.key(_, let effect)) = step.effect { keys.formUnion(effect.write?.composition?.parts ?? []) }
    case .slot(let id):
      if let old = recorded.slots[id]?.key { keys.insert(old) }
      if case .store(.activate(_, let new, _)) = step.effect { keys.insert(new) }
    case .target(let id):
      keys.formUnion((recorded.targets[id]?.entries ?? [:]).values.lazy.map(\.key))
      if let attempt = recorded.attempts[id] { keys.formUnion(attempt.names.values) }
      if case .outside(.sync(_, let write)) = step.effect { keys.formUnion(write.entries.lazy.map(\.key)) }
    case .entry, .calendar, .recipients, .surface, .migration, .rules, .store: break
    }
    return keys
  }
}
