import KeyplanCore

extension ManifestValidator {
  mutating func readMigrations() {
    var moves: [String: String] = [:]
    for migration in raw.migrations {
      guard case .moved(let from) = migration.origin, let to = migration.to else { continue }
      notes.subject = .migration(migration.number)
      if let name = Identifier<Key>(from.value), keys.keys.contains(name) {
        notes.note(
          .conflict, "\"\(from.value)\" is still declared, and cannot have moved.",
          hint: "Remove the key of the old name.", at: from.place)
      }
      if moves.updateValue(to.value, forKey: from.value) != nil {
        notes.note(.conflict, "This key has moved already.", at: from.place)
      }
    }
    let circular = Self.circular(moves)
    let ends = Self.ends(of: moves)
    for migration in raw.migrations {
      let address = Address.migration(migration.number)
      notes.subject = address
      guard let to = migration.to else { continue }
      switch migration.origin {
      case .moved(let from) where circular.contains(from.value):
        notes.note(.conflict, "The moves lead back to where they began.", at: from.place)
      case .moved(let from): moved(migration, from, Located(value: ends[to.value] ?? to.value, place: to.place))
      case .adopted(let source, let original): adopts(migration, source, original, to)
      case nil: existing(to)
      }
    }
    notes.subject = nil
  }

  /// Where each name ends that has moved on itself. Each move is followed once; those of a circle end anywhere in it.
  private static func ends(of moves: [String: String]) -> [String: String] {
    var ends: [String: String] = [:]
    for start in moves.keys where ends[start] == nil {
      var path: [String] = []
      var name = start
      while ends[name] == nil, let next = moves[name], path.count <= moves.count {
        path.append(name)
        name = next
      }
      let end = ends[name] ?? name
      for name in path { ends[name] = end }
    }
    return ends
  }

  private mutating func moved(_ migration: RawMigration, _ from: Located<String>, _ to: Located<String>) {
    guard let name = Identifier<Key>(to.value), keys[name] != nil else {
      // Said once, of the last of the names.
      if to.value == migration.to?.value { undeclared("key", to, among: { $0.keys.keys.map(\.name) }) }
      return
    }
    guard let old = Identifier<Key>(from.value) else { return }
    migrations.append(Migration(migration.number, .key(old), to: name, place: migration.place))
  }

  @discardableResult
  private mutating func existing(_ to: Located<String>) -> (name: Identifier<Key>, key: Key)? {
    if let name = Identifier<Key>(to.value), let key = keys[name] { return (name, key) }
    undeclared("key", to, among: { $0.keys.keys.map(\.name) })
    return nil
  }

  /// Who is to have what is adopted; nil, and said, where nobody can.
  private mutating func successor(_ to: Located<String>) -> Migration.Successor? {
    if to.value.hasPrefix(Self.calendar) { return account(to).map { .account($0) } }
    if let name = Identifier<Key>(to.value), keys[name] == nil, declaredCalendars.contains(to.value) {
      notes.note(
        .undeclaredName, "No key is called \"\(name)\".", hint: "Did you mean \"\(Self.calendar)\(name)\"?",
        at: to.place)
      return nil
    }
    guard let (name, key) = existing(to) else { return nil }
    guard key.sources.isEmpty else {
      notes.note(
        .conflict, "\"\(name)\" has a source, so that nothing can be adopted for it.",
        hint: "Declare the key without a source: the store is its authority.", at: to.place)
      return nil
    }
    return .key(name)
  }

  private static let calendar = "calendar."

  private mutating func account(_ to: Located<String>) -> Identifier<Account>? {
    let written = Located(value: String(to.value.dropFirst(Self.calendar.count)), place: to.place)
    guard let name = Identifier<Account>(written.value), declaredCalendars.contains(name.name) else {
      undeclared("calendar account", written, among: { $0.raw.calendars.map(\.name.name) })
      return nil
    }
    // One that could not be read has been said.
    guard let account = accounts[name] else { return nil }
    guard account.signIn.needsPerson else {
      notes.note(
        .conflict, "\"\(name)\" has no refresh token: nobody signs in to it, so that none can be adopted.",
        at: to.place)
      return nil
    }
    guard account.token == nil else {
      notes.note(
        .conflict, "\"\(name)\" has a \"token\" of its own, so that none can be adopted for it.",
        hint: "Keep one of the two.", at: to.place)
      return nil
    }
    return name
  }

  private mutating func adopts(
    _ migration: RawMigration, _ source: RawSource, _ original: Located<String>?, _ to: Located<String>
  ) {
    guard let successor = successor(to) else { return }
    switch source {
    case .unreadable: return
    case .unsupported(let what, let place):
      unsupported.append(.init(.migration(migration.number), what, place: place))
    case .supported(let reference):
      let isRemoved = original?.value == "remove"
      if isRemoved, let original, reader.backends.source(reference.scheme)?.reference?.isRemovable != true {
        return notes.note(
          .invalidValue, "Nothing can be removed from \(reference.scheme) sources.",
          hint: "Say `original: keep`, and remove it yourself.", at: original.place)
      }
      if let other = adopted.updateValue(migration.number, forKey: successor) {
        return notes.note(.conflict, "\"\(to.value)\" is adopted by migration \(other) already.", at: to.place)
      }
      if isRemoved, let original, let other = removed.updateValue(migration.number, forKey: reference) {
        return notes.note(
          .conflict, "The same original is removed by migration \(other) already.",
          hint: "Say `original: keep` on one of the two: all that adopt it come first.", at: original.place)
      }
      migrations.append(
        Migration(migration.number, .place(reference, isRemoved: isRemoved), to: successor, place: migration.place))
    }
  }

  /// The names from which moves lead into a circle. Each name is walked once.
  private static func circular(_ moves: [String: String]) -> Set<String> {
    var circular: Set<String> = []
    var done: Set<String> = []
    for start in moves.keys where !done.contains(start) {
      var path: [String] = []
      var onPath: Set<String> = []
      var name = start
      while let next = moves[name], !done.contains(name), onPath.insert(name).inserted {
        path.append(name)
        name = next
      }
      if onPath.contains(name) || circular.contains(name) { circular.formUnion(path) }
      done.formUnion(path)
    }
    return circular
  }
}
