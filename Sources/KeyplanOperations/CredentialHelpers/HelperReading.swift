internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting
internal import KeyplanSecrets
internal import KeyplanStore

/// Reads the values of credential helpers: only from a store, and without questions.
///
/// A helper runs inside untrusted repositories, for programs that let a repository choose the host. So the working directory is ignored, and
/// the manifest's own checkout is untrusted like that of a pull request, even on a terminal.
package enum HelperReading {
  /// The world of a helper.
  /// - Parameter manifest: the path on the command line. A variable is ignored, because it is meant for other commands.
  package static func world(_ world: World, manifest: String?) throws(Failure) -> World {
    guard let manifest, manifest.hasPrefix("/") else { throw .relativeManifest(manifest) }
    var world = world
    world.settings.manifest = manifest
    world.settings.isCheckoutUntrusted = true
    world.settings.mayAsk = false
    world.console = UnattendedConsole(world.console)
    guard !world.settings.isStoreNone else { throw .storeRequired(world) }
    if let store = world.settings.store, !PostgresAddress.isAddress(store), isRelative(store) {
      throw .relativePath(world.settings.isStoreArgument ? "--store" : "KEYPLAN_STORE")
    }
    if let identity = world.settings.identity, isRelative(identity), !Identities.isIdentity(identity) {
      throw .relativePath("--identity")
    }
    if world.settings.identity == nil, let identity = world.variable("KEYPLAN_IDENTITY"), isRelative(identity),
      !Identities.isIdentity(identity)
    {
      throw .relativePath("KEYPLAN_IDENTITY")
    }
    return world
  }

  private static func isRelative(_ path: String) -> Bool { !path.hasPrefix("/") && !path.hasPrefix("~/") }

  /// Rejects an invalid name before anything quotes it: it may be a value.
  package static func check(name: String, _ option: String? = nil) throws(Failure) {
    guard ReadableName(name) != nil else {
      throw Failure(
        .usage, "Not the name of a key", "\(option ?? "The argument") takes the name of a key, or active.SLOT.",
        hint: "If it was a value, it is now in the process list and in the shell's history: replace it. "
          + "For the names of keys: keyplan keys")
    }
  }

  /// A helper that has been set up fails inside another program, whose user sees little of the reason.
  package static func warn(ofUndeclared names: [String], manifest: String?, in world: World) throws(Failure) {
    var world = world
    if let manifest { world.settings.manifest = manifest }
    guard let manifest = (try? Project(in: world))?.reading.manifest else { return }
    let whole = WholeKeys(manifest, Recorded())
    let missing = names.filter { name in
      switch ReadableName(name) {
      case .key(let id): manifest.keys[id] == nil && whole.parts(named: id).isEmpty
      case .slot(let id): manifest.slots[id] == nil
      case nil: true
      }
    }
    guard !missing.isEmpty else { return }
    let near = Suggestion.nearest(
      to: missing[0], among: manifest.keys.keys.map(\.name) + manifest.slots.keys.map { "active.\($0)" })
    world.console.warn(
      Warning(
        "Not declared", "The manifest does not declare \(missing.map { "\"\($0)\"" }.joined(separator: ", ")).",
        hint: near.map { "Did you mean \($0)?" } ?? "keyplan keys lists the names of keys."))
  }

  /// The value of `KEY` or `active.SLOT`.
  package nonisolated(nonsending) static func credential(
    named name: String, in world: World
  ) async throws(Failure) -> HelperCredential {
    try await StoreReading.reading(in: world) { store throws(Failure) in
      let (record, value) = try store.served(name)
      return try HelperCredential(value, of: name, until: record.issuedKey?.expires)
    }
  }

  /// The values of keys that belong together, from one commit. Optional keys are read only if they are recorded.
  package nonisolated(nonsending) static func credentials(
    named names: [String], optional: Set<String>, in world: World
  ) async throws(Failure) -> [String: HelperCredential] {
    try await StoreReading.reading(in: world) { store throws(Failure) in
      let snapshot = try store.snapshot()
      var keys: [(name: String, key: Identifier<Key>)] = []
      for name in names {
        let key = ReadableName(name)?.key(in: snapshot.recorded)
        if let key, snapshot.recorded.keys[key] != nil {
          keys.append((name, key))
        } else if !optional.contains(name) {
          throw .notRecorded(name, in: snapshot.recorded, declaredIn: world)
        }
      }
      let values = try store.values(of: keys.map(\.key), in: snapshot)
      var credentials: [String: HelperCredential] = [:]
      for ((name, key), value) in zip(keys, values) {
        credentials[name] = try HelperCredential(
          value, of: name, until: snapshot.recorded.keys[key]?.issuedKey?.expires)
      }
      return credentials
    }
  }
}

extension Failure {
  private static let why = "Programs run helpers in any directory, so a helper looks for nothing there."

  /// Without a suggestion: the working directory may be a stranger's.
  fileprivate static func relativeManifest(_ manifest: String?) -> Failure {
    Failure(
      .usage, "Absolute manifest required",
      (manifest == nil ? "--manifest is missing. " : "--manifest is not an absolute path. ") + why,
      hint: "In the project's folder, the same command line with --setup prints what the program's configuration needs."
    )
  }

  fileprivate static func relativePath(_ origin: String) -> Failure {
    Failure(
      .usage, "Absolute path required", "\(origin) is not an absolute path. \(why)", hint: "Write the whole path.")
  }

  fileprivate static func storeRequired(_ world: World) -> Failure {
    Failure(
      .storeRefused, "Store required",
      "\(world.settings.isStoreArgument ? "--store" : "KEYPLAN_STORE") is \"\(StoreSigns.none)\", and a credential helper reads "
        + "values from a store only.",
      hint: "Create a store in the manifest's folder with `keyplan init` and `keyplan apply`, and leave "
        + "\(world.settings.isStoreArgument ? "--store" : "KEYPLAN_STORE") out.")
  }
}
