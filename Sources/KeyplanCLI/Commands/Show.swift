internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows a saved plan, the store, or one record.
struct Show: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a saved plan, the store, or one record. Values are masked.",
    usage: "keyplan show [<options>] [<subject>]",
    discussion: """
      For example:
        keyplan show
        keyplan show key.openai-main
        keyplan show plan.kp
      """
  )
  .parsedAlone

  @Argument(
    help: "A plan file, or an address such as key.NAME, active.SLOT, target.NAME (default: the store).",
    completion: DeclaredNames.addresses)
  var subject: String?

  @OptionGroup var report: ReportOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let style = terminal.style(for: terminal.out)
    guard let subject else {
      let recorded = try await StoreReading.recorded(in: world)
      let json = terminal.isJSON ? try Document.recorded(recorded) : nil
      terminal.out.write(json ?? ShowText.store(recorded, style: style))
      return ExitStatus.done.rawValue
    }
    let name = Address(subject) ?? Identifier<Key>(subject).map(Address.key)
    guard name != nil, !world.fileExists(subject) else {
      let content = try PlanFile.content(of: subject, try await Workspace(in: world))
      try terminal.show(content.planning, as: terminal.isJSON ? .json : .text)
      let end = terminal.style(for: terminal.err).time(content.validUntil)
      if world.now >= content.validUntil {
        terminal.err.write("\(subject) expired on \(end) and cannot be applied. Plan again.\n")
      } else if !terminal.isQuiet {
        terminal.err.write("\(subject) is valid until \(end).\n")
      }
      return ExitStatus.done.rawValue
    }
    return try await terminal.showRecord(subject, .all, in: world)
  }
}
