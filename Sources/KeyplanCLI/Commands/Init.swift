internal import ArgumentParser
internal import KeyplanAge
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanFiles
internal import KeyplanManifest
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

  @OptionGroup var text: TextOptions

  func run(in world: World) async throws -> Int32 {
    var told: [String] = []
    let hasManifest = (try? Project.find(options, in: world)).map(world.fileExists) ?? false
    if !hasManifest, case .overlay(let name)? = EnvironmentChoice(options, in: world, among: []) {
      throw Failure(
        .usage, "No manifest", "There is no manifest yet that the environment \"\(name)\" could belong to.",
        hint: "Run `keyplan init` without an environment first.")
    }
    let imported = try imported(in: world)
    let recipient = try identity(in: world, &told)
    try manifest(for: recipient, imported, in: world, &told)
    let project = try Project(options, in: world)
    let manifest = try project.manifest()
    let place = try StorePlace(of: project, options, in: world)
    try makeStore(place, manifest, recipient, project, in: world, &told)
    if !options.isQuiet(in: world) {
      let environment = options.common.environment.map { " --environment \($0)" } ?? ""
      let plan = "keyplan plan" + environment
      let isEmpty = manifest.keys.isEmpty && manifest.accounts.isEmpty
      let next = isEmpty ? "declare a key in \(project.shown), then \(plan)" : plan
      world.out.write(
        told.map { "  \($0)\n" }.joined() + "\nNext: \(next)\n"
          + (imported?.keys.isEmpty == false ? "      keyplan apply\(environment)\n" : "")
          + choosing(project, place, in: world))
    }
    return ExitStatus.done.rawValue
  }

  private func identity(in world: World, _ told: inout [String]) throws -> String {
    let path = options.identity.map(world.absolute) ?? Identities.path(in: world)
    let isNamed = world.variable("KEYPLAN_IDENTITY") != nil && options.identity == nil
    if isNamed || world.fileExists(path) {
      let identities = try Identities(options, in: world)
      told.append("kept   \(identities.origin)")
      guard let first = identities.all.first else {
        throw Failure(.storeRefused, "No identity", "\(identities.origin) has none.")
      }
      return first.recipient.description
    }
    let recipient = try Identities.create(at: path, in: world)
    told.append("made   \(path)")
    told.append("       your identity: keep a copy where it cannot be lost")
    return recipient.description
  }

  /// What a file from before the manifest holds; nothing is made where that does not make a manifest that is in order.
  private func imported(in world: World) throws -> Import? {
    guard let from else { return nil }
    if let path = try? Project.find(options, in: world), world.fileExists(path) {
      let project = try Project(options, in: world)
      return try Import(from, for: project.folder, beside: try project.manifest(), in: world)
    }
    let folder = Project.parent(of: manifestPath(in: world))
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

  private func manifestPath(in world: World) -> String {
    options.manifestPath(in: world).map(world.absolute) ?? world.directory + "/keyplan.yaml"
  }

  private func manifest(
    for recipient: String, _ imported: Import?, in world: World, _ told: inout [String]
  ) throws {
    if let path = try? Project.find(options, in: world), world.fileExists(path) {
      guard let imported else {
        told.append("kept   \(Project.relative(path, to: world.directory))")
        return
      }
      return try add(imported, in: world, &told)
    }
    let path = manifestPath(in: world)
    let name = RecipientName.suggestion(in: world)
    let declared = imported.flatMap { $0.keys.isEmpty ? nil : $0 }
    let text =
      declared.map { ImportedManifest.text($0, recipient: recipient, name: name) }
      ?? StarterManifest.text(recipient: recipient, name: name)
    do throws(FileError) {
      try PrivateFile.create(path, Array(text.utf8))
    } catch {
      throw Failure(error, "Manifest was not made")
    }
    world.publish(path)
    told.append("made   \(Project.relative(path, to: world.directory))")
    if let imported { told += ImportText.lines(imported) }
  }

  /// Puts what a file holds beside the keys that are declared already, in the manifest or in the overlay that was named.
  private func add(_ imported: Import, in world: World, _ told: inout [String]) throws(Failure) {
    var files = try ManifestFiles(options, in: world)
    for key in imported.keys {
      var addition = KeyAddition(name: key.name, provider: key.provider)
      addition.sources = [key.source]
      addition.variable = key.variable
      try addition.make(in: &files)
    }
    try files.check(files.environments(), options, in: world)
    try files.write()
    told.append("\(imported.keys.isEmpty ? "kept   " : "added  to ")\(files.edited.shown)")
    told += ImportText.lines(imported)
  }

  private func makeStore(
    _ place: StorePlace, _ manifest: Manifest, _ recipient: String, _ project: Project, in world: World,
    _ told: inout [String]
  ) throws {
    if try place.exists(in: world) {
      // Who pins a store that he did not make could be given one by somebody else; and another project may have this name.
      if place.file == nil, place.pin == nil { throw Failure.anothers(place) }
      _ = try OpenStore.open(place, try Identities(options, in: world), .reading)
      if case .shared(let shared) = place.location, try Failure.from(shared.tables) == .older {
        try Failure.from(shared.makeTables)
        told.append("made   what was missing of the tables in the schema \(shared.schema)")
      }
      told.append("kept   \(place.shown)")
      return
    }
    guard place.pin == nil else { throw Failure.noStore(place) }
    let recipients = try recipients(manifest, recipient, in: world)
    if let file = place.file { try folder(of: file, in: world) }
    let store: SealedStore
    do throws(StoreError) {
      if case .shared(let shared) = place.location, try shared.tables() == .none {
        told.append("made   the tables of keyplan in the schema \(shared.schema)")
      }
      store = try SealedStore.create(at: place.location, recipients: recipients, now: world.now)
    } catch {
      throw Failure(error)
    }
    told.append("made   \(place.shown)   sealed to \(recipients.keys.sorted().map(\.name).joined(separator: ", "))")
    var pins = try PinFile(in: project.folder, of: world)
    let isNew = !pins.isThere
    try pins.set(try Pin(of: store), for: place.environment)
    told.append(isNew ? "made   keyplan.lock   keep it in git" : "added  a line to keyplan.lock   keep it in git")
  }

  /// What is said where another environment has come, and plain commands no longer say which one they mean.
  private func choosing(_ project: Project, _ place: StorePlace, in world: World) -> String {
    guard let name = place.environment, project.reading.settings.defaultEnvironment == nil else { return "" }
    return """

      Each command needs a choice of the environment now: -e \(name), or
      KEYPLAN_ENVIRONMENT. This line in \(project.shown) chooses where nobody does:

        \(EnvironmentChoice.line(for: name, in: project.folder, of: world))

      """
  }

  private func folder(of file: String, in world: World) throws(Failure) {
    do throws(FileError) {
      let folder = Project.parent(of: file)
      try PrivateDirectory.ensure(folder)
      if folder.hasSuffix("/.keyplan"), !world.fileExists(folder + "/.gitignore") {
        try PrivateFile.create(folder + "/.gitignore", Array("*\n".utf8))
      }
    } catch {
      throw Failure(error, "Store was not made")
    }
  }

  /// Those of the manifest, or the identity in use where it names none.
  private func recipients(
    _ manifest: Manifest, _ recipient: String, in world: World
  ) throws(Failure) -> [Identifier<KeyplanCore.Recipient>: KeyplanCore.Recipient] {
    if let declared = manifest.recipients {
      guard declared.values.contains(where: { $0.publicKey == recipient }) else {
        throw Failure(
          .refused, "You would lock yourself out",
          "The identity in use, \(recipient), is not among the manifest's recipients.",
          hint: "Add it under `recipients`, or use another identity.")
      }
      return declared
    }
    guard let name = Identifier<KeyplanCore.Recipient>(RecipientName.suggestion(in: world)) else {
      throw Failure(.failed, "No name for the recipient", "The login name does not make one.")
    }
    return [name: KeyplanCore.Recipient(publicKey: recipient)]
  }
}
