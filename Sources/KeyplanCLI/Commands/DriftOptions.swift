internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Selects the findings that count.
struct DriftOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ignore findings known to have begun before this date, time, or interval such as 7d.",
      valueName: "time"))
  var since: TypedSince?

  @Option(
    help: ArgumentHelp(
      "Ignore findings at this address, such as key.NAME or target.NAME; may be repeated.",
      valueName: "address"))
  var ignore: [TypedAddress] = []

  @Option(
    help: ArgumentHelp(
      "Ignore findings listed in this file until their dates there.", valueName: "file"))
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "Ignore outages shorter than this, such as 2h. Outage times are kept in ~/.local/state.",
      valueName: "time"))
  var unreachableAfter: TimeoutArgument?

  @Option(help: ArgumentHelp("Write the findings to a baseline that ignores them until --until.", valueName: "file"))
  var writeBaseline: String?

  @Option(help: ArgumentHelp("When the written baseline expires, such as 2027-03-01.", valueName: "date"))
  var until: TypedMoment?

  func validate() throws {
    if writeBaseline != nil, until == nil { throw ValidationError("--write-baseline requires --until DATE.") }
    if writeBaseline == nil, until != nil { throw ValidationError("--until requires --write-baseline FILE.") }
  }

  /// - Throws: `Failure` for a date in the past, before anything is read.
  func filter(in world: World) throws(Failure) -> DriftFilter {
    if let until, until.moment <= world.now {
      throw Failure(
        .usage, "Wrong usage", "--until \(until.moment.date) is in the past.",
        hint: "Use a date in the future.")
    }
    var filter = DriftFilter(ignored: Set(ignore.map(\.address)), since: since?.moment(at: world.now))
    filter.unreachableAfter = unreachableAfter?.interval
    if let baseline { filter.baseline = try Baseline(reading: baseline, in: world) }
    return filter
  }
}

extension DriftOptions {
  /// The baseline to write; nil for none.
  func baselineFile(in workspace: Workspace) throws(Failure) -> ResultFile? {
    guard let writeBaseline else { return nil }
    let world = workspace.world
    return try ResultFile(
      writeBaseline, .baseline, sparing: TakenFiles(workspace.project, in: world), in: world)
  }

  /// Writes the findings to the baseline, if one was requested.
  func writeBaseline(of drift: DriftRun, to file: ResultFile?, on terminal: Terminal) throws {
    guard let file, let until else { return }
    let world = drift.workspace.world
    let isNew = !world.fileExists(file.path)
    try file.write(Baseline(drift.findings, until: until.moment).bytes(), on: terminal)
    if isNew { world.publish(file.path) }
  }
}

extension DriftOptions {
  /// The line that reports the written baseline; nil if none was written.
  func written(of drift: DriftRun) -> String? {
    guard let writeBaseline, let until, writeBaseline != "-" else { return nil }
    let count = drift.findings.count
    return
      "Wrote \(Spans.count(count, "finding")) to \(writeBaseline): --baseline \(ShellWord.quoted(writeBaseline)) "
      + "ignores \(count == 1 ? "it" : "them") until \(until.moment.date).\n"
  }
}

/// A date or time as a command-line argument.
struct TypedMoment: ExpressibleByArgument, Sendable {
  let moment: Moment

  init?(argument: String) {
    guard let moment = Moment(argument) else { return nil }
    self.moment = moment
  }
}

/// A date, a time, or an interval before now.
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
