internal import ArgumentParser
internal import KeyplanCalendars
internal import KeyplanCore

/// The events of an account's calendar.
struct CalendarEvents: Command {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Show the events of an account's calendar: proof that the account works.",
    discussion: """
      Recurring events come as their instances, which the service works out. Times are in UTC, with the event's own zone \
      beside them; dates are midnight UTC. A token that is over is refreshed first.

      For example:
        keyplan calendar events work --from 2026-11-01 --to 2026-12-01
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @Option(help: ArgumentHelp("From this day or moment; today without it.", valueName: "date"))
  var from: TypedMoment?

  @Option(help: ArgumentHelp("Up to this day or moment; 30 days later without it.", valueName: "date"))
  var to: TypedMoment?

  @Option(help: ArgumentHelp("Another calendar than the account's, by its name or id.", valueName: "name"))
  var calendar: String?

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let start = from?.moment ?? Moment(world.now.date) ?? world.now
    guard let range = EventRange(from: start, to: to?.moment ?? start + .days(30)) else {
      throw Failure(.usage, "No time in between", "--to must be later than --from.")
    }
    let accounts = try await Accounts(options, in: world)
    let id = try accounts.declared(name)
    let (found, calendar) = try await accounts.events(of: id, in: range, calendar: calendar)
    if options.isJSON(in: world) {
      world.out.write(try Document.text(EventsDocument(id, calendar, range, found)))
    } else {
      world.out.write(
        EventsText.render(id, calendar, range, found, style: options.style(for: world.out, in: world)))
    }
    return ExitStatus.done.rawValue
  }
}
