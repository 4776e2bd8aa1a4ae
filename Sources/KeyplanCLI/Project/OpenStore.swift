internal import KeyplanAge
internal import KeyplanApply
internal import KeyplanStore

/// Opens stores, held to what `keyplan.lock` says.
enum OpenStore {
  static func open(
    _ place: StorePlace, _ identities: Identities, _ access: SealedStore.Access, under lock: StoreLock? = nil,
    holding accounts: [StoreLock] = []
  ) throws(Failure) -> SealedStore {
    let store: SealedStore
    do throws(StoreError) {
      store = try SealedStore.open(
        at: place.location, identities: identities.all, access: access, under: lock, holding: accounts
      ) { fresh throws(StoreError) in try place.pin(fresh) }
    } catch {
      throw Failure.opening(place, identities, error)
    }
    if place.pin != nil { try place.require(pinned: try Failure.from { () throws(StoreError) in try store.facts() }) }
    return store
  }

  /// With `--verbose`: which store, and which identity opens it.
  static func tell(_ place: StorePlace, _ identities: Identities?, _ options: GlobalOptions, in world: World) {
    options.tell("store", place.shown, in: world)
    guard let identities else { return }
    let recipients = identities.all.map(\.recipient.description).joined(separator: ", ")
    options.tell("identity", "\(identities.origin) (\(recipients))", in: world)
  }
}

extension StorePlace {
  /// Holds a store to what keyplan.lock names, where it names one.
  func require(pinned facts: StoreFacts) throws(Failure) {
    let pins = pinFile.pins(for: environment)
    guard !pins.isEmpty, !pins.contains(Pin(store: facts.id, root: facts.rootID)) else { return }
    throw pins.contains { $0.store == facts.id } ? Failure.otherRoot(self) : Failure.notPinned(self)
  }

  /// A fresh root key is pinned before the store has it and the old one let go after, so that a crash between the two leaves
  /// a store that `keyplan.lock` still names.
  func pin(_ fresh: SealedStore.FreshRoot) throws(StoreError) {
    guard let present = pin else { return }
    var file = pinFile
    do throws(Failure) {
      switch fresh {
      case .coming(let root): try file.announce(Pin(store: present.store, root: root), for: environment)
      case .committed(let root): try file.set(Pin(store: present.store, root: root), for: environment)
      }
    } catch {
      throw StoreError(.io, "\(error.summary): \(error.detail)", hint: error.hint)
    }
  }
}

extension Failure {
  /// Why a store could not be opened.
  static func opening(_ place: StorePlace, _ identities: Identities, _ error: StoreError) -> Failure {
    switch error.code {
    case .noStore: noStore(place)
    case .wrongIdentity: wrongIdentity(place, identities)
    default: Failure(error)
    }
  }

  /// A runner with an empty disk must not start a new store: only `init` makes one.
  static func noStore(_ place: StorePlace) -> Failure {
    guard place.pin == nil else {
      return Failure(
        .storeRefused, "No store here", "There is no store at \(place.shown), and keyplan.lock names one.",
        hint: place.file == nil
          ? "Is the address right? project=NAME in it says whose store is meant, if that is not the folder's name."
          : "Bring it back, or use the machine that has it.")
    }
    return Failure(
      .storeRefused, "No store here", "There is no store at \(place.shown), and only `keyplan init` makes one.",
      hint: "Run `keyplan init` once, and keep the store where every run reaches it.")
  }

  /// Not the one that keyplan.lock names.
  static func notPinned(_ place: StorePlace) -> Failure {
    Failure(
      .storeRefused, "Another store", "\(place.shown) is not the store that keyplan.lock names.",
      hint: "Somebody may have put a store of his own here. If it is meant, correct keyplan.lock in git.")
  }

  /// The store that keyplan.lock names, under another root key than it names.
  fileprivate static func otherRoot(_ place: StorePlace) -> Failure {
    Failure(
      .storeRefused, "Another root key",
      "\(place.shown) is the store that keyplan.lock names, under another root key: a copy from before the root was replaced, or the place "
        + "that a move was undone without.",
      hint: "Use the place that has the root of keyplan.lock. If this one is newer, take keyplan.lock from git.")
  }

  /// A store on a server that keyplan.lock does not name.
  static func anothers(_ place: StorePlace) -> Failure {
    Failure(
      .failed, "There is a store already",
      "\(place.shown) is there, and no keyplan.lock says that it is this project's.",
      hint: "If it is, take keyplan.lock from git. If not, add project=NAME to the address.")
  }

  /// Says which identity and which store: people have several of both.
  static func wrongIdentity(_ place: StorePlace, _ identities: Identities) -> Failure {
    let who =
      identities.all.count == 1
      ? "The identity in \(identities.origin) does not open" : "None of the identities in \(identities.origin) opens"
    return Failure(
      .storeRefused, "Wrong identity", "\(who) \(place.shown).",
      hint: "Name another with --identity FILE, or have somebody who can open the store add what "
        + "`keyplan identity show` says to the recipients, and apply.")
  }
}

extension Pin {
  init(of store: SealedStore) throws(Failure) {
    do throws(StoreError) {
      let facts = try store.facts()
      self.init(store: facts.id, root: facts.rootID)
    } catch {
      throw Failure(error)
    }
  }
}
