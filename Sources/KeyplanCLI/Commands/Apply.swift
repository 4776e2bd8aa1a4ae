internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore

/// Plans, shows, asks, applies.
struct Apply: Command {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Plan, show, ask, and carry the plan out.",
    discussion: """
      With a saved plan, exactly that plan is carried out; what has changed since it was made is refused as stale. \
      Where nobody can be asked (CI, a pipe, --no-input), say --yes or give a saved plan.

      For example:
        keyplan apply --yes
        keyplan apply plan.kp
      """
  )
  .parsedAlone

  @OptionGroup var allowed: AllowanceOptions

  @Argument(help: "A plan that `keyplan plan --out` wrote.", completion: .file())
  var planfile: String?

  @Option(
    help: ArgumentHelp("Apply only if the plan has this id: the approval of a plan read elsewhere.", valueName: "id"))
  var expect: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Apply only these, such as key.NAME or target.NAME, and what they stand on.", valueName: "address"))
  var only: [TypedAddress] = []

  @Flag(name: [.customShort("y"), .long], help: "Do not ask.")
  var yes = false

  @Option(help: ArgumentHelp("How long to wait while somebody else holds the lock, such as 30s.", valueName: "time"))
  var lockTimeout: Patience?

  @OptionGroup var events: EventOptions

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    try await events.telling(in: world) { try await run(in: world, telling: $0) }
  }

  private func run(in world: World, telling events: Events) async throws -> Int32 {
    let surroundings = try await Surroundings(options, in: world)
    let planning: Planning
    if let planfile {
      planning = try PlanFile.read(planfile, surroundings)
    } else {
      planning = try await Planning(surroundings, allowed.allowances, only: only.map(\.address))
    }
    events.tell(planning)
    if let expect, let id = planning.id, id.description != expect {
      if !options.isJSON(in: world) { try planning.show(as: .text) }
      throw Failure(
        .stale, "Another plan", "The plan's id is \(id), and \(expect) was expected: what it stands on has changed.",
        hint: "Read this plan, and approve its id.")
    }
    let isApproved = yes || planfile != nil || expect != nil
    return try await Self.carryOut(planning, asking: !isApproved, timeout: lockTimeout, telling: events).rawValue
  }

  /// Shows a plan, asks where that is wanted, and applies it.
  /// - Parameter command: what others who wait for the lock are told that it is held for.
  static func carryOut(
    _ planning: Planning, asking: Bool, timeout: Patience?, telling events: Events? = nil, hint: String = approval,
    as command: String = "keyplan apply"
  ) async throws -> ExitStatus {
    let (options, world) = (planning.surroundings.options, planning.surroundings.world)
    let (_, identities) = try planning.needStore()
    let isJSON = options.isJSON(in: world)
    if !isJSON { try planning.show(as: .text) }
    guard !planning.isHeldBack, !planning.plan.isEmpty else {
      if !planning.isHeldBack { try planning.settlePins() }
      if isJSON { world.out.write(try Document.applied(planning.report, nil)) }
      return ExitStatus.worst(planning.statuses)
    }
    // Nothing is left that an apply could do: nobody is asked, and nothing is locked.
    if planning.plan.steps.allSatisfy(\.effect.needsPerson), planning.grants.isEmpty {
      if isJSON { world.out.write(try Document.applied(planning.report, planning.waiting)) }
      return ExitStatus.worst(planning.statuses + [.personNeeded])
    }
    if asking { try ask(options, in: world, hint: hint) }
    return try await Applying(planning, identities, timeout: timeout, telling: events, as: command).run()
  }

  /// How an apply can be approved where nobody can be asked.
  private static let approval = "Say --yes, --expect ID, or give a plan that was saved with `keyplan plan --out FILE`."

  private static func ask(_ options: GlobalOptions, in world: World, hint: String) throws(Failure) {
    guard options.mayAsk(in: world) else {
      throw Failure(
        .usage, "Nobody can be asked", "This is no terminal, or asking was switched off.",
        hint: hint)
    }
    guard Prompt.confirms("Apply this plan? Only `yes` is taken: ") else {
      throw Failure(.interrupted, "Not applied", "Nothing was done.")
    }
  }
}

/// How long somebody is willing to wait: `30s`, `5m`; `0s` does not wait.
struct Patience: ExpressibleByArgument, Sendable {
  let interval: Interval
  var duration: Duration { .seconds(interval.seconds) }

  init?(argument: String) {
    let seconds = argument == "0s" || argument == "0" ? 0 : Interval(argument)?.seconds
    guard let seconds else { return nil }
    interval = Interval(seconds: seconds)
  }
}
