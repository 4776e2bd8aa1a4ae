internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting
package import KeyplanSecrets
internal import KeyplanStore

/// One variable with its value.
package struct Export: Sendable {
  package let name: String
  package let value: SecretBox
  /// Another one for each value of each key.
  package let version: String
  /// The values that a composed value is made of, directly or through others, as far as they can be read; empty unless asked for.
  package var contents: [Content] = []

  /// A value that another one contains.
  package struct Content: Sendable {
    /// The key that has or had it.
    package let key: String
    package let version: String
    package let value: SecretBox
  }
}

/// Selects the values to export.
package struct ExportSelection: Sendable {
  /// The target whose names are exported; nil for the variables of slots and keys.
  package var target: String?
  /// Variables, keys and `active.SLOT`; empty for all.
  package var names: [String] = []
  /// Whether the values that composed ones are made of are read, too.
  package var includesContents = false

  package init(target: String? = nil, names: [String] = []) {
    self.target = target
    self.names = names
  }
}

extension StoreReading {
  /// The variables of `env` and `run`: each slot's active key under its provider's variable and each key under its own, or the
  /// names of one target.
  /// - Throws: `Failure` if a key is unavailable, if two keys have the same name, or if a requested name is unknown.
  func exports(_ selection: ExportSelection) throws(Failure) -> [Export] {
    let snapshot = try snapshot()
    let chosen = try Self.chosen(selection, in: snapshot.recorded)
    let values = try values(of: chosen.map(\.key), in: snapshot)
    for (chosen, value) in zip(chosen, values) { try Self.requireText(value, of: chosen.name) }
    let parts = selection.includesContents ? PartsOfValues(snapshot.recorded.keys) : nil
    return try zip(chosen, values).map { (chosen, value) throws(Failure) in
      let record = snapshot.recorded.keys[chosen.key]
      var export = Export(
        name: chosen.name, value: value, version: record.map { Self.version(of: $0, chosen.key) } ?? "")
      if let parts, let record, record.hasParts {
        export.contents = try Failure.from { () throws(StoreError) in
          try snapshot.contents(of: record.version, among: parts)
        }.map { part, value in
          Export.Content(
            key: part.key.name, version: Self.version(of: part.key, part.number, part.storedAt), value: value)
        }
      }
      return export
    }
  }

  static func requireText(_ value: SecretBox, of name: String) throws(Failure) {
    guard value.withBytes({ $0.contains(0) }) else { return }
    throw Failure(.failed, "Value contains NUL", "The value of \(name) contains NUL, which a variable cannot.")
  }

  /// The version of each variable that would be exported, from records alone.
  /// - Throws: `Failure` if there would be an error instead.
  static func exportedVersions(
    _ selection: ExportSelection, in recorded: Recorded, at now: Moment
  ) throws(Failure) -> [String: String] {
    var versions: [String: String] = [:]
    var records: [(Identifier<Key>, KeyRecord)] = []
    for (name, key) in try chosen(selection, in: recorded) {
      guard let record = recorded.keys[key] else { throw .notRecorded(key.name, in: recorded) }
      versions[name] = version(of: record, key)
      records.append((key, record))
    }
    _ = try served(records, at: now)
    return versions
  }

  /// The variables with their keys, sorted.
  static func chosen(
    _ selection: ExportSelection, in recorded: Recorded
  ) throws(Failure) -> [(name: String, key: Identifier<Key>)] {
    let all =
      try selection.target.map { name throws(Failure) in try Self.keys(of: name, recorded) } ?? Self.keys(recorded)
    let chosen = try choose(selection.names, among: all).byVariable
    try checkAmbiguous(chosen)
    let keys = chosen.compactMapValues(\.first?.key)
    try checkNames(keys, selection.target.flatMap { Identifier($0) }, recorded.surface)
    return keys.map { (name: $0.key, key: $0.value) }.sorted { $0.name < $1.name }
  }

  /// The exports selected by `--only` (variables, keys and slots), or all of them.
  private static func choose(_ names: [String], among all: [ExportedKey]) throws(Failure) -> [ExportedKey] {
    guard !names.isEmpty else { return all }
    let known = Set(all.flatMap(\.names))
    let unknown = names.filter { !known.contains($0) }
    guard unknown.isEmpty else {
      let near = Suggestion.nearest(to: unknown[0], among: known)
      throw Failure(
        .failed, "Variable not found",
        unknown.map { name in
          name.contains("=") ? "A name in --only contains a `=`." : "Nothing is exported as \(name)."
        }.joined(separator: "\n"),
        hint: unknown.lazy.compactMap(Failure.hint(ofTyped:)).first ?? near.map { "Did you mean \($0)?" })
    }
    return all.filter { key in names.contains { key.names.contains($0) } }
  }

  private static func checkAmbiguous(_ keys: [String: [ExportedKey]]) throws(Failure) {
    let ambiguous = keys.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
    guard let first = ambiguous.first?.value.first else { return }
    throw Failure(
      .failed, "Several keys for one variable",
      ambiguous.map { "\($0.value.map(\.description).joined(separator: " and ")) are exported as \($0.key)." }
        .joined(separator: "\n"),
      hint:
        "Choose one with --only, such as --only \(first.names[1]), or with --target; or give one of them its own `variable` "
        + "in the manifest.")
  }

  /// Variables affect everything that runs with them: a shell that evaluates `env`, the program that `run` starts, later steps of
  /// a job.
  private static func checkNames(
    _ keys: [String: Identifier<Key>], _ target: Identifier<Target>?, _ surface: Surface
  ) throws(Failure) {
    let place = target.map { "target.\($0)" }
    let invalid = keys.keys.filter { !VariableName.isValid($0) }.sorted()
    let unsafe = keys.filter {
      VariableName.isValid($0.key) && !surface.permits(variable: $0.key, from: $0.value, under: target)
    }
    .sorted { $0.key < $1.key }
    guard !invalid.isEmpty || !unsafe.isEmpty else { return }
    let faults =
      invalid.map {
        "\"\($0)\" in \(place ?? "the store") is not a valid variable name: use letters, digits and _, and do not begin with a digit."
      }
      + unsafe.compactMap { name, key in
        VariableName.risk(of: name).map { "\(name) (\(place.map { "\($0), " } ?? "")key.\(key)) \($0.words)." }
      }
    let owner = place ?? "the key"
    let way = unsafe.isEmpty ? "" : " If this is intended, add unsafeName: true to \(owner) in the manifest, and apply."
    throw Failure(
      .failed, "Unsafe or invalid name", faults.joined(separator: "\n"), hint: "Select the others with --only.\(way)")
  }

  private static func keys(of target: String, _ recorded: Recorded) throws(Failure) -> [ExportedKey] {
    guard let id = Identifier<Target>(target), let record = recorded.targets[id] else {
      let near = Suggestion.nearest(to: target, among: recorded.targets.keys.map(\.name))
      throw Failure(
        .failed, "Target not found", "Nothing is recorded for target.\(target).",
        hint: near.map { "Did you mean \($0)?" } ?? "Run `keyplan apply` first.")
    }
    return record.entries.map { ExportedKey(variable: $0.key, key: $0.value.key) }
  }

  private static func keys(_ recorded: Recorded) -> [ExportedKey] {
    ExportedKey.all(
      active: recorded.slots.mapValues(\.key),
      owners: recorded.keys.lazy.filter { $0.value.facts.ownsVariable }.map(\.key)
    ) { recorded.keys[$0]?.facts }
  }
}

extension ExportedKey {
  /// All names that `--only` accepts for it.
  fileprivate var names: [String] { [variable] + slots.map { "active.\($0)" } + [key.name] }
}
