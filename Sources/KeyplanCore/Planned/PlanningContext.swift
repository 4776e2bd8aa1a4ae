/// What all stages of planning read.
struct PlanningContext {
  let manifest: Manifest
  let observed: Observation
  let allowances: Allowances
  let now: Moment
  let unsupported: Set<Address>
  /// For each new name the recorded one that it takes over.
  let moves: [Identifier<Key>: Identifier<Key>]
  /// What is recorded, under the names that it will have once the moves are done.
  let recorded: Recorded
  /// The adoptions that are still to be carried out.
  let adoptions: [Identifier<Key>: Migration]
  /// The migrations of refresh tokens that are still to be carried out.
  let takeovers: [Identifier<Account>: Migration]

  init(manifest: Manifest, observed: Observation, allowances: Allowances, now: Moment) {
    self.manifest = manifest
    self.observed = observed
    self.allowances = allowances
    self.now = now
    unsupported = Set(manifest.unsupported.map(\.address))
    moves = manifest.moves(in: observed.recorded)
    recorded = observed.recorded.moving(moves)
    adoptions = manifest.adoptions(in: recorded)
    takeovers = manifest.takeovers(in: recorded)
  }
}

/// What a stage of planning has decided: steps in any order, and what a person must know about them.
struct Decisions {
  var steps: [Step] = []
  var diagnostics: [Diagnostic] = []
}

/// One stage of planning: a function from what its initializer takes to what it decides. Stages share nothing else.
protocol PlanningStage {
  var context: PlanningContext { get }
  var decisions: Decisions { get set }
}

extension PlanningStage {
  var manifest: Manifest { context.manifest }
  var observed: Observation { context.observed }
  var recorded: Recorded { context.recorded }
  var allowances: Allowances { context.allowances }
  var unsupported: Set<Address> { context.unsupported }
  var now: Moment { context.now }

  mutating func add(
    _ effect: Effect, because cause: Cause, on ground: Precondition = Precondition(), after: [Address] = []
  ) {
    decisions.steps.append(Step(effect, because: cause, on: ground, after: after))
  }

  mutating func report(_ issue: Diagnostic.Issue, at place: FileLocation? = nil) {
    decisions.diagnostics.append(Diagnostic(issue, at: place))
  }
}

extension Dictionary where Key: Comparable {
  /// The pairs in order of keys: dictionaries have no order, and plans must have one.
  var inOrder: [Element] { sorted { $0.key < $1.key } }
}
