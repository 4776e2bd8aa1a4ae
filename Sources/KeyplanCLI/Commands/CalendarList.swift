internal import ArgumentParser
internal import KeyplanCalendars
internal import KeyplanCore
internal import KeyplanReporting

/// The calendars of an account.
struct CalendarList: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List an account's calendars, with the ids that the manifest can name.",
    usage: "keyplan calendar list [<options>] <name>",
    discussion: """
      The calendar in use is marked. A token that is over is refreshed first.

      For example:
        keyplan calendar list work
      """)

  @Argument(help: "The account's name.", completion: DeclaredNames.accounts)
  var name: String

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let accounts = try await Accounts(options, in: world)
    let id = try accounts.declared(name)
    let calendars = try await accounts.asking(id) { service throws(CalendarError) in try await service.calendars() }
    let chosen = accounts.chosen(id, among: calendars)
    if options.isJSON(in: world) {
      world.out.write(try Document.text(CalendarsDocument(id, calendars, chosen: chosen)))
    } else {
      world.out.write(
        CalendarsText.render(id, calendars, chosen: chosen, style: options.style(for: world.out, in: world)))
    }
    return ExitStatus.done.rawValue
  }
}
