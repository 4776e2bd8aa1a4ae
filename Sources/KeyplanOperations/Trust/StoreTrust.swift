internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanStore

/// Verifies that a store is the expected one.
///
/// Trust never comes from the checkout alone. A store is known from outside it: by `--store` or `KEYPLAN_STORE`, if that names
/// a server or an absolute path outside the work tree; by what this machine remembers (`KnownStores`); or by `KEYPLAN_PIN`.
/// All of these that are present must agree with each other and with `keyplan.lock`. An unknown store is shown on a terminal and
/// confirmed once; elsewhere it is rejected.
package struct StoreTrust: Sendable {
  /// The store's place as `KnownStores` has it.
  package let place: String
  /// The place for messages.
  package let shown: String
  package let project: KnownStores.Project
  /// Whether `--store` or `KEYPLAN_STORE` names the place, and not one inside the work tree.
  package let isNamedOutside: Bool
  /// The server that contacting the place sends something to; nil for a file.
  package let server: Server?
  /// The pin of this environment in `KEYPLAN_PIN`.
  package let given: Pin?
  /// Whether an unknown store can be confirmed interactively.
  package let mayAsk: Bool
  package private(set) var pinFile: PinFile
  /// Whether the place may be a replica that lags behind.
  package let isReplica: Bool
  package let world: World

  /// A store on a server.
  package struct Server: Sendable {
    /// The project's name there.
    package let project: String
    /// Whether `keyplan.lock` decides which of the stores at the address this is. The address may be known, the choice is not: a
    /// pull request could name another project's store.
    package let isChosenByLock: Bool
    /// The address as a word of a shell command.
    package let word: String
    /// The credential that the server gets, for people.
    package let credential: String
  }

  /// The pin in `keyplan.lock`; nil if there is none.
  package var locked: Pin? { pinFile.pin(for: project.environment) }

  /// Refuses to contact or open a place that nothing outside the checkout names, before anything is sent there.
  package func requireKnownPlace() throws(Failure) {
    guard !isNamedOutside else { return }
    guard let known = try KnownStores(in: world)[project] else {
      guard mayAsk || server == nil && given != nil else { throw Failure.unknownStore(self) }
      // The user confirms the store once it is open.
      return try requireContact()
    }
    // Opening a file contacts no server; its id and root key are verified afterwards.
    guard server == nil || known.place == place else {
      if let notMoved = Failure.notMoved(self) { throw notMoved }
      throw Failure(
        .storeRefused, "Unknown store",
        "\(shown) is not the address that this machine knows for this project's store. "
          + "It knows \(KnownStores.shown(known.place, in: world)).",
        hint: "If the store was moved: keyplan trust")
    }
  }

  /// Asks before the first contact with a server that only the manifest names, which in a fresh clone may be an attacker's: opening the
  /// store sends a credential there. Refuses it where nobody can be asked.
  package func requireContact() throws(Failure) {
    guard !isNamedOutside, let server, !world.contacts.contains(place) else { return }
    guard try KnownStores(in: world)[project]?.place != place else { return }
    guard mayAsk else { throw Failure.notMoved(self) ?? Failure.unknownStore(self) }
    let lines = [
      "This project's store is on a server that is named by the manifest only, and that this machine does not know:",
      "",
      "  server      \(shown)", "  credential  \(server.credential)", "",
    ]
    world.console.show(lines.map { Glyphs.visible($0) + "\n" }.joined())
    guard try world.console.confirm("Contact the server, and send it the credential?") else {
      throw Failure(.storeRefused, "Server not contacted", "Nothing was sent to \(shown).")
    }
    world.console.show("\n")
    world.contacts.insert(place)
  }

  /// Verifies an open store against all known facts, and asks to confirm an unknown one.
  ///
  /// - Parameter describe: the description of the store to confirm.
  package func require(_ facts: StoreFacts, describing describe: () throws(Failure) -> [String]) throws(Failure) {
    try requirePins(facts)
    let known = try KnownStores(in: world)[project]
    var isChanged = false
    if let known {
      switch known.pin.match(facts) {
      case .same: break
      case .otherRoot:
        // The root key was replaced elsewhere, and only keyplan.lock, which a pull request can change, confirms it.
        guard mayAsk || given != nil else { throw Failure.changedRoot(self) }
        isChanged = true
      case .otherStore: throw Failure.otherStore(self, than: "this machine knows for this project")
      }
    }
    let isKnown = given != nil || !isChanged && (isNamedOutside && server?.isChosenByLock != true || known != nil)
    guard !isKnown || locked == nil else { return }
    guard mayAsk else { throw locked == nil ? Failure.noPin(self) : Failure.unknownStore(self) }
    try confirm(facts, isChanged: isChanged, try describe())
  }

  /// The same with the current pins of keyplan.lock.
  package func withCurrentPins() throws(Failure) -> StoreTrust {
    var trust = self
    trust.pinFile = try PinFile(in: project.folder, of: world)
    return trust
  }

  /// Whether keyplan.lock or this machine knows the store under other root keys only.
  package func namesOtherRoot(than facts: StoreFacts) throws(Failure) -> Bool {
    if locked?.match(facts) == .otherRoot { return true }
    return try KnownStores(in: world)[project]?.pin.match(facts) == .otherRoot
  }

  /// Verifies a store against keyplan.lock and `KEYPLAN_PIN`, as far as they name it.
  package func requirePins(_ facts: StoreFacts) throws(Failure) {
    if let locked {
      switch locked.match(facts) {
      case .same: break
      case .otherRoot: throw Failure.otherRoot(self)
      case .otherStore: throw Failure.otherStore(self, than: "keyplan.lock names")
      }
    }
    if let given {
      switch given.match(facts) {
      case .same: break
      case .otherRoot: throw Failure.otherGivenRoot(self, facts)
      case .otherStore: throw Failure.otherStore(self, than: "KEYPLAN_PIN names")
      }
    }
  }

  /// Shows the store and asks for confirmation, which is recorded.
  package func confirm(_ facts: StoreFacts, isChanged: Bool, _ description: [String]) throws(Failure) {
    let what =
      isChanged
      ? "This project's store has a different root key than the one known to this machine:"
      : "This project's store is not known to this machine:"
    world.console.show(([what, ""] + description.map { "  " + $0 } + [""]).map { $0 + "\n" }.joined())
    guard try world.console.confirm("Trust this store?") else {
      throw Failure(.storeRefused, "Store not trusted", "Nothing was changed.")
    }
    try remember(Pin(store: facts.id, roots: [facts.rootID], serial: locked?.serial))
    world.console.show("\n")
  }

  /// Remembers the store on this machine, and names it in `keyplan.lock`.
  package func remember(_ pin: Pin) throws(Failure) {
    try rememberHere(pin)
    var file = try PinFile(in: project.folder, of: world)
    try file.set(pin, for: project.environment)
  }

  /// Remembers the store on this machine.
  package func rememberHere(_ pin: Pin) throws(Failure) {
    var pin = pin
    pin.serial = nil
    try KnownStores.remember(KnownStores.Entry(place: place, pin: pin), for: project, in: world)
  }
}

extension StoreTrust {
  /// Other places at which this machine used the store that `keyplan.lock` names, as a sentence; empty if it knows none. Nothing is
  /// contacted.
  package var elsewhere: String {
    guard let id = locked?.store,
      let known = try? KnownStores(in: world).places(of: id, environment: project.environment)
    else { return "" }
    let others = known.filter { $0 != place }
    guard !others.isEmpty else { return "" }
    return " This machine used it at \(others.map { KnownStores.shown($0, in: world) }.joined(separator: ", "))."
  }

  /// Whether this machine has used a store of the project in this file, which no longer exists. Reads the list of known stores.
  package var isLost: Bool {
    guard server == nil, locked == nil, let known = try? KnownStores(in: world)[project] else { return false }
    return known.place == place
  }

  /// Reads the pin of an environment in `KEYPLAN_PIN`: `NAME STORE ROOT[,ROOT…] [serial N]`, several separated by `;` or lines.
  package static func given(for environment: String, in world: World) throws(Failure) -> Pin? {
    guard let text = world.variable("KEYPLAN_PIN") else { return nil }
    var found: Pin?
    for entry in text.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
      var words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
      guard !words.isEmpty else { continue }
      let serial = PinFile.takeSerial(&words)
      let roots = words.last?.split(separator: ",").map(String.init) ?? []
      guard words.count == 3, Pin.isHex(words[1]), !roots.isEmpty, roots.allSatisfy(Pin.isHex) else {
        throw Failure(
          .usage, "Invalid KEYPLAN_PIN", "KEYPLAN_PIN is not NAME STORE ROOT[,ROOT] [serial N].",
          hint: "Copy the line of the environment from keyplan.lock on the main branch.")
      }
      guard words[0] == environment else { continue }
      guard found == nil else {
        throw Failure(.usage, "Invalid KEYPLAN_PIN", "KEYPLAN_PIN names \"\(environment)\" twice.")
      }
      found = Pin(store: words[1], roots: roots, serial: serial)
    }
    guard let found else {
      throw Failure(
        .storeRefused, "Unknown store", "KEYPLAN_PIN has no entry for the environment \"\(environment)\".",
        hint: "Add its line from keyplan.lock to KEYPLAN_PIN, or choose another environment with -e.")
    }
    return found
  }
}

extension Failure {
  private static let trustHint =
    "Set KEYPLAN_STORE to the store's address, or to an absolute path outside the work tree. On a machine that keeps its "
    + "home directory, run once: keyplan trust"

  /// The error that nothing outside the checkout names the store.
  package static func unknownStore(_ trust: StoreTrust) -> Failure {
    if trust.isNamedOutside, let server = trust.server, server.isChosenByLock { return chosenByLock(trust, server) }
    return Failure(
      .storeRefused, "Unknown store",
      "\(trust.shown) is named by files of the checkout only, which a pull request can change." + homeless(trust.world),
      hint: trustHint)
  }

  /// Without HOME, as in some services, the list of known stores is read from a directory that rarely has one.
  private static func homeless(_ world: World) -> String {
    guard world.variable("HOME") == nil, world.variable("XDG_STATE_HOME") == nil else { return "" }
    return " HOME is not set, so the stores that this machine knows were looked for in \(world.state)."
  }

  /// The address is known, but only `keyplan.lock` selects the store there.
  private static func chosenByLock(_ trust: StoreTrust, _ server: StoreTrust.Server) -> Failure {
    Failure(
      .storeRefused, "Unknown store",
      "Only keyplan.lock, which a pull request can change, says that this project's store is \(trust.shown).",
      hint: "Add project=\(server.project) to the address, or run once: keyplan trust")
  }

  /// The store in keyplan.lock is in a file known to this machine, but a server was named without moving the store there.
  /// - Returns: nil if no such file has the store, or if a pull request may have named the server: the hint would move the store there.
  package static func notMoved(_ trust: StoreTrust) -> Failure? {
    guard let server = trust.server, let id = trust.locked?.store,
      trust.isNamedOutside || (try? trust.world.checkout()) == .trusted,
      let places = try? KnownStores(in: trust.world).places(of: id, environment: trust.project.environment)
    else { return nil }
    let files = places.compactMap(KnownStores.file)
    guard let file = files.first(where: { StoreLocation.file($0, holds: id) }) else { return nil }
    let shown = Project.relative(file, to: trust.world.directory)
    return Failure(
      .storeRefused, "Store was not moved",
      "The store that keyplan.lock names is in \(shown), not at \(trust.shown).",
      hint: "To move it there: keyplan store move --store \(ShellWord.quoted(shown)) --to \(server.word)")
  }

  /// `keyplan.lock` is missing, or does not name the environment.
  package static func noPin(_ trust: StoreTrust) -> Failure {
    let problem =
      trust.pinFile.exists
      ? "keyplan.lock has no line for the environment \"\(trust.project.environment)\""
      : "There is no keyplan.lock beside the manifest"
    return Failure(
      .storeRefused, "Store is not pinned", "\(problem), so the store at \(trust.shown) cannot be verified.",
      hint: "Restore keyplan.lock from git. If it is lost: keyplan trust")
  }

  /// Not the expected store.
  package static func otherStore(_ trust: StoreTrust, than whose: String) -> Failure {
    Failure(
      .storeRefused, "Unexpected store", "\(trust.shown) is not the store that \(whose).",
      hint:
        "An attacker may have replaced it. If you expected the change, compare its id with a colleague's, then: keyplan trust"
    )
  }

  /// The store in keyplan.lock, with a different root key.
  package static func otherRoot(_ trust: StoreTrust) -> Failure {
    Failure(
      .storeRefused, "Unexpected root key",
      "\(trust.shown) is the store that keyplan.lock names, with a different root key: a copy from before the root key was "
        + "replaced, or the place abandoned by undoing a move.",
      hint: "Use the store with the root key in keyplan.lock. If this one is newer, update keyplan.lock from git.")
  }

  /// The root key that this machine remembers was replaced elsewhere.
  fileprivate static func changedRoot(_ trust: StoreTrust) -> Failure {
    Failure(
      .storeRefused, "Root key replaced",
      "\(trust.shown) has a different root key than the one known to this machine. The root key is replaced when a recipient "
        + "is removed, a backup is restored, or somebody runs `keyplan store rekey`.",
      hint:
        "If that was done on another machine, compare the root key with the one in keyplan.lock there, then: keyplan trust"
    )
  }

  /// None of the root keys of `KEYPLAN_PIN`.
  fileprivate static func otherGivenRoot(_ trust: StoreTrust, _ facts: StoreFacts) -> Failure {
    Failure(
      .storeRefused, "Unexpected root key",
      "\(trust.shown) has the root key \(facts.rootID), which KEYPLAN_PIN does not name.",
      hint: "If a recipient was removed, add the new root key to KEYPLAN_PIN; it takes several, separated by commas.")
  }
}
