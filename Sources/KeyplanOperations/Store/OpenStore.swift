internal import KeyplanAge
internal import KeyplanFiles
internal import KeyplanModel
package import KeyplanPorts
package import KeyplanReporting
package import KeyplanStore

/// Opens stores, and verifies that they are the ones that are meant.
package enum OpenStore {
  package static func open(
    _ place: ResolvedStore, _ identities: Identities, _ access: SealedStore.Access, under lock: StoreLock? = nil,
    holding accounts: [StoreLock] = []
  ) throws(Failure) -> SealedStore {
    // A writer holds the lock, and reads all records first.
    try open(place, identities, access, lock, accounts, access == .writing ? .all : .nothing)
  }

  private static func open(
    _ place: ResolvedStore, _ identities: Identities, _ access: SealedStore.Access, _ lock: StoreLock?,
    _ accounts: [StoreLock], _ wanted: SealedStore.Wanted
  ) throws(Failure) -> SealedStore {
    let opened = try opened(place, identities, access, lock, accounts, wanted)
    if access == .reading, let copy = try OfflineCopy(of: place, in: place.trust.world) {
      copy.keep(opened, ifMade: true)
    }
    return opened
  }

  private static func opened(
    _ place: ResolvedStore, _ identities: Identities, _ access: SealedStore.Access, _ lock: StoreLock?,
    _ accounts: [StoreLock], _ wanted: SealedStore.Wanted
  ) throws(Failure) -> SealedStore {
    try retrying(place) { place, isLast throws(Failure) in
      let seen = try SeenCommits(in: place.trust.world)
      let (store, facts) = try found(place, identities, access, lock, accounts, wanted, seen)
      // keyplan.lock names a new root key before the store has it, and the old one until then. But the two were read one after the other,
      // and the root key may have been replaced in between.
      if !isLast, try place.trust.namesOtherRoot(than: facts) { return nil }
      do throws(Failure) {
        try place.trust.require(facts) { () throws(Failure) in
          let description = try place.description(of: store)
          // A person takes time to answer.
          store.forgetSent()
          return description
        }
        try place.trust.requireFresh(facts, seen: seen, for: access)
      } catch {
        // The root key may have been replaced after that, too.
        if !isLast, try place.trust.namesOtherRoot(than: facts) { return nil }
        throw place.explaining(error)
      }
      return store
    }
  }

  private static func found(
    _ place: ResolvedStore, _ identities: Identities, _ access: SealedStore.Access, _ lock: StoreLock?,
    _ accounts: [StoreLock], _ wanted: SealedStore.Wanted, _ seen: SeenCommits
  ) throws(Failure) -> (SealedStore, StoreFacts) {
    do throws(StoreError) {
      let store = try SealedStore.open(
        at: place.location, identities: identities.all, access: access, under: lock, holding: accounts, wanting: wanted,
        patience: place.patience, plugins: identities.plugins, lastSeen: seen.last, tellCommit: place.trust.noteCommit
      ) { fresh throws(StoreError) in try place.pin(fresh) }
      return (store, store.lastFacts)
    } catch {
      throw Failure.opening(place, identities, error)
    }
  }

  /// The number of attempts to read a store whose root key is being replaced: a second one is enough unless it is replaced repeatedly.
  private static let attempts = 3

  /// Opens the store and reads in it. If its root key is replaced meanwhile, both are done once more.
  package static func reading<Value>(
    _ place: ResolvedStore, _ identities: Identities, wanting wanted: SealedStore.Wanted = .all,
    _ read: (SealedStore) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try retrying(place) { place, _ throws(Failure) in
      let store = try open(place, identities, .reading, nil, [], wanted)
      // Later reads get the state of that time.
      defer { store.forgetSent() }
      return try read(store)
    }
  }

  /// - Parameter attempt: nil, or the error that the store is stale, if the root key was replaced meanwhile. In the last attempt, nil is
  ///   not an answer.
  private static func retrying<Value>(
    _ place: ResolvedStore, _ attempt: (_ place: ResolvedStore, _ isLast: Bool) throws(Failure) -> Value?
  ) throws(Failure) -> Value {
    var place = place
    var again = attempts
    while true {
      do throws(Failure) {
        if let value = try attempt(place, again == 0) { return value }
      } catch {
        guard again > 0, error.storeCode == .stale else { throw error }
      }
      place = try place.withCurrentPins()
      again -= 1
    }
  }

  /// Logs which store, and which identity opens it.
  package static func log(_ place: ResolvedStore, _ identities: Identities?, in world: World) {
    world.console.log("store", place.shown)
    guard let identities else { return }
    var recipients: String {
      identities.all.map { Recipient.abbreviated("\($0.recipient)") }.joined(separator: ", ")
    }
    world.console.log("identity", "\(identities.origin) (\(recipients))")
  }
}

extension ResolvedStore {
  /// The details to review before trusting a store.
  package func description(of store: SealedStore) throws(Failure) -> [String] {
    let facts = try Failure.from { () throws(StoreError) in try store.facts() }
    let recorded = try Failure.from { () throws(StoreError) in try store.recorded() }
    let recipients = recorded.recipients.sorted { $0.key < $1.key }
      .map { "\($0.key) (\(Recipient.abbreviated($0.value.publicKey)))" }.joined(separator: ", ")
    return [
      "place       \(shown)",
      "store id    \(facts.id)",
      "root key    \(facts.rootID)",
      "serial      \(facts.serial)",
      "applied     \(recorded.store?.appliedAt.map { "\($0.date)" } ?? "never")",
      "recipients  \(recipients)",
    ].map { Glyphs.visible($0) }
  }

  /// Adds the possible reason that the store is refused: git replaces a file that it ignores if a branch has a file of this name, and
  /// nothing in that file shows it.
  package func explaining(_ failure: Failure) -> Failure {
    guard failure.status == .storeRefused, let file, WorkTree.tracked(among: [file]).contains(file) else {
      return failure
    }
    return Failure(
      .storeRefused, "Store was replaced",
      "git tracks \(shown): a checkout has put this file in the place of the project's store. \(failure.detail)",
      hint:
        "Move the file away, and restore the store from a backup: keyplan restore FILE. To keep it where git does not "
        + "replace it: keyplan store move --to FILE", storeCode: failure.storeCode)
  }

  /// The same place with the current pins of keyplan.lock.
  package func withCurrentPins() throws(Failure) -> ResolvedStore {
    var place = self
    place.trust = try trust.withCurrentPins()
    return place
  }

  /// A fresh root key is pinned before the store has it, and the old one released after, so that a crash between the two
  /// leaves a store that `keyplan.lock` and this machine still know.
  package func pin(_ fresh: SealedStore.FreshRoot) throws(StoreError) {
    guard let present = pin, let old = present.roots.first else { return }
    let pin =
      switch fresh {
      case .coming(let root): Pin(store: present.store, roots: [old, root])
      case .committed(let root): Pin(store: present.store, roots: [root])
      }
    do throws(Failure) {
      try trust.remember(pin)
    } catch {
      throw StoreError(.io, "\(error.summary): \(error.detail)", hint: error.hint)
    }
  }
}

extension Failure {
  /// The error that a store could not be opened.
  package static func opening(_ place: ResolvedStore, _ identities: Identities, _ error: StoreError) -> Failure {
    switch error.code {
    case .noStore: noStore(place)
    case .wrongIdentity: place.explaining(wrongIdentity(place, identities))
    default: place.explaining(Failure(error)).restorable(at: place)
    }
  }

  /// The same error with the fix for rows on a server, which cannot be moved aside: the store's id is unique in a schema.
  func restorable(at place: ResolvedStore) -> Failure {
    guard place.file == nil, storeCode == .damaged || storeCode == .tampered else { return self }
    return Failure(
      status, summary, detail,
      hint: "Restore the server's database from its own backup. A file that `keyplan backup` wrote can be restored to "
        + "another schema, which `store` in the manifest then names: "
        + "keyplan restore FILE --store 'postgres://HOST/DATABASE?schema=NAME'", storeCode: storeCode)
  }

  /// A runner with an empty disk must not start a new store: only `init` makes one.
  package static func noStore(_ place: ResolvedStore) -> Failure {
    guard !place.isNone else {
      return Failure(
        .storeRefused, "No store is wanted",
        "KEYPLAN_STORE or --store is \"\(StoreSigns.none)\": values can be read, and nothing can be stored.",
        hint: "Leave it out, or name a file or a server's address.", storeCode: .noStore)
    }
    let isEmpty = place.file.map { SafeFile.prefix(of: $0, count: 1)?.isEmpty == true } ?? false
    guard place.pin == nil else {
      if let notMoved = notMoved(place.trust) { return notMoved }
      let found =
        isEmpty
        ? "the file \(place.shown) is empty: it was emptied, or its creation was interrupted."
        : "there is none at \(place.shown)."
      return Failure(
        .storeRefused, "Store not found", "keyplan.lock names a store, but " + found + place.trust.elsewhere,
        hint: "If there is a backup: keyplan restore FILE. "
          + (place.file == nil
            ? "Otherwise check the address. If the project's name is not the folder's, add project=NAME."
            : "If it is elsewhere, name it with --store or KEYPLAN_STORE. If a colleague has it, copy it to "
              + "\(place.shown), or have them move it to a server with `keyplan store move --to ADDRESS`. If it is lost "
              + "without a backup: `keyplan init --new-store`. Keys without a source are lost then."),
        storeCode: .noStore)
    }
    return Failure(
      .storeRefused, "Store not found",
      isEmpty
        ? "The store at \(place.shown) is empty: its creation was interrupted."
        : place.trust.isLost
          ? "The store at \(place.shown), which this machine used before, no longer exists."
          : "The store at \(place.shown) does not exist.",
      hint: "Create one with `keyplan init`, in a place that every run can reach. If there is a backup of it: "
        + "keyplan restore FILE", storeCode: .noStore)
  }

  /// Names both the identity and the store, since users may have several of each.
  package static func wrongIdentity(_ place: ResolvedStore, _ identities: Identities) -> Failure {
    let who =
      identities.all.count == 1
      ? "The identity in \(identities.origin) does not open" : "None of the identities in \(identities.origin) opens"
    return Failure(
      .storeRefused, "Wrong identity", "\(who) \(place.shown).",
      hint: "Name another with --identity FILE, or ask someone who can open the store to add the output of "
        + "`keyplan identity show` to the recipients, and apply.", storeCode: .wrongIdentity)
  }
}
