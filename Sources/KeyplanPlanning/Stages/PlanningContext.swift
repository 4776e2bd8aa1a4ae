internal import KeyplanModel

/// The input of all planning stages.
struct PlanningContext {
  let manifest: Manifest
  let observed: Observation
  let allowances: Allowances
  let now: Moment
  let unsupported: Set<Address>
  /// The recorded name for each new name.
  let moves: [Identifier<Key>: Identifier<Key>]
  /// The records, under the names that they will have after the moves.
  let recorded: Recorded
  /// The grouping of keys that are parts of one.
  let wholes: WholeKeys
  /// Pending adoptions.
  let adoptions: [Identifier<Key>: Migration]
  /// Pending migrations of refresh tokens.
  let takeovers: [Identifier<Account>: Migration]

  init(manifest: Manifest, observed: Observation, allowances: Allowances, now: Moment) {
    self.manifest = manifest
    self.observed = observed
    self.allowances = allowances
    self.now = now
    unsupported = Set(manifest.unsupported.map(\.address))
    moves = manifest.moves(in: observed.recorded)
    var known = observed.recorded.moving(moves).inheriting()
    // Its steps are open, and not interrupted; the commands after its writes are its own.
    if observed.running != nil { (known.interrupted, known.dueHooks) = ([:], [:]) }
    recorded = known
    wholes = WholeKeys(manifest, recorded)
    adoptions = manifest.adoptions(in: recorded)
    takeovers = manifest.takeovers(in: recorded)
  }
}

/// The result of a planning stage: steps in any order, and diagnostics.
struct Decisions {
  var steps: [Step] = []
  var diagnostics: [Diagnostic] = []
}

/// A planning stage: a function from the arguments of its initializer to its decisions. Stages share no other state.
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
