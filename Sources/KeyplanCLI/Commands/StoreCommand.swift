internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanReporting
internal import KeyplanStore

/// The store itself, not what it records.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Upgrade the store, or move it to another place.",
    discussion: """
      For example:
        keyplan store move --to postgres://keyplan@db.example.com/keys
        keyplan store upgrade
      """,
    subcommands: [StoreMoveCommand.self, StoreUpgradeCommand.self]
  )
  .parsedAlone
}

/// From a file to a server, and back.
struct StoreMoveCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Copy the store's sealed rows to another place, which is then the store.",
    usage: "keyplan store move [--to <place>] [--undo] [<options>]",
    discussion: """
      Values, history, journal: every row is copied as it is, and nothing is opened. Both copies are compared to the byte \
      before the new one is the store; the old place then says where it went, and takes no more writes. keyplan.lock stays \
      true. A move that was interrupted is taken up by the same command. Plans saved before are refused. \
      Where nobody can be asked (CI, a pipe, --no-input), say --yes.

      Where the new place is lost, --undo makes the old one the store again, as it was; what was written to the new one is \
      given up. It is refused while the store can be reached there. The store then has a fresh root key: should the other \
      one come back, keyplan.lock tells the two apart.

      For example:
        keyplan store move --to postgres://keyplan@db.example.com/keys
        keyplan store move --store postgres://keyplan@db.example.com/keys
        keyplan store move --undo --store .keyplan/default.db
      """)

  @Option(
    help: ArgumentHelp(
      "postgres://host/database, or a file; without it, the file that is the default.", valueName: "place"),
    completion: .file())
  var to: String?

  @Flag(help: "At the place that the store was moved away from: go on there, because the new place is lost.")
  var undo = false

  @Flag(help: "Show what would be done, and do nothing.")
  var dryRun = false

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let project = try Project(options, in: world)
    let from = try ResolvedStore(of: project, options, in: world)
    if undo {
      return try await MoveRollback(project, from, lost: to, options, in: world).run(isDry: dryRun, confirmation) {
        question throws(Failure) in try ask(question, in: world)
      }
    }
    let destination = try StoreDestination(to, of: project, from, options, in: world)
    let identities = try Identities(options, in: world)
    OpenStore.tell(from, identities, options, in: world)
    let move = StoreMove(
      from: from.location, to: destination.place.location, identities: identities.all,
      names: (from.lasting, destination.place.lasting))
    let survey: StoreMove.Survey
    do throws(StoreError) {
      survey = try move.survey()
    } catch {
      throw Failure.opening(from, identities, error)
    }
    try from.trust.require(survey.facts) { () throws(Failure) in [] }
    let telling = MoveTelling(MoveReport(survey, from, destination, options, in: world), options, in: world)
    if case .there = survey.destination {
      let store = try OpenStore.open(destination.place, identities, .reading)
      return try telling.tell(.there(StoreState(try Failure.from { () throws(StoreError) in try store.facts() })))
    }
    if !options.isQuiet(in: world) || dryRun || !confirmation.yes { telling.before() }
    guard !dryRun else { return try telling.tell(.notMoved) }
    if !confirmation.yes { try ask("Move the store? Only `yes` is taken: ", in: world) }
    let outcome = try await carryOut(move, from, in: world)
    // A new place is known once somebody moved the store there; the lock file stays as it is.
    try destination.place.trust.rememberHere(Pin(outcome.facts))
    return try telling.tell(.moved(StoreState(outcome.facts), digest: outcome.digest, marked: outcome.marked))
  }

  private func carryOut(
    _ move: StoreMove, _ from: ResolvedStore, in world: World
  ) async throws(Failure) -> StoreMove.Outcome {
    let timeout = try options.lockTimeout(in: world)?.duration ?? .zero
    let display = LiveDisplay(LiveLine(waiting: ["moving the store"]), options, in: world)
    return try await display.showing { () async throws(Failure) in
      try await Failure.awaiting { () async throws(StoreError) in
        try await move.carryOut(command: "keyplan store move", job: world.job, since: world.now, timeout: timeout)
      }
    }
  }

  private var done: String { undo ? "undone" : "moved" }

  private func ask(_ question: String, in world: World) throws(Failure) {
    guard options.mayAsk(in: world) else {
      throw Failure(
        .usage, "Nobody can be asked", "This is no terminal, or asking was switched off. Nothing was \(done).",
        hint: "Say --yes; --dry-run only shows what would be done.")
    }
    guard try Prompt.confirms(question) else {
      throw Failure(.interrupted, undo ? "Not undone" : "Not moved", "Nothing was \(done).")
    }
  }
}
