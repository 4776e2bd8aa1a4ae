internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// Which findings count.
struct DriftOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Leave out what is known to have begun before this: a date, a time, or an interval such as 7d.",
      valueName: "time"))
  var since: TypedSince?

  @Option(
    help: ArgumentHelp(
      "Leave out what is found at this address, such as key.NAME or target.NAME; may be repeated.",
      valueName: "address"))
  var ignore: [TypedAddress] = []

  @Option(
    help: ArgumentHelp(
      "Leave out what this file knows; what is past its date there counts again.", valueName: "file"))
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "Leave out what could not be reached for less than this, such as 2h; since when is kept in ~/.local/state.",
      valueName: "time"))
  var unreachableAfter: TimeoutArgument?

  @Option(help: ArgumentHelp("Write all that is found and counts to a baseline, known --until.", valueName: "file"))
  var writeBaseline: String?

  @Option(help: ArgumentHelp("Until when the written baseline holds: a date such as 2027-03-01.", valueName: "date"))
  var until: TypedMoment?

  func validate() throws {
    if writeBaseline != nil, until == nil { throw ValidationError("--write-baseline needs --until DATE.") }
    if writeBaseline == nil, until != nil { throw ValidationError("--until goes with --write-baseline FILE.") }
  }

  /// - Throws: `Failure` for a date that knows nothing any more, before anything is looked at.
  func filter(in world: World) throws(Failure) -> DriftFilter {
    if let until, until.moment <= world.now {
      throw Failure(
        .usage, "Wrong usage", "--until \(until.moment.date) has passed: the baseline would know nothing.",
        hint: "Name a day that is still to come.")
    }
    var filter = DriftFilter(ignored: Set(ignore.map(\.address)), since: since?.moment(at: world.now))
    filter.unreachableAfter = unreachableAfter?.interval
    if let baseline { filter.baseline = try Baseline(reading: baseline, in: world) }
    return filter
  }
}

extension DriftOptions {
  /// Where a baseline is to be written; nil where none is wanted.
  func baselineFile(in workspace: Workspace) throws(Failure) -> ResultFile? {
    guard let writeBaseline else { return nil }
    let world = workspace.world
    return try ResultFile(
      writeBaseline, .baseline, sparing: TakenFiles(workspace.project, in: world), in: world)
  }

  /// Writes what was found down as known, where that is wanted.
  func writeBaseline(of drift: DriftRun, to file: ResultFile?, on terminal: Terminal) throws {
    guard let file, let until else { return }
    let world = drift.workspace.world
    let isNew = !world.fileExists(file.path)
    try file.write(Baseline(drift.findings, until: until.moment).bytes(), on: terminal)
    if isNew { world.publish(file.path) }
  }
}

/// A moment as it is typed.
struct TypedMoment: ExpressibleByArgument, Sendable {
  let moment: Moment

  init?(argument: String) {
    guard let moment = Moment(argument) else { return nil }
    self.moment = moment
  }
}

/// A moment, or how long ago.
enum TypedSince: ExpressibleByArgument, Sendable {
  case moment(Moment)
  case ago(Interval)

  init?(argument: String) {
    if let interval = Interval(argument) {
      self = .ago(interval)
    } else if let moment = Moment(argument) {
      self = .moment(moment)
    } else {
      return nil
    }
  }

  func moment(at now: Moment) -> Moment {
    switch self {
    case .moment(let moment): moment
    case .ago(let interval): now - interval
    }
  }
}
