internal import KeyplanFiles
internal import KeyplanLocal
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting
internal import KeyplanSecrets
package import KeyplanStore

/// The store of a manifest and an environment.
package struct ResolvedStore {
  /// A file by its absolute path, or a store on a server.
  package let location: StoreLocation
  /// The place for messages.
  package let shown: String
  /// The environment; nil for the one without a name.
  package let environment: String?
  /// The maximum wait for another process's commit to a file; nil for the default.
  private(set) var patience: Duration?
  /// The time for which this machine's copy of a store on a server may be read while the server is unreachable; nil for no copy.
  private(set) var offline: Interval?
  /// Whether values are to be read without a store. The place is then the default one, which must be free.
  package private(set) var isNone = false
  /// The facts known about the expected store.
  package internal(set) var trust: StoreTrust
  /// The pin in `keyplan.lock`; nil if there is none.
  package var pin: Pin? { trust.locked }

  /// The store of a manifest that has been read.
  /// - Parameter isDeliberate: whether a store is to be created or trusted here, so that it need not be known. A server that only
  ///   the manifest names is contacted after a question in any case.
  package init(
    of project: Project, in world: World, isDeliberate: Bool = false
  ) throws(Failure) {
    try self.init(
      folder: project.folder, environment: project.environment, named: project.reading.settings, in: world)
    if isDeliberate { try requireWanted() }
    try isDeliberate ? trust.requireContact() : requireKnown(in: world)
  }

  /// Rejects a store that only the checkout names, before it is contacted. A missing store is reported later.
  private func requireKnown(in world: World) throws(Failure) {
    if let file, !world.fileExists(file) { return }
    try trust.requireKnownPlace()
  }

  /// The store of a manifest that is about to be created in this folder.
  package init(inNewProject folder: String, in world: World) throws(Failure) {
    try self.init(folder: folder, environment: nil, named: nil, in: world)
    try requireWanted()
  }

  /// Refuses to create or trust a store if values are to be read without one.
  private func requireWanted() throws(Failure) {
    guard isNone else { return }
    throw Failure(
      .usage, "No store is wanted", "KEYPLAN_STORE or --store is \"\(StoreSigns.none)\".",
      hint: "Leave it out, or name a file or a server's address.")
  }

  /// Another place for the same store.
  /// - Parameter text: an address or a file; nil for the default file.
  package init(to text: String?, of project: Project, in world: World) throws(Failure) {
    try self.init(
      folder: project.folder, environment: project.environment,
      chosen: text ?? Self.defaultFile(in: project.folder, project.environment), isArgument: true, mayAsk: false,
      named: project.reading.settings, in: world)
  }

  /// The store named by the manifest or an earlier choice, regardless of the options.
  package init(_ chosen: String?, of project: Project, in world: World) throws(Failure) {
    try self.init(
      folder: project.folder, environment: project.environment, chosen: chosen, isArgument: false, mayAsk: false,
      named: project.reading.settings, in: world)
  }

  /// The place alone, for those who do not open the store: its password is not read.
  package init(placeOf project: Project, in world: World) throws(Failure) {
    try self.init(
      folder: project.folder, environment: project.environment, chosen: world.settings.store,
      isArgument: world.settings.isStoreArgument, mayAsk: false, named: project.reading.settings, in: world,
      readsPassword: false)
  }

  /// The store without the cost of parsing the manifest, if that cannot matter: a manifest that does not contain the words `store` and
  /// `defaultEnvironment` has the default store.
  package init(in world: World, isDeliberate: Bool = false) throws(Failure) {
    let words = try ManifestWords(in: world)
    guard !words.mayContain("store", "defaultEnvironment") else {
      self = try ResolvedStore(of: try Project(in: world), in: world, isDeliberate: isDeliberate)
      return
    }
    try self.init(folder: Project.parent(of: words.path), environment: words.environment, named: nil, in: world)
    try isDeliberate ? requireWanted() : requireKnown(in: world)
  }

  private init(
    folder: String, environment: String?, named: ManifestReader.Settings?, in world: World
  ) throws(Failure) {
    try self.init(
      folder: folder, environment: environment, chosen: world.settings.store,
      isArgument: world.settings.isStoreArgument, mayAsk: world.settings.mayAsk, named: named, in: world)
    patience = world.settings.lockTimeout
  }

  /// - Parameters:
  ///   - chosen: relative to the working directory; overrides `named`, which is relative to the manifest's folder.
  ///   - isArgument: whether it was chosen on the command line.
  ///   - mayAsk: whether an unknown store can be confirmed interactively.
  private init(
    folder: String, environment: String?, chosen: String?, isArgument: Bool, mayAsk: Bool,
    named: ManifestReader.Settings?, in world: World, readsPassword: Bool = true
  ) throws(Failure) {
    self.environment = environment
    let project = KnownStores.Project(
      folder: Project.real(folder), environment: environment ?? PinFile.unnamed)
    try Self.requireHomeOutside(folder, in: world)
    let isNone = chosen == StoreSigns.none
    let chosen = isNone ? nil : chosen
    if isNone { try StoreSigns.requireNone(in: folder, environment, named: named?.store, in: world) }
    let (pinFile, given) = (
      try PinFile(in: folder, of: world), try StoreTrust.given(for: project.environment, in: world)
    )
    func trust(
      _ place: String, _ shown: String, isNamedOutside: Bool, _ server: StoreTrust.Server? = nil,
      isReplica: Bool = false
    ) -> StoreTrust {
      StoreTrust(
        place: place, shown: shown, project: project, isNamedOutside: isNamedOutside, server: server, given: given,
        mayAsk: mayAsk, pinFile: pinFile, isReplica: isReplica, world: world)
    }
    if let text = chosen ?? named?.store, PostgresAddress.isAddress(text) {
      let password = readsPassword ? try Self.password(beside: text, named, folder, in: world) : nil
      let address = try Self.address(
        text, password, folder: folder, environment, isArgument: isArgument, in: world)
      let known = try pinFile.pin(for: project.environment).flatMap { pin throws(Failure) in
        try KnownStores(in: world).address(of: pin.store, project.environment, on: address)
      }
      let shared = SharedStore(known ?? address)
      location = .shared(shared)
      offline = named?.offline
      shown = shared.address.description
      let word = isArgument ? "ADDRESS" : chosen == nil ? ShellWord.quoted(text) : "\"$KEYPLAN_STORE\""
      self.trust = trust(
        shared.address.identity, shown, isNamedOutside: chosen != nil,
        StoreTrust.Server(
          project: shared.address.project, isChosenByLock: known != nil, word: word,
          credential: Self.credential(for: shared.address, password == nil ? nil : named?.storePassword, in: world)),
        isReplica: try Self.isReplica(shared.address, text, isNamedOutside: chosen != nil, named, in: world))
      return
    }
    let path =
      chosen.map { world.absolute($0) } ?? named?.store.map { world.absolute($0, in: folder) }
      ?? Self.defaultFile(in: folder, environment)
    let resolved = Project.resolved(path)
    location = .file(resolved)
    self.isNone = isNone
    shown = Project.relative(resolved, to: world.directory)
    let real = Project.real(resolved)
    self.trust = trust(
      "file:" + real, shown,
      isNamedOutside: chosen?.hasPrefix("/") == true && !Project.isInWorkTree(real, of: folder))
  }

  /// Known stores and identities must not come from the checkout.
  private static func requireHomeOutside(_ folder: String, in world: World) throws(Failure) {
    let root = Project.workTree(of: folder)
    for directory in [world.state, world.configuration, world.home] where Project.isIn(root, directory) {
      guard try world.checkout() == .untrusted else {
        // A home directory kept in git is the user's own.
        guard Project.real(world.home) != root else { return }
        world.console.warn(
          Warning(
            "Home directory in the work tree",
            "\(directory) is in the work tree. Anyone who can change files there decides what is trusted."))
        return
      }
      throw Failure(
        .storeRefused, "Home directory in the work tree",
        "\(directory) is in the work tree, where a pull request could replace its files.",
        hint: "Set HOME, XDG_STATE_HOME and XDG_CONFIG_HOME to directories outside of the checkout.")
    }
    // Libraries of this process read them by themselves.
    try world.requireUsable(["OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "SSL_CERT_DIR"], in: folder)
  }

  /// The files in which a project's store may be: as chosen, as named by the manifest, and by default.
  package static func files(
    chosen: String?, named: String?, folder: String, _ environment: String?, in world: World
  ) -> [String] {
    let written = [chosen.map { ($0, world.directory) }, named.map { ($0, folder) }].compactMap(\.self)
    return written.filter { !PostgresAddress.isAddress($0.0) }.map {
      Project.resolved(world.absolute($0.0, in: $0.1))
    } + [defaultFile(in: folder, environment)]
  }

  /// The default place of a store.
  package static func defaultFile(in folder: String, _ environment: String?) -> String {
    "\(folder)/.keyplan/\(environment ?? "default").db"
  }

  /// The project is named after the manifest's folder, unless the address names it.
  private static func address(
    _ text: String, _ password: SecretBox?, folder: String, _ environment: String?, isArgument: Bool,
    in world: World
  ) throws(Failure) -> PostgresAddress {
    let name = folder.split(separator: "/").last.map(String.init) ?? "default"
    let address = try Failure.from { () throws(StoreError) in
      try PostgresAddress(
        text, project: name, environment: environment ?? "default", password: password, variables: world.variables)
    }
    if try world.checkout() == .untrusted {
      let files = ConfigurationFiles(world.sourceContext(folder))
      for (origin, path) in address.configurationFiles(world.variables) {
        // libpq looks for a relative one in the working directory.
        if let refusal = files.refusal(of: world.absolute(path), named: origin) {
          throw Failure(configuration: refusal)
        }
      }
    }
    guard !isArgument || !address.hasPassword else {
      throw Failure(
        .usage, "Password on the command line", "All users of this machine can read the arguments of programs.",
        hint: "Put it into ~/.pgpass or PGPASSWORD, or set KEYPLAN_STORE instead.")
    }
    if let warning = address.warning {
      world.console.warn(Warning("Store address", "\(address.description): \(warning)"))
    }
    return address
  }

  /// The password is used only for the address in the same manifest, and never in an untrusted checkout, since anyone who
  /// can edit the manifest could name any variable.
  private static func password(
    beside address: String, _ named: ManifestReader.Settings?, _ folder: String, in world: World
  ) throws(Failure) -> SecretBox? {
    guard address == named?.store, let reference = named?.storePassword else { return nil }
    guard try world.checkout() == .trusted else {
      world.console.warn(
        Warning(
          "Password not read", "In an untrusted checkout the manifest's `password` for the store is not used.",
          hint: "Set PGPASSWORD."))
      return nil
    }
    return try password(reference, folder, in: world)
  }

  /// The credential that a server gets, for people.
  /// - Parameter reference: the manifest's, if it is used.
  private static func credential(
    for address: PostgresAddress, _ reference: Reference?, in world: World
  ) -> String {
    if address.hasPassword { return "the password in the address" }
    if let reference { return "\(reference)" }
    return world.variable("PGPASSWORD") == nil
      ? "the password in ~/.pgpass, if it has one for this server" : "$PGPASSWORD"
  }

  /// Whether the address is a replica according to the manifest. An untrusted checkout cannot declare that: an older copy of the store could
  /// permit what was disallowed since.
  private static func isReplica(
    _ address: PostgresAddress, _ text: String, isNamedOutside: Bool, _ named: ManifestReader.Settings?, in world: World
  ) throws(Failure) -> Bool {
    if isNamedOutside, address.isReplica { return true }
    guard let named, text == named.store, named.isReplica || address.isReplica else { return false }
    return try world.checkout() == .trusted
  }

  private static func password(
    _ reference: Reference, _ folder: String, in world: World
  ) throws(Failure) -> SecretBox {
    let reason: String
    switch LocalBackends.readSync(reference, world.sourceContext(folder)) {
    case .value(let password): return password
    case .missing: reason = "\(reference) has no value."
    case .failed(let failure): reason = failure.at(reference).reason
    }
    throw Failure(
      .storeRefused, "No password for the store", reason,
      hint: "Check `password` under `store` in the manifest. Without it, PGPASSWORD and ~/.pgpass are used."
    )
  }

  /// The store's file; nil for a store on a server.
  package var file: String? {
    if case .file(let path) = location { path } else { nil }
  }

  /// Records the store that was created, moved or trusted here in `keyplan.lock` and on this machine.
  package func remember(_ pin: Pin) throws(Failure) { try trust.remember(pin) }

  /// Runs work that may wait for a server, cancelled by the first Ctrl-C or SIGTERM.
  package nonisolated(nonsending) func waiting<Value: Sendable>(
    in world: World, _ work: nonisolated(nonsending) @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard case .shared = location else { return try await work() }
    // Here, still on the calling thread: to leave it is to wait for another one.
    try world.console.requireTasks()
    return try await world.console.ending(work)
  }

  /// Whether there is a store. May contact the server.
  package func exists(in world: World) throws(Failure) -> Bool {
    try Failure.from { () throws(StoreError) in try holdsStore(in: world) }
  }

  package func holdsStore(in world: World) throws(StoreError) -> Bool {
    switch location {
    case .file(let path): world.fileExists(path)
    case .shared(let shared): try shared.exists()
    }
  }
}
