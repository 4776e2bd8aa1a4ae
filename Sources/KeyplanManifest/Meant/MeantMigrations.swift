import KeyplanCore

extension ManifestMeaning {
  mutating func readMigrations() {
    let declared = Set(raw.keys.map(\.name.name))
    var moves: [String: String] = [:]
    for migration in raw.migrations {
      guard case .moved(let from) = migration.origin, let to = migration.to else { continue }
      notes.subject = .migration(migration.number)
      if declared.contains(from.value) {
        notes.note(
          .conflict, "\"\(from.value)\" is still declared, and cannot have moved.",
          hint: "Remove the key of the old name.", at: from.place)
      }
      if moves.updateValue(to.value, forKey: from.value) != nil {
        notes.note(.conflict, "This key has moved already.", at: from.place)
      }
    }
    let circular = Self.circular(moves)
    for migration in raw.migrations {
      let address = Address.migration(migration.number)
      notes.subject = address
      guard let to = migration.to else { continue }
      switch migration.origin {
      case .moved(let from) where circular.contains(from.value):
        notes.note(.conflict, "The moves lead back to where they began.", at: from.place)
      case .moved(let from): moved(migration, from, Self.end(of: to, moves))
      default:
        unsupported.append(.init(address, "adoptions", place: migration.place))
        adopts(migration, to)
      }
    }
    notes.subject = nil
  }

  /// Where a name ends that has moved on itself.
  private static func end(of name: Written<String>, _ moves: [String: String]) -> Written<String> {
    var end = name.value
    var steps = 0
    while let next = moves[end], steps < moves.count { (end, steps) = (next, steps + 1) }
    return Written(value: end, place: name.place)
  }

  private mutating func moved(_ migration: RawMigration, _ from: Written<String>, _ to: Written<String>) {
    guard let name = Identifier<Key>(to.value), keys[name] != nil else {
      // Said once, of the last of the names.
      if to.value == migration.to?.value { undeclared("key", to, among: { $0.keys.keys.map(\.name) }) }
      return
    }
    guard let old = Identifier<Key>(from.value) else { return }
    migrations.append(Migration(migration.number, .key(old), to: name, place: migration.place))
  }

  private mutating func adopts(_ migration: RawMigration, _ to: Written<String>) {
    guard let name = Identifier<Key>(to.value), let key = keys[name] else {
      return undeclared("key", to, among: { $0.keys.keys.map(\.name) })
    }
    guard case .adopted = migration.origin, !key.sources.isEmpty else { return }
    notes.note(
      .conflict, "\"\(name)\" has a source, so that nothing can be adopted for it.",
      hint: "Declare the key without a source: the store is its authority.", at: to.place)
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
