internal import ArgumentParser
internal import KeyplanCalendars
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Lists the calendars of an account.
struct CalendarList: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List an account's calendars with the ids to use in the manifest.",
    usage: "keyplan calendar list [<options>] <name>",
    discussion: """
      The calendar in use is marked. An expired token is refreshed first.

      For example:
        keyplan calendar list work
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let accounts = try await Accounts(in: world)
    let id = try accounts.declared(name)
    let calendars = try await accounts.asking(id) { service throws(CalendarError) in try await service.calendars() }
    let chosen = accounts.chosen(id, among: calendars)
    if terminal.isJSON {
      terminal.out.write(try Document.text(CalendarsDocument(id, calendars, chosen: chosen)))
    } else {
      terminal.out.write(
        CalendarsText.render(id, calendars, chosen: chosen, style: terminal.style(for: terminal.out)))
    }
    return ExitStatus.done.rawValue
  }
}
