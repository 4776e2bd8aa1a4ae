internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows one record that is not a key's.
struct RecordsShow: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one record: a slot, a target, one of its names, or an account.",
    usage: "keyplan records show <address> [<options>]",
    discussion: """
      For example:
        keyplan records show target.app
      """)

  @Argument(
    help: "active.SLOT, target.NAME, target.NAME.ENTRY, calendar.NAME or recipients.",
    completion: DeclaredNames.otherAddresses)
  var address: String

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    try await terminal.showRecord(address, .others, in: try terminal.world())
  }
}

extension Terminal {
  /// Shows one record: `show`, `keys show` and `records show`.
  func showRecord(_ subject: String, _ kinds: RecordKinds, in world: World) async throws -> Int32 {
    let recorded = try await StoreReading.recorded(in: world)
    guard let address = RecordedAddress.address(subject, in: recorded) else {
      throw RecordedAddress.notRecorded(subject, kinds, in: recorded)
    }
    let text =
      isJSON
      ? try Document.recorded(recorded, only: address)
      : ShowText.record(address, in: recorded, style: style(for: out), at: world.now)
    guard let text else { throw RecordedAddress.notRecorded(subject, kinds, in: recorded) }
    guard kinds.contain(address) else { throw RecordedAddress.notOfKind(address, kinds, "show") }
    out.write(text)
    return ExitStatus.done.rawValue
  }
}
