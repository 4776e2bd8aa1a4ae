internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Makes a key the first choice of a slot.
struct KeysActivate: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate",
    abstract: "Make a key the first choice of a slot in the manifest.",
    usage: "keyplan keys activate <name> [<slot>] [<options>]",
    discussion: """
      A slot with a single key gets this one instead. In a list the other keys follow it as fallbacks. With \
      --environment, only that overlay is changed. At a terminal, the plan for the slot and its targets is shown then, \
      and applied after a confirmation. Elsewhere, pass --apply.

      For example:
        keyplan keys activate claude assistant
        keyplan keys activate claude assistant --apply --yes
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.editableKeys)
  var name: String

  @Argument(
    help: "The slot (default: the slot with this key, or the only one).", completion: DeclaredNames.editableSlots)
  var slot: String?

  /// The form of earlier versions, which is named and not run.
  @Option(name: .customLong("slot"), help: .hidden)
  var formerSlot: String?

  @Flag(help: "Also apply the change to the slot and its targets.")
  var apply = false

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var edit: EditOptions

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    if let formerSlot {
      throw Failure(
        .usage, "Wrong usage", "The slot follows the key's name.",
        hint: "`keyplan keys activate \(ShellWord.quoted(name)) \(ShellWord.quoted(formerSlot))`")
    }
    let world = try terminal.world()
    let slot = slot.map { $0.hasPrefix("active.") ? String($0.dropFirst("active.".count)) : $0 }
    var files = try ManifestFiles(in: world)
    try DeclaredKey.checkVisible(name, in: files)
    let choice = try SlotChoice(name, named: slot, in: files)
    for note in choice.notes(files) { terminal.err.write("note: \(note)\n") }
    guard try choice.make(in: &files) else {
      if !terminal.isQuiet {
        terminal.out.write("Nothing to change: \(name) is already the first of active.\(choice.slot).\n")
      }
      return ExitStatus.done.rawValue
    }
    let chosen = choice.slot
    let status = try edit.finish(
      files, on: terminal, done: "\(name) is the first of active.\(chosen)\(choice.isNew ? ", a new slot" : "").",
      next: next(chosen, world))
    guard !edit.dryRun, apply || terminal.mayAsk && !confirmation.yes else { return status }
    return try await applyChange(of: chosen, on: terminal, world)
  }

  private func next(_ slot: String, _ world: World) -> String {
    guard let id = Identifier<Slot>(slot), let manifest = try? Project(in: world).manifest() else {
      return "keyplan apply"
    }
    return "keyplan apply --only \(manifest.addresses(fedBy: id).map(\.description).joined(separator: " "))"
  }

  private func applyChange(of slot: String, on terminal: Terminal, _ world: World) async throws -> Int32 {
    let workspace = try await Workspace(in: world)
    guard let slot = Identifier<Slot>(slot), apply || workspace.store != nil else { return ExitStatus.done.rawValue }
    let planning = try await PlanRun(workspace, only: workspace.manifest.addresses(fedBy: slot))
    let approval = Approval(
      asks: !confirmation.yes, hint: "Pass --yes.", command: "keyplan keys activate",
      declined: "Only the manifest was changed.")
    return try await approval.carryOut(planning, on: terminal).rawValue
  }
}
