import KeyplanModel
import KeyplanPlanning

extension ManifestValidator {
  mutating func readMigrations() {
    var moves: [String: String] = [:]
    for migration in raw.migrations {
      guard case .moved(let from) = migration.origin, let to = migration.to else { continue }
      notes.subject = .migration(migration.number)
      if let name = Identifier<Key>(from.value), keys[name] != nil || partsOfKeys[name] != nil {
        notes.report(
          .conflict, "\"\(from.value)\" is still declared, so it cannot have been moved.",
          hint: "Remove the key with the old name.", at: from.place)
      }
      if moves.updateValue(to.value, forKey: from.value) != nil {
        notes.report(.conflict, "This key is moved twice.", at: from.place)
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
        notes.report(.conflict, "The moves form a circle.", at: from.place)
      case .moved(let from): moved(migration, from, Located(value: ends[to.value] ?? to.value, place: to.place))
      case .adopted(let source, let original): adopts(migration, source, original, to)
      case nil: existing(to)
      }
    }
    notes.subject = nil
  }

  /// The final name for each moved name. Each move is followed once; for a circle, any of its names.
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
    guard let name = Identifier<Key>(to.value) else {
      if to.value == migration.to?.value { undeclared("key", to, among: { $0.keys.keys.map(\.name) }) }
      return
    }
    if let parts = partsOfKeys[name] { return moved(migration, from, to: parts, of: name) }
    if let whole = name.whole, partsOfKeys[whole] != nil { return movedPart(migration, from, whole) }
    guard keys[name] != nil else {
      // Reported once, for the last of the names.
      if to.value == migration.to?.value { undeclared("key", to, among: { $0.keys.keys.map(\.name) }) }
      return
    }
    guard let old = Identifier<Key>(from.value) else { return }
    migrations.append(Migration(migration.number, .key(old), to: name, place: migration.place))
  }

  /// All parts of a key move, each to the part with its name.
  private mutating func moved(
    _ migration: RawMigration, _ from: Located<String>, to parts: [Identifier<Key>], of whole: Identifier<Key>
  ) {
    guard let old = Identifier<Key>(whole: from.value) else {
      return movedPart(migration, from, whole)
    }
    for part in parts {
      guard let origin = Identifier<Key>(part: part.partName, of: old) else { continue }
      migrations.append(Migration(migration.number, .key(origin), to: part, place: migration.place))
    }
  }

  private mutating func movedPart(_ migration: RawMigration, _ from: Located<String>, _ whole: Identifier<Key>) {
    let old = from.value.prefix { $0 != "." }
    notes.report(
      .conflict, "The parts of \"\(whole)\" are moved together.", hint: "{ moved: \(old), to: \(whole) }",
      at: from.place)
  }

  @discardableResult
  private mutating func existing(_ to: Located<String>) -> (name: Identifier<Key>, key: Key)? {
    if let name = Identifier<Key>(to.value), let key = keys[name] { return (name, key) }
    undeclared("key", to, among: { $0.keys.keys.map(\.name) })
    return nil
  }

  /// The key or account that adopts a value; nil, with a diagnostic, if it cannot.
  private mutating func successor(_ to: Located<String>) -> Migration.Successor? {
    if to.value.hasPrefix(Self.calendar) { return account(to).map { .account($0) } }
    if let name = Identifier<Key>(to.value), keys[name] == nil, declaredCalendars.contains(to.value) {
      notes.report(
        .undeclaredName, "Unknown key \"\(name)\".", hint: "Did you mean \"\(Self.calendar)\(name)\"?",
        at: to.place)
      return nil
    }
    guard let (name, key) = existing(to) else { return nil }
    guard key.sources.isEmpty, key.generated == nil, key.composition == nil else {
      notes.report(
        .conflict, "\"\(name)\" has a source, so it cannot adopt a value.",
        hint: "Declare the key without a source, so that the store is its authority.", at: to.place)
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
    // An unreadable account has been reported.
    guard let account = accounts[name] else { return nil }
    guard account.signIn.needsPerson else {
      notes.report(
        .conflict, "\"\(name)\" has no interactive sign-in, so it cannot adopt a refresh token.",
        at: to.place)
      return nil
    }
    guard account.token == nil else {
      notes.report(
        .conflict, "\"\(name)\" has a \"token\", so it cannot adopt another one.",
        hint: "Remove one of the two.", at: to.place)
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
      if isRemoved, let original, backend(of: reference.scheme)?.reference?.isRemovable != true {
        return notes.report(
          .invalidValue, "Values cannot be removed from \(reference.scheme) sources.",
          hint: "Use `original: keep`, and remove the original manually.", at: original.place)
      }
      if let other = adopted.updateValue(migration.number, forKey: successor) {
        return notes.report(
          .conflict, "\"\(to.value)\" is already the destination of migration \(other).", at: to.place)
      }
      if isRemoved, let original, let other = removed.updateValue(migration.number, forKey: reference) {
        return notes.report(
          .conflict, "Migration \(other) already removes the same original.",
          hint: "Use `original: keep` in one of the two; the original is removed after both have adopted it.",
          at: original.place)
      }
      migrations.append(
        Migration(migration.number, .place(reference, isRemoved: isRemoved), to: successor, place: migration.place))
    }
  }

  /// The names from which moves lead into a circle. Each name is visited once.
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
