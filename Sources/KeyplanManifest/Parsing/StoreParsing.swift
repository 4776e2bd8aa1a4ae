import KeyplanCore

extension ManifestParser {
  /// A file, an address, or an address with the reference that its password comes from.
  mutating func store(_ tree: LayeredNode?) -> (address: Located<String>?, password: Reference?) {
    guard let tree, case .mapping = tree.content else { return (address(tree), nil) }
    guard let fields = fields(tree, .store), let url = required("url", of: fields, in: tree) else { return (nil, nil) }
    guard let address = address(url) else { return (nil, nil) }
    guard address.value.range(ofFirst: "://") != nil else {
      notes.note(
        .invalidValue, "\"url\" takes a postgres:// address.", hint: "A file is written behind `store` itself.",
        at: address.place)
      return (nil, nil)
    }
    return (address, fields["password"].flatMap { password($0) })
  }

  /// It opens the store in which is recorded what may be read, so it is read before anything can have been allowed.
  private mutating func password(_ tree: LayeredNode) -> Reference? {
    switch source(tree) {
    case .supported(let reference):
      guard reference.surface == nil else {
        notes.note(
          .invalidReference, "The store's password comes from a variable or a file in the manifest's folder.",
          hint: "Everything else has to be allowed first, which the store records. ~/.pgpass needs no word here.",
          at: tree.place)
        return nil
      }
      return reference
    case .unsupported(let what, let place):
      notes.note(
        .invalidReference, "The store's password cannot come from \(what).",
        hint: "Such as env://NAME, or file://path in the manifest's folder.", at: place)
      return nil
    case .unreadable: return nil
    }
  }

  private mutating func address(_ tree: LayeredNode?) -> Located<String>? {
    guard let store = text(tree, "store") else { return nil }
    guard let scheme = store.value.range(ofFirst: "://").map({ store.value[..<$0.lowerBound] }) else { return store }
    guard scheme == "postgres" || scheme == "postgresql" else {
      notes.note(
        .invalidValue, "A store is a file or a postgres:// address.", hint: "The default is .keyplan/default.db.",
        at: store.place)
      return nil
    }
    let rest = store.value.dropFirst(scheme.count + 3)
    let user = rest.prefix { $0 != "/" }.lastIndex(of: "@").map { rest[..<$0] } ?? ""
    guard !user.contains(":"), rest.range(ofFirst: "password=") == nil else {
      notes.conceal(store.place)
      notes.note(
        .secretInManifest, "The store's address holds a password.",
        hint: "Say where it is: store: { url: postgres://…, password: env://NAME }. PGPASSWORD, ~/.pgpass or a client "
          + "certificate do it, too.", at: store.place)
      return nil
    }
    return store
  }
}
