internal import ArgumentParser
internal import KeyplanAge
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanFiles
internal import KeyplanManifest
internal import KeyplanReporting
internal import KeyplanStore

/// Everything that a first plan needs.
struct Init: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make what is missing: the identity, a manifest, the store, keyplan.lock. Overwrites nothing.",
    usage: "keyplan init [<options>]",
    discussion: """
      With a manifest that is there already, for example fresh from git, it makes the store of one environment.

      --from takes over what a dotenv file or an XML property list holds: as references to where the values are, never \
      the values themselves. In a manifest that is there already they come beside what it declares.

      --new-store is for a store that is lost, or that this clone shall not share: every value is then read from its source \
      again, and keys without one are lost. Without a terminal it needs --yes.

      Files with secrets that git tracks or does not ignore are reported. At a terminal the lines for .gitignore are \
      offered; with --yes they are only reported.

      For example:
        keyplan init
        keyplan init --from .env
      """
  )
  .parsedAlone

  @Option(
    help: ArgumentHelp("Declare the keys that are in this .env file or property list.", valueName: "file"),
    completion: .file())
  var from: String?

  @Flag(help: "Make a new store in the place of one that is lost, and have keyplan.lock name it.")
  var newStore = false

  @OptionGroup var confirm: ConfirmOptions
  @OptionGroup var text: TextOptions

  func run(in world: World) async throws -> Int32 {
    if !(try Project.hasManifest(options, in: world)),
      case .overlay(let name)? = EnvironmentChoice(options, in: world, among: [])
    {
      throw Failure(
        .usage, "No manifest", "There is no manifest yet that the environment \"\(name)\" could belong to.",
        hint: "Run `keyplan init` without an environment first.")
    }
    let imported = try imported(in: world)
    let edited = try edited(imported, in: world)
    let setup = try ExistingSetup(options, replacingLost: newStore, in: world)
    if case .lost = setup.store { try confirmNewStore(at: setup.place, in: world) }
    // Whatever can be refused has been: from here on things are made. Each is whole or not there, so that the next `init` goes on
    // from wherever this one is ended.
    var told: [String] = []
    let recipient = try identity(setup, in: world, &told)
    try manifest(setup, for: recipient, imported, edited, in: world, &told)
    let project = try Project(options, in: world)
    let manifest = try project.manifest()
    try makeStore(setup, manifest, recipient, project, in: world, &told)
    EditorSchema.write(in: project.folder, of: world)
    if !options.isQuiet(in: world) {
      let environment = options.common.environment.map { " --environment \($0)" } ?? ""
      let plan = "keyplan plan" + environment
      let isEmpty = manifest.keys.isEmpty && manifest.accounts.isEmpty
      let next = isEmpty ? "declare a key in \(project.shown), then \(plan)" : plan
      world.out.write(
        told.map { "  \($0)\n" }.joined() + "\nNext: \(next)\n"
          + (imported?.keys.isEmpty == false ? "      keyplan apply\(environment)\n" : "")
          + choosing(project, setup.place, in: world))
      try protect(project, setup.place, in: world)
    }
    return ExitStatus.done.rawValue
  }

  private func confirmNewStore(at place: ResolvedStore, in world: World) throws(Failure) {
    guard !confirm.yes else { return }
    guard options.mayAsk(in: world) else {
      throw Failure(
        .usage, "Confirmation required",
        "A new store at \(place.shown) replaces the one that keyplan.lock names. Nothing was made.",
        hint: "Say --yes if the store is lost.")
    }
    world.err.write(
      """
      keyplan.lock names a store that is not at \(place.shown). A new store takes its place:
      every value is read from its source again. Keys without a source are lost, as are
      sign-ins of calendar accounts. Everybody else gets the new keyplan.lock from git.


      """)
    guard try Prompt.confirms("Make a new store? Type `yes` to confirm: ") else {
      throw Failure(.interrupted, "No new store", "Nothing was made.")
    }
    world.err.write("\n")
  }

  /// Says which files with secrets git would commit or could replace, and offers the lines that keep them out.
  private func protect(_ project: Project, _ place: ResolvedStore, in world: World) throws(Failure) {
    let exposed = project.exposedFiles(options, in: world)
    var checks = exposed.map { Check.warning(.ignored, $0.detail, hint: $0.hint(from: world.directory)) }
    if let file = Identities.file(options, in: world) {
      checks += [WorkspaceChecks.replaceable(identity: file)].compactMap(\.self)
    }
    if let file = place.file {
      checks += [WorkspaceChecks.replaceable(store: file, shown: place.shown)].compactMap(\.self)
      if let check = WorkspaceChecks.ignored(file, in: project.folder, world), check.level == .warning {
        checks.append(check)
      }
    }
    for check in checks {
      world.err.write("warning: \(check.detail)\n" + (check.hint.map { "  hint: \($0)\n" } ?? ""))
    }
    guard !confirm.yes, options.mayAsk(in: world) else { return }
    for (file, lines) in Dictionary(grouping: exposed, by: \.ignoreFile).sorted(by: { $0.key < $1.key }) {
      try IgnoreFile.offer(lines.map(\.line), to: file, in: world)
    }
  }

  private func identity(_ setup: ExistingSetup, in world: World, _ told: inout [String]) throws(Failure) -> String {
    if let identities = setup.identities {
      told.append("kept   \(identities.origin)")
      guard let first = identities.all.first else {
        throw Failure(.storeRefused, "No identity", "\(identities.origin) has none.")
      }
      return first.recipient.description
    }
    let (path, recipient) = try Identities.create(options, in: world)
    told.append("made   \(path)")
    told.append("       your identity: keep a copy where it cannot be lost")
    return recipient.description
  }

  /// What a file from before the manifest holds; nothing is made where that does not make a manifest that is in order.
  private func imported(in world: World) throws -> Import? {
    guard let from else { return nil }
    if try Project.hasManifest(options, in: world) {
      let project = try Project(options, in: world)
      return try Import(from, for: project.folder, beside: try project.manifest(), in: world)
    }
    let folder = Project.parent(of: Project.newPath(options, in: world))
    let imported = try Import(from, for: folder, beside: nil, in: world)
    let trial = ManifestReader.Text(
      file: "keyplan.yaml", bytes: Array(("version: 1\n" + ImportedManifest.keys(imported.keys)).utf8))
    guard imported.keys.isEmpty || Project.reader(world, folder).read(base: trial).manifest != nil else {
      throw Failure(
        .failed, "Nothing was taken over", "A name in \(imported.shown) cannot stand in a manifest.",
        hint: "Is there a secret in a name? Declare the keys by hand: keyplan init makes a manifest to begin with.")
    }
    return imported
  }

  /// The manifest with what a file holds beside the keys that are declared already, in it or in the overlay that was named; nil
  /// where there is no manifest yet, or nothing to put there.
  private func edited(_ imported: Import?, in world: World) throws(Failure) -> ManifestFiles? {
    guard let imported, try Project.hasManifest(options, in: world) else { return nil }
    var files = try ManifestFiles(options, in: world)
    for key in imported.keys {
      var addition = KeyAddition(name: key.name, provider: key.provider)
      addition.sources = [key.source]
      addition.variable = key.variable
      try addition.make(in: &files)
    }
    try files.check(files.environments(), options, in: world)
    return files
  }

  private func manifest(
    _ setup: ExistingSetup, for recipient: String, _ imported: Import?, _ edited: ManifestFiles?, in world: World,
    _ told: inout [String]
  ) throws(Failure) {
    let path = Project.newPath(options, in: world)
    if setup.project != nil {
      guard let imported, let edited else {
        told.append("kept   \(Project.relative(path, to: world.directory))")
        return
      }
      try edited.write()
      told.append("\(imported.keys.isEmpty ? "kept   " : "added  to ")\(edited.edited.shown)")
      told += ImportText.lines(imported)
      return
    }
    let name = RecipientName.suggestion(in: world)
    let declared = imported.flatMap { $0.keys.isEmpty ? nil : $0 }
    let text =
      declared.map { ImportedManifest.text($0, recipient: recipient, name: name) }
      ?? StarterManifest.text(recipient: recipient, name: name)
    do throws(FileError) {
      if world.fileExists(path) {
        try AtomicFile.replace(path, with: Array(text.utf8), expecting: [])
      } else {
        try PrivateFile.create(path, Array(text.utf8))
      }
    } catch {
      throw Failure(error, "Manifest was not made")
    }
    world.publish(path)
    told.append("made   \(Project.relative(path, to: world.directory))")
    if let imported { told += ImportText.lines(imported) }
  }

  private func makeStore(
    _ setup: ExistingSetup, _ manifest: Manifest, _ recipient: String, _ project: Project, in world: World,
    _ told: inout [String]
  ) throws(Failure) {
    let place = setup.place
    let pin: Pin?
    switch setup.store {
    case .missing, .lost:
      pin = try makeStore(at: place, manifest, recipient, in: world, &told)
    case .begun(let begun):
      try completeTables(of: place, &told)
      told.append("kept   \(place.shown)")
      pin = begun
    case .pinned:
      try completeTables(of: place, &told)
      told.append("kept   \(place.shown)")
      pin = nil
    }
    if let pin {
      let change =
        !place.trust.pinFile.exists ? "made   " : place.pin == nil ? "added  a line to " : "changed  the line in "
      try place.remember(pin)
      told.append("\(change)keyplan.lock   keep it in git")
    }
    BegunStores(in: world).forget(place)
  }

  private func makeStore(
    at place: ResolvedStore, _ manifest: Manifest, _ recipient: String, in world: World, _ told: inout [String]
  ) throws(Failure) -> Pin {
    let recipients = try ExistingSetup.recipients(declared: manifest.recipients, orAlone: recipient, in: world)
    if let file = place.file { try folder(of: file, in: world) }
    let store: SealedStore
    do throws(StoreError) {
      if case .shared(let shared) = place.location, try shared.tables() == .none {
        told.append("made   the tables of keyplan in the schema \(shared.schema)")
      }
      store = try SealedStore.create(at: place.location, recipients: recipients, now: world.now) { facts in
        BegunStores(in: world).note(Pin(facts), at: place)
      }
    } catch {
      throw Failure(error)
    }
    told.append("made   \(place.shown)   sealed to \(recipients.keys.sorted().map(\.name).joined(separator: ", "))")
    return try Pin(of: store)
  }

  /// Makes the tables on a server that an earlier version of keyplan did not have.
  private func completeTables(of place: ResolvedStore, _ told: inout [String]) throws(Failure) {
    guard case .shared(let shared) = place.location, try Failure.from(shared.tables) == .older else { return }
    try Failure.from(shared.makeTables)
    told.append("made   what was missing of the tables in the schema \(shared.schema)")
  }

  /// What is said where another environment has come, and plain commands no longer say which one they mean.
  private func choosing(_ project: Project, _ place: ResolvedStore, in world: World) -> String {
    guard let name = place.environment, project.reading.settings.defaultEnvironment == nil else { return "" }
    return """

      Each command needs a choice of the environment now: -e \(name), or
      KEYPLAN_ENVIRONMENT. This line in \(project.shown) chooses where nobody does:

        \(EnvironmentChoice.line(for: name, in: project.folder, of: world))

      """
  }

  private func folder(of file: String, in world: World) throws(Failure) {
    do throws(FileError) {
      try ProjectDirectory.ensure(Project.parent(of: file), in: world)
    } catch {
      throw Failure(error, "Store was not made")
    }
  }
}
