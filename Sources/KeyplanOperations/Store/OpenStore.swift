internal import KeyplanAge
package import KeyplanApply
internal import KeyplanCore
package import KeyplanReporting
package import KeyplanStore

/// Opens stores, and verifies that they are the ones that are meant.
package enum OpenStore {
  package static func open(
    _ place: ResolvedStore, _ identities: Identities, _ access: SealedStore.Access, under lock: StoreLock? = nil,
    holding accounts: [StoreLock] = []
  ) throws(Failure) -> SealedStore {
    let store: SealedStore
    let seen = try SeenCommits(in: place.trust.world)
    do throws(StoreError) {
      store = try SealedStore.open(
        at: place.location, identities: identities.all, access: access, under: lock, holding: accounts,
        patience: place.patience, plugins: identities.plugins, tellCommit: place.trust.noteCommit
      ) { fresh throws(StoreError) in try place.pin(fresh) }
    } catch {
      throw Failure.opening(place, identities, error)
    }
    let facts = try Failure.from { () throws(StoreError) in try store.facts() }
    try place.trust.require(facts) { () throws(Failure) in try place.description(of: store) }
    try place.trust.requireFresh(facts, seen: seen, for: access)
    return store
  }

  /// Logs which store, and which identity opens it.
  package static func log(_ place: ResolvedStore, _ identities: Identities?, in world: World) {
    world.console.log("store", place.shown)
    guard let identities else { return }
    let recipients = identities.all.map { KeyplanCore.Recipient.abbreviated("\($0.recipient)") }.joined(separator: ", ")
    world.console.log("identity", "\(identities.origin) (\(recipients))")
  }
}

extension ResolvedStore {
  /// The details to review before trusting a store.
  package func description(of store: SealedStore) throws(Failure) -> [String] {
    let facts = try Failure.from { () throws(StoreError) in try store.facts() }
    let recorded = try Failure.from { () throws(StoreError) in try store.recorded() }
    let recipients = recorded.recipients.sorted { $0.key < $1.key }
      .map { "\($0.key) (\(KeyplanCore.Recipient.abbreviated($0.value.publicKey)))" }.joined(separator: ", ")
    return [
      "place       \(shown)",
      "store id    \(facts.id)",
      "root key    \(facts.rootID)",
      "serial      \(facts.serial)",
      "applied     \(recorded.store?.appliedAt.map { "\($0.date)" } ?? "never")",
      "recipients  \(recipients)",
    ].map { Glyphs.visible($0) }
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
  /// Why a store could not be opened.
  package static func opening(_ place: ResolvedStore, _ identities: Identities, _ error: StoreError) -> Failure {
    switch error.code {
    case .noStore: noStore(place)
    case .wrongIdentity: wrongIdentity(place, identities)
    default: Failure(error)
    }
  }

  /// A runner with an empty disk must not start a new store: only `init` makes one.
  package static func noStore(_ place: ResolvedStore) -> Failure {
    guard place.pin == nil else {
      if let notMoved = notMoved(place.trust) { return notMoved }
      return Failure(
        .storeRefused, "Store not found",
        "keyplan.lock names a store, but there is none at \(place.shown)." + place.trust.elsewhere,
        hint: place.file == nil
          ? "Check the address. If the project's name is not the folder's, add project=NAME."
          : "If it is elsewhere, name it with --store or KEYPLAN_STORE. If a colleague has it, copy it to "
            + "\(place.shown), or have them move it to a server with `keyplan store move --to ADDRESS`. If it is lost: "
            + "`keyplan init --new-store`.", storeCode: .noStore)
    }
    return Failure(
      .storeRefused, "Store not found", "There is no store at \(place.shown).",
      hint: "Create one with `keyplan init`, in a place that every run can reach.", storeCode: .noStore)
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
