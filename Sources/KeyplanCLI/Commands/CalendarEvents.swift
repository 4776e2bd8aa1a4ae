internal import ArgumentParser
internal import KeyplanCalendars
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows the events of an account's calendar.
struct CalendarEvents: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Show the events of an account's calendar.",
    discussion: """
      Each occurrence of a recurring event is an event of its own. Times are local on a terminal and UTC \
      elsewhere, with the event's own zone beside them; a date given with --from or --to means midnight UTC. An \
      expired token is refreshed first.

      With --changes, the first call returns all events, and each later call what has changed since: new and \
      changed events, and the ids of deleted ones. The sync position is kept in the state directory, for each \
      account; another range or calendar starts over.

      For example:
        keyplan calendar events work --from 2026-11-01 --to 2026-12-01
        keyplan calendar events work --changes --json
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @Option(help: ArgumentHelp("Start date or time (default: today).", valueName: "date"))
  var from: TypedMoment?

  @Option(help: ArgumentHelp("End date or time (default: 30 days after --from).", valueName: "date"))
  var to: TypedMoment?

  @Option(help: ArgumentHelp("Use this calendar, by name or id, instead of the account's.", valueName: "name"))
  var calendar: String?

  @Flag(help: "Show only changes since the last call with this option.")
  var changes = false

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    if changes { return try await showChanges(on: terminal, world) }
    let start = from?.moment ?? Moment(world.now.date) ?? world.now
    guard let range = EventRange(from: start, to: to?.moment ?? start + .days(30)) else {
      throw Failure(.usage, "Empty time range", "--to must be later than --from.")
    }
    let accounts = try await Accounts(in: world)
    let id = try accounts.declared(name)
    let (found, calendar) = try await accounts.events(of: id, in: range, calendar: calendar)
    if terminal.isJSON {
      terminal.out.write(try Document.text(EventsDocument(id, calendar, range, found)))
    } else {
      terminal.out.write(
        EventsText.render(id, calendar, range, found, style: terminal.style(for: terminal.out)))
    }
    return ExitStatus.done.rawValue
  }

  private func showChanges(on terminal: Terminal, _ world: World) async throws -> Int32 {
    let accounts = try await Accounts(in: world)
    let id = try accounts.declared(name)
    guard let store = accounts.workspace.recorded.store else {
      throw Failure.noStore(accounts.workspace.place)
    }
    let path = ChangesState.path(of: id, store, in: world)
    let earlier = ChangesState(reading: path)
    guard let range = range(after: earlier, in: world) else {
      throw Failure(.usage, "Empty time range", "--to must be later than --from.")
    }
    let (found, calendar) = try await accounts.changes(of: id, in: range, calendar: calendar, since: earlier)
    if terminal.isJSON {
      var text = try Document.text(EventsDocument(id, calendar, range, found))
      text.withUTF8 { terminal.out.writeWhole(UnsafeRawBufferPointer($0)) }
    } else {
      terminal.out.write(
        EventsText.render(id, calendar, range, found, style: terminal.style(for: terminal.out)))
    }
    // Saved after the output, so that changes that could not be written are returned again.
    if let next = found.next, !terminal.out.hasLost { try ChangesState(calendar, range, next).write(to: path) }
    return ExitStatus.done.rawValue
  }

  /// The requested range; otherwise the one followed so far, until it has passed.
  private func range(after earlier: ChangesState?, in world: World) -> EventRange? {
    if from == nil, to == nil, let range = earlier?.range, range.to > world.now { return range }
    let start = from?.moment ?? Moment(world.now.date) ?? world.now
    return EventRange(from: start, to: to?.moment ?? start + .days(30))
  }
}
