internal import KeyplanFiles
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanReporting

/// The signs that a project has a store, even if it is not found. Values are read straight from their sources only if there are none: a
/// branch that deletes the store or keyplan.lock must not change the values of its keys.
enum StoreSigns {
  /// The word that `KEYPLAN_STORE` and `--store` have for *no store*.
  static let none = "none"

  /// A sentence about the first sign of a project's store; nil if there is none.
  static func found(for project: Project, in world: World) throws(Failure) -> String? {
    let sign = try found(
      in: project.folder, project.environment, named: project.reading.settings.store, in: world)
    return sign ?? (project.reading.manifest?.recipients == nil ? nil : "Its manifest has recipients of a store.")
  }

  /// The same without the recipients that a manifest declares, which is not parsed for this.
  static func found(in folder: String, _ environment: String?, named: String?, in world: World) throws(Failure)
    -> String?
  {
    let lock = folder + "/keyplan.lock"
    if try PinFile(in: folder, of: world).exists { return "keyplan.lock names its store." }
    if WorkTree.tracked(among: [lock]).contains(lock) { return "git has its keyplan.lock, which was deleted here." }
    if let text = world.settings.store, text != none {
      return "\(world.settings.isStoreArgument ? "--store" : "KEYPLAN_STORE") names its store."
    }
    if world.variable("KEYPLAN_PIN") != nil { return "KEYPLAN_PIN names its store." }
    if named != nil { return "Its manifest names a store." }
    if try KnownStores(in: world).contains(folder: Project.real(folder)) { return "This machine has used its store." }
    // A schema for editors may be there alone. One that cannot be listed could have anything.
    let stores = Project.parent(of: ResolvedStore.defaultFile(in: folder, environment))
    guard world.fileExists(stores) else { return nil }
    let names = Project.names(in: stores)
    guard names.isEmpty || names.contains(where: { $0.contains(".db") }) else { return nil }
    return "\(Project.relative(stores, to: world.directory)) is where its store is or was."
  }

  /// Refuses to do without a store in a project that has one.
  static func requireNone(in folder: String, _ environment: String?, named: String?, in world: World) throws(Failure) {
    if let sign = try found(in: folder, environment, named: named, in: world) { throw hasStore(sign, in: world) }
  }

  static func hasStore(_ sign: String, in world: World) -> Failure {
    let origin = world.settings.isStoreArgument ? "--store" : "KEYPLAN_STORE"
    return Failure(
      .storeRefused, "Project has a store", "\(origin) is \"\(none)\", and this project has a store. \(sign)",
      hint: "Unset it, or name the store.")
  }
}
