internal import KeyplanAge
internal import KeyplanFiles
internal import KeyplanManifest
package import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// Creates the missing parts of a project: the identity, the manifest, the store, `keyplan.lock`.
package struct ProjectSetup {
  private let world: World
  private let imported: Import?
  private let edited: ManifestFiles?
  private let existing: ExistingSetup
  private let wantsNewStore: Bool

  /// The place of the store, which may not exist yet.
  package var place: ResolvedStore { existing.place }
  /// Whether the new store replaces a missing one named by `keyplan.lock`.
  package var replacesLostStore: Bool { if case .lost = existing.store { true } else { false } }

  /// Checks everything that can fail, and creates nothing.
  /// - Parameters:
  ///   - file: a dotenv file or property list whose keys are declared; nil for none.
  ///   - replacingLost: whether a new store may replace the one that `keyplan.lock` names.
  package nonisolated(nonsending) init(
    importing file: String? = nil, replacingLost: Bool = false, in world: World
  ) async throws {
    (self.world, wantsNewStore) = (world, replacingLost)
    if !(try Project.hasManifest(in: world)), case .overlay(let name)? = EnvironmentChoice(in: world, among: []) {
      throw Failure(
        .usage, "No manifest", "The environment \"\(name)\" needs a manifest, and there is none yet.",
        hint: "Omit the environment first: init then creates the manifest.")
    }
    imported = try file.map { try Self.imported($0, in: world) }
    edited = try Self.edited(imported, in: world)
    existing = try await ExistingSetup(replacingLost: replacingLost, in: world)
  }

  /// The result.
  package struct Made {
    package let project: Project
    package let manifest: Manifest
    /// The files that were made or kept, a line each.
    package let lines: [String]
    /// Whether keys were declared from a file.
    package let hasImportedKeys: Bool
  }

  /// Creates what is missing. Each item is created atomically, so that the next run can continue after an interruption.
  package nonisolated(nonsending) func make() async throws -> Made {
    var lines: [String] = []
    let recipient = try await identity(&lines)
    try writeManifest(for: recipient, &lines)
    let project = try Project(in: world)
    let manifest = try project.manifest()
    try makeStore(manifest, recipient, project, &lines)
    EditorSchema.write(in: project.folder, of: world)
    return Made(
      project: project, manifest: manifest, lines: lines, hasImportedKeys: imported?.keys.isEmpty == false)
  }

  private nonisolated(nonsending) func identity(_ lines: inout [String]) async throws(Failure) -> String {
    if let identities = existing.identities {
      lines.append("kept   \(identities.origin)")
      return try identities.first().description
    }
    let (path, recipient) = try await Identities.create(in: world)
    lines.append("made   \(path)")
    lines.append("       your identity: keep a backup copy in a safe place")
    return recipient.description
  }

  /// The keys of a file; an error if they would not make a valid manifest.
  private static func imported(_ file: String, in world: World) throws -> Import {
    if try Project.hasManifest(in: world) {
      let project = try Project(in: world)
      return try Import(file, for: project.folder, beside: try project.manifest(), in: world)
    }
    let folder = Project.parent(of: Project.newPath(in: world))
    let imported = try Import(file, for: folder, beside: nil, in: world)
    let trial = ManifestReader.Text(
      file: "keyplan.yaml", bytes: Array(("version: 1\n" + ImportedManifest.declarations(imported.keys)).utf8))
    guard imported.keys.isEmpty || Project.reader(world, folder).read(base: trial).manifest != nil else {
      throw Failure(
        .failed, "Nothing imported", "A name in \(imported.shown) is not valid in a manifest.",
        hint:
          "Check the file for unquoted values. Or create a manifest with keyplan init, and declare the keys by hand.")
    }
    return imported
  }

  /// The existing manifest, or the chosen overlay, with the keys that it does not declare yet; nil if there is no manifest, or nothing to
  /// add.
  private static func edited(_ imported: Import?, in world: World) throws -> ManifestFiles? {
    guard let imported, try Project.hasManifest(in: world) else { return nil }
    var files = try ManifestFiles(in: world)
    for key in imported.keys {
      var addition = KeyAddition(name: key.name, provider: key.provider)
      addition.sources = [key.source]
      // An overlay cannot declare a slot if the base has the short form for one slot.
      let slot = files.environment != nil && files.base.text.hasOneSlot ? nil : key.slot
      addition.variable = slot == nil ? key.variable : nil
      try addition.make(in: &files)
      if let slot { _ = try SlotChoice(key.name, newSlot: slot).make(in: &files) }
    }
    try ManifestTemplate.addMigrations(of: imported.keys.map { ($0.source, $0.name) }, in: &files)
    try files.check(files.environments())
    return files
  }

  private func writeManifest(for recipient: String, _ lines: inout [String]) throws(Failure) {
    let path = Project.newPath(in: world)
    if existing.project != nil {
      guard let imported, let edited else {
        lines.append("kept   \(Project.relative(path, to: world.directory))")
        return
      }
      try edited.write()
      lines.append("\(imported.keys.isEmpty ? "kept   " : "added  to ")\(edited.edited.shown)")
      lines += ImportText.lines(imported)
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
      throw Failure(error, "Manifest not written")
    }
    world.publish(path)
    lines.append("made   \(Project.relative(path, to: world.directory))")
    if let imported { lines += ImportText.lines(imported) }
  }

  private func makeStore(
    _ manifest: Manifest, _ recipient: String, _ project: Project, _ lines: inout [String]
  ) throws(Failure) {
    let pin: Pin?
    switch existing.store {
    case .missing, .lost:
      pin = try makeStore(manifest, recipient, &lines)
    case .begun(let begun):
      lines.append("kept   \(place.shown)")
      pin = begun
    case .pinned:
      lines.append("kept   \(place.shown)" + (wantsNewStore ? "   it is not lost, so --new-store had no effect" : ""))
      pin = nil
    }
    if let pin {
      let change =
        !place.trust.pinFile.exists ? "made   " : place.pin == nil ? "added  a line to " : "changed  the line in "
      try place.remember(pin)
      lines.append("\(change)keyplan.lock   commit it to git")
    }
    BegunStores(in: world).forget(place)
  }

  private func makeStore(
    _ manifest: Manifest, _ recipient: String, _ lines: inout [String]
  ) throws(Failure) -> Pin {
    let declared = try ExistingSetup.recipients(declared: manifest.recipients, orAlone: recipient, in: world)
    // A manifest alone must not decide which programs run: the first apply asks for confirmation.
    let later = declared.plugins.subtracting(existing.identities?.programs ?? [])
    let recipients = declared.filter { recipient in recipient.value.plugin.map { !later.contains($0) } ?? true }
    if let file = place.file {
      do throws(FileError) {
        try ProjectDirectory.ensure(Project.parent(of: file), in: world)
      } catch {
        throw Failure(error, "Store not created")
      }
    }
    let store: SealedStore
    do throws(StoreError) {
      if case .shared(let shared) = place.location, try !shared.hasTables() {
        lines.append("made   keyplan's tables in the schema \(shared.schema)")
      }
      store = try SealedStore.create(
        at: place.location, recipients: recipients, now: world.now,
        plugins: existing.identities?.plugins ?? NoPlugins()
      ) {
        facts in
        BegunStores(in: world).note(Pin(facts), at: place)
      }
    } catch {
      throw Failure(error)
    }
    lines.append("made   \(place.shown)   encrypted to \(Self.names(recipients, .full))")
    let planners = Self.names(recipients, .plan)
    if !planners.isEmpty { lines.append("       \(planners) can only plan") }
    if !later.isEmpty {
      let names = declared.filter { recipients[$0.key] == nil }.keys.sorted().map(\.name).joined(separator: ", ")
      let programs = later.sorted().map(\.text).joined(separator: ", ")
      lines.append("       \(names): the first keyplan apply asks to run \(programs), and adds the recipient")
    }
    let facts = try Failure.from { () throws(StoreError) in try store.facts() }
    place.trust.noteCommit(facts)
    return Pin(facts)
  }

  private static func names(
    _ recipients: [Identifier<Recipient>: Recipient], _ role: Recipient.Role
  ) -> String {
    recipients.filter { $0.value.role == role }.keys.sorted().map(\.name).joined(separator: ", ")
  }

}

extension ProjectSetup {
  /// Files with secrets that git would commit, or could replace.
  /// - Returns: the warnings, and the files for which lines of a `.gitignore` help.
  package static func exposure(of project: Project, _ place: ResolvedStore, in world: World) -> (
    checks: [Check], files: [ExposedFile]
  ) {
    let exposed = project.exposedFiles(in: world)
    var checks = exposed.map { Check.warning(.ignored, $0.detail, hint: $0.hint(from: world.directory)) }
    if let file = Identities.file(in: world) {
      checks += [WorkspaceChecks.replaceable(identity: file)].compactMap(\.self)
    }
    if let file = place.file {
      // `doctor` reports it for the default place.
      if file != ResolvedStore.defaultFile(in: project.folder, place.environment) {
        checks += [WorkspaceChecks.replaceable(store: file, shown: place.shown)].compactMap(\.self)
      }
      if let check = WorkspaceChecks.ignored(file, in: project.folder, world), check.level == .warning {
        checks.append(check)
      }
    }
    return (checks, exposed)
  }
}
