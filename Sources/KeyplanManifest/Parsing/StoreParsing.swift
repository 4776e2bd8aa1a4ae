import KeyplanModel
import KeyplanPlanning

/// The store as written.
struct RawStore {
  var address: Located<String>?
  var password: Reference?
  var pinsSerial = false
  var isReplica = false
  var offline: Interval?

  enum Pin: String, CaseIterable { case serial }
}

extension ManifestParser {
  /// A file, an address, or a mapping with options.
  mutating func store(_ tree: LayeredNode?) -> RawStore {
    guard let tree, case .mapping = tree.content else { return RawStore(address: address(tree)) }
    guard let fields = fields(tree, .store) else { return RawStore() }
    var store = RawStore(
      pinsSerial: choice(fields["pin"], "pin", of: RawStore.Pin.allCases) == .serial,
      isReplica: flag(fields["replica"], "replica") ?? false, offline: interval(fields["offline"], "offline"))
    // The address of a server can come from KEYPLAN_STORE, and the default file needs no name.
    let isFile =
      fields["password"] == nil && fields["replica"] == nil && (fields["pin"] != nil || fields["offline"] != nil)
    guard let url = isFile ? fields["url"] : required("url", of: fields, in: tree) else { return store }
    guard let address = address(url) else { return store }
    guard isFile || address.value.range(ofFirst: "://") != nil else {
      notes.report(
        .invalidValue, "\"url\" must be a postgres:// address.",
        hint: "For a file, write its path directly after `store:`.",
        at: address.place)
      return store
    }
    store.address = address
    store.password = fields["password"].flatMap { password($0) }
    return store
  }

  /// The password is needed to open the store, in which permissions are recorded, so it must not need a permission.
  private mutating func password(_ tree: LayeredNode) -> Reference? {
    switch source(tree) {
    case .supported(let reference):
      guard reference.surface == nil, reference.isLocal else {
        notes.report(
          .invalidReference, "The store's password must come from a variable or a file in the manifest's folder.",
          hint:
            "Others need a permission, which is recorded in the store itself. Without \"password\", ~/.pgpass is used.",
          at: tree.place)
        return nil
      }
      return reference
    case .unsupported(let what, let place):
      notes.report(
        .invalidReference, "The store's password cannot come from \(what).",
        hint: "Use env://NAME, or file://path in the manifest's folder.", at: place)
      return nil
    case .unreadable: return nil
    }
  }

  private mutating func address(_ tree: LayeredNode?) -> Located<String>? {
    guard let store = text(tree, "store") else { return nil }
    guard let scheme = store.value.range(ofFirst: "://").map({ store.value[..<$0.lowerBound] }) else { return store }
    guard scheme == "postgres" || scheme == "postgresql" else {
      notes.report(
        .invalidValue, "A store must be a file or a PostgreSQL database (postgres://).",
        hint: "The default is .keyplan/default.db.",
        at: store.place)
      return nil
    }
    let rest = store.value.dropFirst(scheme.count + 3)
    let user = rest.prefix { $0 != "/" }.lastIndex(of: "@").map { rest[..<$0] } ?? ""
    guard !user.contains(":"), rest.range(ofFirst: "password=") == nil else {
      notes.conceal(store.place)
      notes.report(
        .secretInManifest, "The store's address contains a password.",
        hint: "Use a reference: store: { url: postgres://…, password: env://NAME }. PGPASSWORD, ~/.pgpass or a client "
          + "certificate are possible, too.", at: store.place)
      return nil
    }
    return store
  }
}
