internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanReporting

/// A saved plan, the store, or one record.
struct Show: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a saved plan, the store, or one record. Values stay masked.",
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
    help: "A plan file, or an address such as key.NAME, active.SLOT, target.NAME. Without it: the store.",
    completion: DeclaredNames.addresses)
  var subject: String?

  @OptionGroup var report: ReportOptions

  func run(in world: World) async throws -> Int32 {
    let style = options.style(for: world.out, in: world)
    guard let subject else {
      let recorded = try await StoreReading.recorded(options, in: world)
      let json = options.isJSON(in: world) ? try Document.recorded(recorded) : nil
      world.out.write(json ?? ShowText.store(recorded, style: style))
      return ExitStatus.done.rawValue
    }
    let name = Address(subject) ?? Identifier<Key>(subject).map(Address.key)
    guard let address = name, !world.fileExists(subject) else {
      let content = try PlanFile.content(of: subject, try await Workspace(options, in: world))
      try content.planning.show(as: options.isJSON(in: world) ? .json : .text)
      let end = options.style(for: world.err, in: world).time(content.validUntil)
      if world.now >= content.validUntil {
        world.err.write("\(subject) was good until \(end) and cannot be applied. Plan again.\n")
      } else if !options.isQuiet(in: world) {
        world.err.write("\(subject) is good until \(end).\n")
      }
      return ExitStatus.done.rawValue
    }
    let recorded = try await StoreReading.recorded(options, in: world)
    let text =
      options.isJSON(in: world)
      ? try Document.recorded(recorded, only: address)
      : ShowText.record(address, in: recorded, style: style, at: world.now)
    guard let text else { throw RecordedAddress.notRecorded(subject, in: recorded) }
    world.out.write(text)
    return ExitStatus.done.rawValue
  }
}
