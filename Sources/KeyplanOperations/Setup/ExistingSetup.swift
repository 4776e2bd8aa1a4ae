internal import KeyplanAge
package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// The state of a project before `init` changes anything. Predictable failures occur here, before anything is created.
package struct ExistingSetup {
  /// Nil if there is no identity, or only an empty file from an interrupted run.
  package let identities: Identities?
  /// Nil if there is no manifest, or only an empty file from an interrupted run.
  package let project: Project?
  package let place: ResolvedStore
  package let store: Store

  package enum Store {
    /// There is none, or only a file from an interrupted run.
    case missing
    /// There is none, `keyplan.lock` names one, and a new one is wanted.
    case lost
    /// An `init` on this machine made it, and was interrupted before it wrote this pin.
    case begun(Pin)
    /// `keyplan.lock` names it.
    case pinned
  }

  /// - Parameter replacingLost: whether a new store may replace the one that `keyplan.lock` names.
  package nonisolated(nonsending) init(replacingLost: Bool, in world: World) async throws {
    identities = try await Identities.present(in: world)
    if try Project.hasManifest(in: world) {
      let project = try Project(in: world)
      self.project = project
      _ = try project.manifest()
      place = try ResolvedStore(of: project, in: world, isDeliberate: true)
    } else {
      project = nil
      place = try ResolvedStore(
        inNewProject: Project.parent(of: Project.newPath(in: world)), in: world)
    }
    store = try Self.store(at: place, identities, replacingLost, in: world)
    switch store {
    case .missing, .lost: break
    case .begun, .pinned: return
    }
    if try project?.manifest().dependsOnKeyServices == true {
      throw Failure(
        .refused, "Missing recipient",
        "Without a key management service, nobody could open the store: all recipients with full access have `kms: true`.",
        hint: "Add a recipient whose identity is kept elsewhere, for example on paper in a safe.")
    }
    _ = try Self.recipients(
      declared: try project?.manifest().recipients, orAlone: try identities?.first().description, in: world)
  }

  private static func store(
    at place: ResolvedStore, _ identities: Identities?, _ replacingLost: Bool,
    in world: World
  ) throws(Failure) -> Store {
    let facts: StoreFacts?
    let seen = try SeenCommits(in: world)
    do throws(StoreError) {
      let isThere = try place.holdsStore(in: world)
      facts =
        isThere
        ? try SealedStore.open(
          at: place.location, identities: identities?.all ?? [], access: .reading, patience: place.patience,
          lastSeen: seen.last
        ).facts() : nil
    } catch {
      switch error.code {
      case .noStore: facts = nil
      case .wrongIdentity where identities == nil:
        throw Failure.noIdentity(at: world.settings.identity ?? Identities.path(in: world))
      default: throw identities.map { Failure.opening(place, $0, error) } ?? Failure(error)
      }
    }
    guard let facts else {
      guard place.pin != nil else { return .missing }
      guard replacingLost else { throw Failure.noStore(place) }
      guard place.trust.given == nil else { throw Failure.givenStore(place) }
      return .lost
    }
    // The user confirmed its creation, which was interrupted before keyplan.lock was written.
    if replacingLost, facts.serial == 1, BegunStores(in: world).has(Pin(facts), at: place) { return .begun(Pin(facts)) }
    if place.pin != nil {
      try place.trust.requirePins(facts)
      try place.trust.requireFresh(facts, seen: seen, for: .reading)
      if replacingLost, place.trust.server?.isChosenByLock == true { throw Failure.notLost(place) }
      return .pinned
    }
    let pin = Pin(facts)
    // The first commit of a store is that of `init`. A later one is not.
    guard facts.serial == 1, BegunStores(in: world).has(pin, at: place) else { throw Failure.unpinned(place) }
    return .begun(pin)
  }

  /// The recipients of a new store: those of the manifest, or the current identity if it names none.
  /// - Parameter recipient: that of the identity in use; nil if one is yet to be made.
  package static func recipients(
    declared: [Identifier<Recipient>: Recipient]?, orAlone recipient: String?, in world: World
  ) throws(Failure) -> [Identifier<Recipient>: Recipient] {
    if let declared {
      guard let recipient else {
        throw Failure(
          .refused, "Missing recipient",
          "You have no identity yet, and a new one would not be among the manifest's recipients.",
          hint: "Create one with `keyplan identity new`, and add its output under `recipients`.")
      }
      guard declared.values.contains(where: { $0.publicKey == recipient }) else {
        throw Failure(
          .refused, "Missing recipient",
          "The identity in use, \(Recipient.abbreviated(recipient)), is not among the manifest's recipients.",
          hint: "Add it under `recipients`, or use another identity.")
      }
      return declared
    }
    guard let name = Identifier<Recipient>(RecipientName.suggestion(in: world)) else {
      throw Failure(.failed, "Missing recipient name", "The login name cannot be used as a recipient name.")
    }
    return recipient.map { [name: Recipient(publicKey: $0)] } ?? [:]
  }
}

extension Project {
  /// Whether there is a manifest with anything in it.
  package static func hasManifest(in world: World) throws(Failure) -> Bool {
    guard let path = try? find(in: world), world.fileExists(path) else { return false }
    return try !read(path).isEmpty
  }

  /// The path of a new manifest: that of an empty one, the named one, or one in this directory.
  package static func newPath(in world: World) -> String {
    (try? find(in: world)) ?? world.directory + "/keyplan.yaml"
  }
}

extension Failure {
  /// A clone that needs its own store is in a folder of another name, but keyplan.lock leads to the original's store.
  fileprivate static func notLost(_ place: ResolvedStore) -> Failure {
    Failure(
      .failed, "Store is not lost", "\(place.shown) is the store that keyplan.lock names. No new store was created.",
      hint: "For a separate store, add project=NAME to the address.")
  }

  /// `KEYPLAN_PIN` decides which store is expected.
  fileprivate static func givenStore(_ place: ResolvedStore) -> Failure {
    Failure(
      .storeRefused, "KEYPLAN_PIN names a store", "A new store at \(place.shown) would not be the one in KEYPLAN_PIN.",
      hint: "Unset KEYPLAN_PIN, and later set it to the new line of keyplan.lock.")
  }

  /// A store that this `init` did not create may have been planted, or may belong to another project of this name.
  fileprivate static func unpinned(_ place: ResolvedStore) -> Failure {
    Failure(
      .storeRefused, "Store is not pinned", "\(place.shown) exists, but keyplan.lock does not name it.",
      hint: "If it is this project's store, restore keyplan.lock from git or run `keyplan trust`."
        + (place.file == nil ? " If not, add project=NAME to the address." : ""))
  }
}
