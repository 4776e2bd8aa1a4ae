internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanSecrets
internal import KeyplanStore

/// One variable with its value.
struct Export: Sendable {
  let name: String
  let value: SharedSecret
}

extension StoreReading {
  /// What `env` and `run` export: each slot's active key under its provider's variable and each key under its own, or the
  /// names of one target.
  /// - Throws: `Failure` if a key cannot be had, if two keys claim one name, or if a name is asked for that nobody gives.
  nonisolated(nonsending) static func exports(
    _ selection: ExportOptions, _ options: GlobalOptions, in world: World
  ) async throws(Failure) -> [Export] {
    try await reading(options, in: world) { store throws(Failure) in try store.exports(selection) }
  }

  private func exports(_ options: ExportOptions) throws(Failure) -> [Export] {
    let snapshot = try snapshot()
    let recorded = snapshot.recorded
    var keys: [String: Identifier<Key>]
    if let target = options.target {
      keys = try Self.targetKeys(target, recorded)
    } else {
      keys = try Self.variableKeys(recorded)
    }
    if !options.only.isEmpty {
      for name in options.only where keys[name] == nil {
        let near = Suggestion.nearest(to: name, among: keys.keys)
        throw Failure(
          .failed, "No such variable", "Nothing is exported as \(name).", hint: near.map { "Did you mean \($0)?" })
      }
      keys = keys.filter { options.only.contains($0.key) }
    }
    let names = keys.keys.sorted()
    let values = try values(of: names.compactMap { keys[$0] }, in: snapshot)
    for (name, value) in zip(names, values) where value.withBytes({ $0.contains(0) }) {
      throw Failure(.failed, "Not a variable's value", "The value of \(name) has a NUL in it, which ends a variable.")
    }
    return zip(names, values).map(Export.init)
  }

  private static func targetKeys(_ name: String, _ recorded: Recorded) throws(Failure) -> [String: Identifier<Key>] {
    guard let id = Identifier<Target>(name), let record = recorded.targets[id] else {
      let near = Suggestion.nearest(to: name, among: recorded.targets.keys.map(\.name))
      throw Failure(
        .failed, "No such target", "Nothing is recorded for target.\(name).",
        hint: near.map { "Did you mean \($0)?" } ?? "Sync it with `keyplan apply` first.")
    }
    return record.entries.mapValues(\.key)
  }

  private static func variableKeys(_ recorded: Recorded) throws(Failure) -> [String: Identifier<Key>] {
    var keys: [String: Identifier<Key>] = [:]
    var exported = Set(recorded.slots.values.map(\.key))
    for (key, record) in recorded.keys where record.facts.ownsVariable { exported.insert(key) }
    for key in exported.sorted() {
      guard let name = recorded.keys[key]?.facts.variable else { continue }
      if let other = keys[name] {
        throw Failure(
          .failed, "Two keys for one name", "\"\(other)\" and \"\(key)\" are both exported as \(name).",
          hint: "Give one of them a `variable` of its own, or choose with --target.")
      }
      keys[name] = key
    }
    return keys
  }
}
