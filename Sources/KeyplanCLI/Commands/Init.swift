internal import ArgumentParser
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Creates everything that a first plan needs.
struct Init: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create the identity, manifest, store and keyplan.lock if missing.",
    usage: "keyplan init [<options>]",
    discussion: """
      With an existing manifest, for example in a fresh clone, it creates the store of one environment.

      --from declares the keys found in a dotenv file, a JSON file or an XML property list as references to their current \
      location; values are not copied. Keys are added to an existing manifest.

      --new-store is for a store that is lost, or that this clone should not share: every value is read from its \
      source again, and keys without a source are lost. Without a terminal it requires --yes.

      Files with secrets that git tracks or does not ignore are reported. On a terminal, init offers to add them \
      to .gitignore; with --yes it only reports them.

      For example:
        keyplan init
        keyplan init --from .env
      """
  )
  .parsedAlone

  @Option(
    help: ArgumentHelp("Declare the keys found in this .env file, JSON file or property list.", valueName: "file"),
    completion: .file())
  var from: String?

  @Flag(help: "Replace a lost store with a new one, and record it in keyplan.lock.")
  var newStore = false

  @OptionGroup var confirm: ConfirmOptions
  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let setup = try await ProjectSetup(importing: from, replacingLost: newStore, in: world)
    if setup.replacesLostStore { try confirmNewStore(at: setup.place, on: terminal) }
    let made = try await setup.make()
    if !terminal.isQuiet {
      let environment = options.common.environment.map { " --environment \(ShellWord.quoted($0))" } ?? ""
      let plan = "keyplan plan" + environment
      let isEmpty = made.manifest.keys.isEmpty && made.manifest.accounts.isEmpty
      let next = isEmpty ? "declare a key in \(made.project.shown), then \(plan)" : plan
      terminal.out.write(
        made.lines.map { "  \($0)\n" }.joined() + "\nNext: \(next)\n"
          + (made.hasImportedKeys ? "      keyplan apply\(environment)\n" : "")
          + choosing(made.project, setup.place, in: world))
      try SetupReport(terminal: terminal, world: world).protect(made.project, setup.place, asks: !confirm.yes)
    }
    return ExitStatus.done.rawValue
  }

  private func confirmNewStore(at place: ResolvedStore, on terminal: Terminal) throws(Failure) {
    guard !confirm.yes else { return }
    try terminal.requireAttendance(
      "A new store at \(place.shown) would replace the one recorded in keyplan.lock. Nothing was created.",
      orSay: "Pass --yes if the store is lost.")
    terminal.err.write(
      """
      keyplan.lock names a store that is not at \(place.shown). A new store takes its place:
      every value is read from its source again. Keys without a source are lost, as are
      sign-ins of calendar accounts. Everybody else gets the new keyplan.lock from git.


      """)
    try terminal.confirm(
      "Create a new store?", orSay: "Pass --yes.",
      declined: Failure(.interrupted, "No new store", "Nothing was created."))
    terminal.err.write("\n")
  }

  /// The instructions for choosing an environment, if the new one makes a choice necessary.
  private func choosing(_ project: Project, _ place: ResolvedStore, in world: World) -> String {
    guard let name = place.environment, project.reading.settings.defaultEnvironment == nil else { return "" }
    return """

      Each command needs a choice of the environment now: -e \(name), or
      KEYPLAN_ENVIRONMENT. This line in \(project.shown) chooses where nobody does:

        \(EnvironmentChoice.line(for: name, in: project.folder, of: world))

      """
  }
}
