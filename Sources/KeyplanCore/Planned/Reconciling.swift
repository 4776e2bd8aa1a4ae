extension Plan {
  /// Plans the way from what is recorded to what is declared.
  ///
  /// Pure and total: the same arguments always give the same plan, and problems become diagnostics beside the plan, not
  /// errors instead of it. While one of the diagnostics reaches everything, the plan is for reading only.
  public static func reconciling(
    _ manifest: Manifest, with observed: Observation, allowing allowances: Allowances = Allowances(), at now: Moment
  ) -> (plan: Plan, diagnostics: [Diagnostic]) {
    var draft = PlanBuilder(manifest: manifest, observed: observed, allowances: allowances, now: now)
    draft.reportUnsupported()
    draft.planUpgrade()
    draft.planRecipients()
    draft.planGuards()
    draft.planMoves()
    draft.planKeys()
    draft.planSurface()
    draft.planSlots()
    draft.planRetirements()
    draft.reportSharedVariables()
    draft.planTargets()
    draft.planAccounts()
    draft.planRemovals()
    draft.planDisallowing()
    draft.planForgetting()
    draft.guardRules()
    draft.hintAtRenames()
    draft.planSettling()
    return (Plan(steps: draft.ordered()), draft.diagnostics.sorted())
  }
}

/// A plan in the making. Each stage reads what the stages before it have decided.
struct PlanBuilder {
  let manifest: Manifest
  let observed: Observation
  let allowances: Allowances
  let now: Moment
  let unsupported: Set<Address>
  /// For each new name the recorded one that it takes over.
  let moves: [Identifier<Key>: Identifier<Key>]
  /// The adoptions that are still to be carried out.
  let adoptions: [Identifier<Key>: Migration]
  /// The migrations of refresh tokens that are still to be carried out.
  let takeovers: [Identifier<Account>: Migration]
  /// What is recorded, under the names that it will have once the moves are done.
  let recorded: Recorded
  /// The terms under which each declared item must be allowed: what the manifest says, and what was found in files.
  let wantedSurface: [ExternalAccess: Set<String>]

  var steps: [Step] = []
  var diagnostics: [Diagnostic] = []
  /// What the keys will be that this plan writes; the others stay what they are recorded as.
  var written: [Identifier<Key>: PlannedKeyState] = [:]
  /// What a look at each declared key finds for later stages, so that none has to go over all keys again: those with an end,
  /// how many are recorded, and what they touch outside the manifest's folder.
  var ending: [Identifier<Key>] = []
  /// The declared keys with a variable of their own.
  var owners: [Identifier<Key>] = []
  var knownKeys = 0
  var usedSurface: Set<ExternalAccess> = []
  /// Which key each declared slot will have; a slot that stays without one is not in it.
  var choices: [Identifier<Slot>: Identifier<Key>] = [:]
  /// The keys that this plan retires.
  var retiring: Set<Identifier<Key>> = []
  /// The accounts that this plan gives a token that was taken over, and those whose tokens it refreshes.
  var adopting: Set<Identifier<Account>> = []
  var refreshing: Set<Identifier<Account>> = []
  /// The keys that some target will still hold afterwards, because it could not be asked or its next key has no value yet.
  var unwithdrawable: Set<Identifier<Key>> = []
  /// The targets that are not written because of what is in the way at a place, each reported once.
  var unwritable: Set<Identifier<Target>> = []
  /// What declared targets will hold, by place.
  var reservedNames: [Destination: Claim] = [:]

  init(manifest: Manifest, observed: Observation, allowances: Allowances, now: Moment) {
    self.manifest = manifest
    self.observed = observed
    self.allowances = allowances
    self.now = now
    unsupported = Set(manifest.unsupported.map(\.address))
    moves = manifest.moves(in: observed.recorded)
    recorded = observed.recorded.moving(moves)
    wantedSurface = observed.wantedSurface(of: manifest)
    adoptions = manifest.adoptions(in: recorded)
    takeovers = manifest.takeovers(in: recorded)
  }

  /// What a key will be once the plan is applied.
  struct PlannedKeyState {
    /// Whether there is a value, recorded or about to be.
    let hasValue: Bool
    /// The fingerprint of that value; nil while it is known at apply only.
    let fingerprint: Fingerprint?
    /// Whether this plan gives it a value.
    let isWritten: Bool
    /// Whether it may be served.
    let serving: Serving

    /// Whether it was retired before and stays so.
    var isRetired: Bool { if case .retired = serving { true } else { false } }
    /// Whether it has expired under a policy that retires.
    var isOver: Bool { if case .pastItsEnd = serving { true } else { false } }
    /// Whether a slot may choose it.
    var isUsable: Bool { hasValue && serving == .asUsual }
  }

  /// What a declared key will be once the plan is applied; nil for one without a record that gets none.
  func outlook(of id: Identifier<Key>) -> PlannedKeyState? {
    if let outlook = written[id] { return outlook }
    guard let key = manifest.keys[id], let record = recorded.keys[id] else { return nil }
    return outlook(of: key, recorded: record)
  }

  mutating func add(
    _ effect: Effect, at address: Address, because cause: Cause, on ground: Precondition = Precondition(),
    after: [Address] = []
  ) {
    steps.append(Step(effect, at: address, because: cause, on: ground, after: after))
  }

  mutating func report(_ issue: Diagnostic.Issue, at place: FileLocation? = nil) {
    diagnostics.append(Diagnostic(issue, at: place))
  }

  mutating func reportUnsupported() {
    for item in manifest.unsupported { report(.unsupported(item.address, what: item.what), at: item.place) }
  }

  /// By phase, then by address: writes before what uses them, withdrawals before forgetting, forgetting last.
  func ordered() -> [Step] {
    (moves.isEmpty ? steps : steps.map(waitingForMoves))
      .map { (phase: phase(of: $0), name: $0.address.description, step: $0) }
      .sorted { ($0.phase, $0.name) < ($1.phase, $1.name) }
      .map(\.step)
  }

  private func phase(of step: Step) -> Int {
    switch step.effect {
    case .upgrade: -1
    case .allow: 0
    case .guards, .rewrap: 1
    case .move: 2
    case .settle: 3
    case .store, .adopt, .adoptToken, .replace, .update, .rollback, .restore, .accept: 4
    case .activate, .deactivate: 5
    case .withdraw(let removal) where removal.isMove: 6
    case .sync: 7
    // Targets that leave come after those that stay, which may take values over from them.
    case .withdraw: if case .target(let id) = step.address, manifest.targets[id] == nil { 9 } else { 8 }
    case .remove(.key, _): 10
    // Requests to services come after everything local.
    case .refresh: 11
    case .select: 12
    // A token's original waits until the service has taken the token.
    case .remove(.account, _): 13
    case .signOut: 14
    case .disallow: 15
    case .retire: 16
    case .forget: 17
    case .authorize: 18
    }
  }
}

extension Dictionary where Key: Comparable {
  /// The pairs in order of keys: dictionaries have no order, and plans must have one.
  var inOrder: [Element] { sorted { $0.key < $1.key } }
}
