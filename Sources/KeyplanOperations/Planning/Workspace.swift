internal import KeyplanAge
package import KeyplanApply
package import KeyplanCalendars
package import KeyplanLocal
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
internal import KeyplanRemote
package import KeyplanReporting
package import KeyplanSecrets
internal import KeyplanServices
package import KeyplanStore

/// The inputs of every planning command: a valid manifest, its store, and access to sources, targets and services.
package struct Workspace {
  package let world: World
  package let project: Project
  package private(set) var manifest: Manifest
  package let place: ResolvedStore
  /// Nil if there is none, or none was needed.
  package let identities: Identities?
  /// Nil if there is no store.
  package let store: SealedStore?
  package let recorded: Recorded
  /// The keys whose providers were to be asked just before, and gave no answer.
  package var unanswered: [Diagnostic] = []
  /// The trust in the files of the work tree.
  package let checkout: Checkout
  /// The client for calendar services; nil if no account is declared or recorded.
  package let service: CalendarServices?
  private let fingerprints: any Fingerprinting & FileDigesting
  private let connections: ServiceConnections

  /// Reads the manifest and opens its store for reading. Without a store, plans still show the steps of a first apply.
  /// - Parameter checkout: the trust in the files; nil to derive it from the environment.
  /// - Throws: `Failure`, and `Project.Rejected` if the manifest has errors.
  package init(in world: World, as checkout: Checkout? = nil) async throws {
    self.world = world
    self.checkout = try checkout ?? world.checkout()
    project = try Project(in: world)
    let declared = try project.manifest()
    place = try ResolvedStore(of: project, in: world)
    let found = try await place.waiting(in: world) {
      [place] () async throws(Failure) -> (Identities, SealedStore, Recorded)? in
      if place.pin == nil { guard try place.exists(in: world) else { return nil } }
      let identities = try await Identities(in: world)
      return try OpenStore.reading(place, identities) { store throws(Failure) in
        (identities, store, try Self.recorded(store))
      }
    }
    if let (identities, store, recorded) = found {
      (self.identities, self.store, self.recorded) = (identities, store, recorded)
      fingerprints = store
    } else {
      recorded = Recorded()
      fingerprints = try Failure.from { () throws(StoreError) in try ThrowawayKeys() }
      identities = nil
      store = nil
    }
    manifest = declared.adding(Self.ownConnections(of: recorded, project))
    if world.endsWithOperation { LeakedUntilExit(manifest, recorded).leakOnExit() }
    let hasAccounts = !manifest.accounts.isEmpty || !recorded.accounts.isEmpty
    service = hasAccounts ? CalendarServices(try world.httpSettings(project.folder), clock: { world.now }) : nil
    connections = try ServiceConnections(
      manifest.connections.sorted { $0.key < $1.key }.map(\.value), of: project, as: self.checkout, in: world)
    world.console.log("manifest", project.shown)
    OpenStore.log(place, identities, in: world)
    if let warning = Warning.clockBehind(recorded, at: world.now) { world.console.warn(warning) }
  }

  /// The connections of services that need no declared one, for the places that are recorded.
  private static func ownConnections(of recorded: Recorded, _ project: Project) -> [Connection] {
    let places = recorded.targets.values.map(\.destination) + recorded.attempts.values.map(\.destination)
    return Set(places.filter { $0.surface != nil }.map(\.type)).sorted().compactMap { type in
      guard let backend = project.services.description(type), backend.connection?.isOptional == true,
        let name = Identifier<Connection>(type)
      else { return nil }
      return Connection(name, to: backend)
    }
  }

  func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
    fingerprints.fingerprint(value, of: key)
  }

  /// Access to the sources and targets of this machine.
  package func observer(showing activity: any Activity) -> Observer {
    let context = world.sourceContext(project.folder, as: checkout)
    return Observer(
      fingerprints: fingerprints, sources: LocalBackends.sources(context) + connections.sources,
      targets: LocalBackends.targets(project.targetContext(in: world, as: checkout)) + connections.targets,
      issuers: connections.issuers, service: service,
      tokens: store,
      checkout: context.rules(digests: fingerprints),
      clock: { [world] in world.now }, hear: { activity.follow($0) })
  }

  /// The issuers that make and revoke keys at their providers.
  package var issuers: [any KeyIssuing] { connections.issuers }

  /// The same for a plan that withdraws and removes everything that is recorded.
  package func withdrawing() -> Workspace {
    var workspace = self
    workspace.manifest = manifest.withoutEntries
    return workspace
  }

  /// The target of a destination, if everything that it accesses is allowed; nil otherwise.
  func permittedTarget(at destination: Destination) -> (any SecretTarget)? {
    let rules = world.sourceContext(project.folder, as: checkout).rules(digests: fingerprints)
    guard manifest.permits(destination, recorded, rules) else { return nil }
    let targets = LocalBackends.targets(project.targetContext(in: world, as: checkout)) + connections.targets
    return targets.first { $0.scheme == destination.type }
  }

  /// Observes everything that a plan requires.
  /// - Throws: `Failure` after a signal; commands started by sources are terminated too.
  package func observe(
    _ given: [Identifier<Key>: SecretBox] = [:], wanted: [Identifier<Key>: GeneratedValue?] = [:],
    only selection: Selection? = nil
  ) async throws(Failure) -> Observation {
    let display = world.console.activity(LiveLine())
    let observer = observer(showing: display)
    let keys = identities?.all.map(\.recipient).filter(\.isKnown).map(\.description) ?? []
    let (observation, wasInterrupted) = try await display.showing { () async throws(Failure) in
      await world.console.cancelling { [manifest, recorded] in
        await observer.observe(
          manifest, recorded: recorded, given: given, wanted: wanted, identities: keys, only: selection)
      }
    }
    guard !wasInterrupted else { throw Failure(.interrupted, "Interrupted", "Nothing was done.") }
    var observed = observation
    observed.refreshing = refreshing()
    judgeOpenSteps(&observed)
    return observed
  }

  /// Open steps are interrupted only if no process is carrying them out.
  private func judgeOpenSteps(_ observed: inout Observation) {
    guard !recorded.interrupted.isEmpty else { return }
    if let holder = try? StoreLock.holder(of: place.location) {
      // If that process hangs, its steps must still be reported at some point.
      if holder.since + Interval(seconds: 3600) > world.now { observed.running = holder.since }
      return
    }
    // A run that ended meanwhile recorded its results before it released its lock.
    guard let identities, let store = try? OpenStore.open(place, identities, .reading), let now = try? store.recorded()
    else { return }
    observed.recorded.interrupted = recorded.interrupted.filter { now.interrupted[$0.key] == $0.value }
    observed.recorded.attempts = recorded.attempts.filter { now.attempts[$0.key] == $0.value }
  }

  /// Of the accounts with a started refresh, those whose refresh is still running; nil if unknown.
  private func refreshing() -> Set<Identifier<Account>>? {
    let began = recorded.accounts.compactMapValues { $0.signIn?.refreshBegan }
    guard !began.isEmpty else { return [] }
    guard let identities, let held = try? StoreLock.accountHolders(of: place.location, among: began.keys) else {
      return nil
    }
    // A refresh that ended meanwhile stored its outcome before it released its lock.
    guard let store = try? OpenStore.open(place, identities, .reading), let now = try? store.recorded() else {
      return nil
    }
    let ended = began.filter { id, began in now.accounts[id]?.signIn?.refreshBegan != began }
    return Set(held.compactMap(\.account)).union(ended.keys)
  }

  private static func recorded(_ store: SealedStore) throws(Failure) -> Recorded {
    do throws(StoreError) {
      return try store.recorded()
    } catch {
      throw Failure(error)
    }
  }
}

/// Values that are not deallocated when a command ends, because the process exits: freeing the records of a hundred thousand keys
/// takes a twentieth of its time. They contain no secrets, which would have to be wiped.
private final class LeakedUntilExit: Sendable {
  private let manifest: Manifest
  private let recorded: Recorded

  package init(_ manifest: Manifest, _ recorded: Recorded) {
    self.manifest = manifest
    self.recorded = recorded
  }

  /// Leaks one reference on purpose, so that deallocation is skipped at exit.
  package func leakOnExit() { _ = Unmanaged.passRetained(self) }
}

extension World {
  /// - Parameter checkout: the trust in the files; nil to derive it from the environment.
  package func sourceContext(_ folder: String, as checkout: Checkout? = nil) -> SourceContext {
    SourceContext(
      variables: variables, folder: folder, workTree: Project.workTree(of: folder), home: home,
      isTrusted: (checkout ?? (try? self.checkout())) == .trusted)
  }
}

extension Project {
  /// The environment that targets can access, including the list of keyplan's own files.
  package func targetContext(in world: World, as checkout: Checkout? = nil) -> TargetContext {
    // Needed only for targets, and many manifests have none.
    let own = Once { ownFiles(in: world) }
    return TargetContext(
      folder: folder, home: world.home, variables: world.variables, workTree: Project.workTree(of: folder),
      isTrusted: (checkout ?? (try? world.checkout())) == .trusted, role: { own.value.role(of: $0) }, now: { World.now }
    )
  }
}

extension Workspace {
  /// The addresses that the user named; the name of a key, a slot, a target or an account is enough if only one of them
  /// has it.
  /// - Throws: `Failure` for a name of several, with their addresses.
  package func addresses(named texts: [String]) throws(Failure) -> [Address] {
    var addresses: [Address] = []
    for text in texts { addresses.append(try address(named: text)) }
    return addresses
  }

  /// The declared names, without their kinds.
  private var names: [String] {
    manifest.keys.keys.map(\.name) + manifest.slots.keys.map(\.name) + manifest.targets.keys.map(\.name)
      + manifest.accounts.keys.map(\.name)
  }

  private func address(named text: String) throws(Failure) -> Address {
    if let address = Address(text) { return address }
    let all = [
      Identifier<Key>(text).map(Address.key), Identifier<Slot>(text).map(Address.slot),
      Identifier<Target>(text).map(Address.target), Identifier<Account>(text).map(Address.calendar),
    ].compactMap(\.self)
    let known = all.filter { Selection.unknown([$0], in: manifest, recorded: recorded).isEmpty }
    guard let first = known.first else {
      throw Failure(
        .failed, "Unknown address", "\(text) is neither declared nor recorded.",
        hint: Suggestion.nearest(to: text, among: names).map { "Did you mean \($0)?" })
    }
    guard known.count > 1 else { return first }
    let list = known.map(\.description)
    throw Failure(
      .usage, "Ambiguous name",
      "\"\(text)\" is the name of \(list.dropLast().joined(separator: ", ")) and \(list[list.count - 1]).",
      hint: "Use an address: \(list.joined(separator: " or ")).")
  }

  /// Validates addresses named by the user.
  /// - Throws: `Failure` for addresses that are neither declared nor recorded.
  package func requireKnown(_ chosen: [Address]) throws(Failure) {
    let unknown = Selection.unknown(chosen, in: manifest, recorded: recorded)
    guard let first = unknown.first else { return }
    let known =
      manifest.keys.keys.map(Address.key) + manifest.slots.keys.map(Address.slot)
      + manifest.targets.keys.map(Address.target) + manifest.accounts.keys.map(Address.calendar)
      + recorded.targets.flatMap { id, record in record.entries.keys.map { Address.entry(id, name: $0) } }
    let near = Suggestion.nearest(to: first.description, among: known.map(\.description))
    throw Failure(
      .failed, "Unknown address", unknown.map { "\($0) is neither declared nor recorded." }.joined(separator: "\n"),
      hint: near.map { "Did you mean \($0)?" })
  }
}
