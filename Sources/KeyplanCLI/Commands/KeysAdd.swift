internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations

/// Adds a key to the manifest.
struct KeysAdd: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a key to the manifest.",
    usage: "keyplan keys add <name> --provider <name> [<options>]",
    discussion: """
      Comments, order and style of the manifest are preserved. The difference is shown, and nothing is written if \
      the manifest would become invalid. With --environment, the key is added to that overlay only.

      For example:
        keyplan keys add openai-main --provider openai --from env://OPENAI_API_KEY
        keyplan keys add claude --provider anthropic --from env://CLAUDE --activate
        keyplan keys add stripe-live --provider stripe --target app:STRIPE_KEY
      """)

  @Argument(help: "The key's name.")
  var name: String

  @Option(
    help: ArgumentHelp("The key's provider; `generic` for other secrets.", valueName: "name"),
    completion: DeclaredNames.providers)
  var provider: String

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      """
      Where its value is, as the manifest has it: env://NAME, dotenv://.env#NAME. Several are an order. Without one, \
      `keys set` gives the value.
      """, valueName: "reference"), completion: DeclaredNames.references)
  var sources: [String] = []

  @Option(help: ArgumentHelp("The model that the key is for.", valueName: "name"))
  var model: String?

  @Option(help: ArgumentHelp("When it expires: a policy's name, 90d, or 2027-03-01.", valueName: "policy"))
  var expires: String?

  @Option(help: ArgumentHelp("When the provider issued it, such as 2026-10-01.", valueName: "date"))
  var issued: String?

  @Option(help: ArgumentHelp("The variable to export it as, if not the provider's.", valueName: "name"))
  var variable: String?

  @Flag(help: "Read the value from its source only once.")
  var once = false

  @Flag(help: "Never delete it without --allow-forget.")
  var protected = false

  @Option(help: ArgumentHelp("A label; may be repeated.", valueName: "name=text"))
  var label: [Label] = []

  @Option(
    defaultAsFlag: "",
    help: ArgumentHelp("Make it the first of this slot (default: the only slot).", valueName: "slot"),
    completion: DeclaredNames.editableSlots)
  var activate: String? = nil

  @Option(
    help: ArgumentHelp(
      "Write it to this target, under its variable or another name; may be repeated.", valueName: "target[:name]"))
  var target: [TargetEntry] = []

  @OptionGroup var edit: EditOptions

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    var files = try ManifestFiles(in: world)
    var addition = KeyAddition(name: name, provider: provider)
    addition.model = model
    addition.sources = sources
    addition.expires = expires
    addition.issued = issued
    addition.variable = variable
    addition.followsOnce = once
    addition.isProtected = protected
    addition.labels = label.map { ($0.name, $0.text) }
    try addition.make(in: &files)
    var added = ["key.\(name)"]
    if let activate {
      let choice = try SlotChoice(name, named: activate.isEmpty ? nil : activate, in: files)
      _ = try choice.make(in: &files)
      for note in choice.notes(files) { terminal.err.write("note: \(note)\n") }
      added.append("the first of active.\(choice.slot)\(choice.isNew ? ", a new slot" : "")")
    }
    for entry in target { added.append(try entry.make(name, in: &files)) }
    return try edit.finish(
      files, on: terminal, done: "Added \(added.joined(separator: ", ")).",
      next: sources.isEmpty ? "keyplan keys set \(name)" : "keyplan plan")
  }

  /// `team=weather`.
  struct Label: ExpressibleByArgument, Sendable {
    let name: String
    let text: String

    init?(argument: String) {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
      (name, text) = (String(parts[0]), String(parts[1]))
    }
  }
}

extension TargetEntry: ExpressibleByArgument {}
