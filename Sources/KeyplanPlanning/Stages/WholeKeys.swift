package import KeyplanModel

/// The keys of the manifest that are parts of one key at its provider, by the manifest and by the records. They work only together, so they
/// change together or not at all.
package struct WholeKeys: Sendable {
  private let manifest: Manifest
  /// The recorded parts, by the name of the key that they are parts of.
  private let recorded: [Identifier<Key>: [Identifier<Key>]]

  /// - Parameter forgotten: whether parts count whose records were deleted and can be restored.
  package init(_ manifest: Manifest, _ recorded: Recorded, andForgotten forgotten: Bool = false) {
    self.manifest = manifest
    var parts: [Identifier<Key>: [Identifier<Key>]] = [:]
    for id in recorded.keys.keys {
      if let whole = id.whole { parts[whole, default: []].append(id) }
    }
    for id in forgotten ? recorded.forgotten.map(\.key) : [] {
      if let whole = id.whole, parts[whole]?.contains(id) != true { parts[whole, default: []].append(id) }
    }
    self.recorded = parts
  }

  /// The keys that change together with a key, itself among them, in order of names.
  package func parts(of id: Identifier<Key>) -> [Identifier<Key>] {
    guard let whole = id.whole else { return [id] }
    let known = recorded[whole] ?? []
    let minting = manifest.keys[id]?.minting ?? known.lazy.compactMap { manifest.keys[$0]?.minting }.first
    return Set((minting?.parts.map(\.key) ?? []) + known + [id]).sorted()
  }

  /// The parts of the key with this name, and none for the name of any other key.
  package func parts(named whole: Identifier<Key>) -> [Identifier<Key>] {
    guard whole.whole == nil else { return [] }
    let part =
      recorded[whole]?.first ?? manifest.keys.values.lazy.compactMap(\.minting).first { $0.key == whole }?.holder
    guard let part, part != whole else { return [] }
    return parts(of: part)
  }
}

extension Recorded {
  /// The recorded parts of the key at an address, for the name of a key with several parts; empty for any other.
  package func parts(at address: Address, andForgotten forgotten: Bool = false) -> [Address] {
    guard case .key(let id) = address, id.whole == nil, keys[id] == nil else { return [] }
    if forgotten, self.forgotten.contains(where: { $0.key == id }) { return [] }
    return WholeKeys(Manifest(), self, andForgotten: forgotten).parts(named: id).map(Address.key)
  }
}

/// The records of all parts of one key.
package struct PartRecords {
  /// The recorded parts, in order of names.
  package let parts: [(key: Identifier<Key>, record: KeyRecord)]

  package init(_ parts: [Identifier<Key>], in records: [Identifier<Key>: KeyRecord]) {
    self.parts = parts.compactMap { id in records[id].map { (id, $0) } }
  }

  package init(_ parts: [(key: Identifier<Key>, record: KeyRecord)]) { self.parts = parts }

  /// Whether the current values are not of one key at the provider, so that they do not work together.
  package var areMixed: Bool { Set(parts.map { PartVersion($0.key, $0.record).made }).count > 1 }

  /// Whether each part has a version with this number that is not the current one of all.
  package func canRollBack(to number: Int64) -> Bool {
    parts.contains { $0.record.version.number != number }
      && parts.allSatisfy { part in part.record.keptVersions.contains { $0.number == number } }
  }

  /// The revocation of a version; nil if all parts of it can be used.
  package func revocation(of number: Int64) -> Revocation? {
    parts.lazy.compactMap { part in
      part.record.keptVersions.first { $0.number == number }.flatMap { part.record.revocation(of: $0.fingerprint) }
    }.first
  }

  /// The number of the latest version before the current one that all parts have and that is not revoked; nil if none is kept.
  package var previous: Int64? {
    let current = parts.map(\.record.version.number).max() ?? 0
    return parts.first?.record.keptVersions.lazy.map(\.number)
      .filter { $0 < current && canRollBack(to: $0) && revocation(of: $0) == nil }.max()
  }

  /// The number of the next version. It is the same for all parts, so that it identifies the values that belong together.
  package var nextNumber: Int64 { parts.map(\.record.nextNumber).reduce(1, max) }
}

extension KeyRecord {
  /// The current version and the earlier ones.
  fileprivate var keptVersions: [KeyVersion] { [version] + history }
}

/// The key at the provider that the current value of a part belongs to.
package struct PartVersion: Hashable, Sendable {
  /// The part.
  package let key: Identifier<Key>
  /// The number of the version, which the provider made; nil for a value that a person gave.
  package let made: Int64?

  package init(_ key: Identifier<Key>, made: Int64?) { (self.key, self.made) = (key, made) }

  init(_ key: Identifier<Key>, _ record: KeyRecord) {
    self.key = key
    made = record.version.isMade ? record.version.number : nil
  }
}

extension KeyVersion {
  /// Whether the provider made the value for keyplan.
  var isMade: Bool { origin.flatMap(Minting.place) != nil }
}
