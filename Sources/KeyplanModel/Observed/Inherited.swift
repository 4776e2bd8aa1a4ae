/// A value that another value is made of.
package struct ComposedPart: Hashable, Sendable, Codable {
  /// The key that had the value.
  package let key: Identifier<Key>
  /// The number of the version.
  package let number: Int64
  /// The time at which the version was stored: numbers begin again when a key is forgotten and declared again.
  package let storedAt: Moment

  package init(key: Identifier<Key>, number: Int64, storedAt: Moment) {
    (self.key, self.number, self.storedAt) = (key, number, storedAt)
  }

  package init(_ key: Identifier<Key>, _ version: KeyVersion) {
    self.init(key: key, number: version.number, storedAt: version.storedAt)
  }

  /// Whether it is this version.
  package func isSame(as version: KeyVersion) -> Bool { number == version.number && storedAt == version.storedAt }
}

/// The facts about a composed value that follow from the values that it is made of, directly or through other composed values.
package struct Inherited: Hashable, Sendable {
  /// The values that the current value is made of.
  package let parts: [PartState]
  /// The revocations of kept versions, because a value that they are made of was revoked.
  package let revocations: [Revocation]

  var exposures: [Exposure] { parts.reduce([]) { $0.adding($1.exposures) } }

  /// A value that the current value is made of.
  package struct PartState: Hashable, Sendable {
    /// The key that has or had it.
    package let key: Identifier<Key>
    let birth: Moment
    let expiry: Expiry?
    let retiredAt: Moment?
    let check: KeyCheck?
    let exposures: [Exposure]

    func state(at now: Moment) -> Expiry.State? {
      let policy = expiry?.state(from: birth, at: now)
      guard let end = check?.expires, policy.map({ end < $0.end }) ?? true else { return policy }
      return now >= end ? .over(since: end) : .fresh(until: end)
    }

    /// Without revocations, which also apply to earlier versions: see `Inherited.revocations`.
    func serving(at now: Moment) -> Serving {
      if let retiredAt { return .retired(since: retiredAt, part: key) }
      if let check, check.outcome.isUnusable { return .refusedByProvider(check, part: key) }
      guard expiry?.then == .retire, case .over(let end) = expiry?.state(from: birth, at: now) else { return .asUsual }
      return .pastItsEnd(since: end, part: key)
    }
  }
}

extension KeyRecord {
  /// Whether the current value is made of those of other keys, whatever the manifest says about it now.
  package var isComposed: Bool {
    !version.parts.isEmpty || version.origin.map(Composition.isCanonical) == true
  }

  /// Whether any kept version is made of values of other keys.
  package var hasParts: Bool {
    !version.parts.isEmpty || history.contains { !$0.parts.isEmpty } || pending?.parts.isEmpty == false
  }

  /// The keys that kept versions are made of, directly.
  package var partsOfVersions: Set<Identifier<Key>> {
    guard hasParts else { return [] }
    return Set(([version] + history).flatMap { $0.parts.map(\.key) })
  }

  /// The record once the keys that its versions are made of have other names.
  package func renamingParts(_ names: [Identifier<Key>: Identifier<Key>]) -> KeyRecord {
    func renamed(_ version: KeyVersion) -> KeyVersion {
      let origin = version.origin.map { text in
        Composition(canonical: text)?.renaming(names).description ?? text
      }
      return KeyVersion(
        number: version.number, fingerprint: version.fingerprint, storedAt: version.storedAt,
        issuedAt: version.issuedAt, origin: origin, exposures: version.exposures, check: version.check,
        missedFormat: version.missedFormat,
        parts: version.parts.map {
          ComposedPart(key: names[$0.key] ?? $0.key, number: $0.number, storedAt: $0.storedAt)
        })
    }
    var record = self
    record.facts = facts.renamingParts(names)
    record.version = renamed(version)
    record.history = history.map(renamed)
    record.pending = pending.map(renamed)
    return record
  }

  /// Whether its versions or its declared source name one of these keys as a part.
  package func isMade(ofOneOf keys: some Sequence<Identifier<Key>>) -> Bool {
    guard hasParts || facts.composition != nil else { return false }
    let parts = partsOfVersions.union(facts.composition?.parts ?? [])
    return keys.contains(where: parts.contains)
  }
}

extension KeyRecord {
  /// The time since which it is retired, or a key that its value is made of; nil for neither.
  package var retirement: Moment? {
    retiredAt ?? inherited?.parts.lazy.compactMap(\.retiredAt).min()
  }
}

extension Recorded {
  /// The records, in which those of composed values know what the records of their parts say.
  package func inheriting() -> Recorded {
    var known = self
    known.inherit()
    return known
  }

  private mutating func inherit() {
    // Collected first: few keys are composed.
    let composed = keys.filter { $0.value.hasParts || $0.value.inherited != nil }
    let kept = forgotten.indices.filter { forgotten[$0].record.hasParts }
    guard !composed.isEmpty || !kept.isEmpty else { return }
    let parts = PartsOfValues(keys, forgotten)
    for (id, record) in composed { keys[id]?.inherited = parts.inherited(by: record) }
    for index in kept {
      let old = forgotten[index]
      var record = old.record
      record.inherited = parts.inherited(by: record)
      forgotten[index] = ForgottenKey(key: old.key, serial: old.serial, at: old.at, record: record)
    }
  }

  /// Gives parts of composed values other names in their records; `names` has the new name for each old one.
  mutating func renameParts(_ names: [Identifier<Key>: Identifier<Key>]) {
    guard !names.isEmpty else { return }
    for (id, record) in keys where record.isMade(ofOneOf: names.keys) { keys[id] = record.renamingParts(names) }
    for (index, old) in forgotten.enumerated() where old.record.isMade(ofOneOf: names.keys) {
      forgotten[index] = ForgottenKey(
        key: old.key, serial: old.serial, at: old.at, record: old.record.renamingParts(names))
    }
  }

  /// The keys whose recorded values are made of one of these keys' values, directly or through others, and those that the manifest makes of
  /// them; without these keys themselves.
  /// - Parameter manifest: nil for the records alone.
  package func dependents(of ids: some Sequence<Identifier<Key>>, in manifest: Manifest?) -> Set<Identifier<Key>> {
    var users: [Identifier<Key>: Set<Identifier<Key>>] = [:]
    for (id, record) in keys where record.hasParts {
      for part in record.partsOfVersions { users[part, default: []].insert(id) }
    }
    for old in forgotten where old.record.hasParts {
      for part in old.record.partsOfVersions { users[part, default: []].insert(old.key) }
    }
    for id in manifest?.composed.keys ?? [] {
      for part in manifest?.keys[id]?.composition?.parts ?? [] { users[part, default: []].insert(id) }
    }
    guard !users.isEmpty else { return [] }
    let start = Set(ids)
    var found: Set<Identifier<Key>> = []
    var open = Array(start)
    while let id = open.popLast() {
      for user in users[id] ?? [] where !start.contains(user) && found.insert(user).inserted { open.append(user) }
    }
    return found
  }
}

/// The records in which the parts of composed values are looked up.
package struct PartsOfValues {
  private let keys: [Identifier<Key>: KeyRecord]
  private let forgotten: [Identifier<Key>: [KeyRecord]]

  /// - Parameter forgotten: the deleted records that are still kept: a value does not become usable again when the record of its part is
  ///   deleted.
  package init(_ keys: [Identifier<Key>: KeyRecord], _ forgotten: [ForgottenKey] = []) {
    self.keys = keys
    self.forgotten = Dictionary(grouping: forgotten, by: \.key).mapValues { $0.reversed().map(\.record) }
  }

  /// All versions that a version is made of, directly or through others, as far as they are kept.
  package func contents(of version: KeyVersion) -> Set<ComposedPart> {
    var seen: Set<ComposedPart> = []
    var open = version.parts
    while let part = open.popLast() {
      guard seen.insert(part).inserted else { continue }
      open += find(part)?.version.parts ?? []
    }
    return seen
  }

  private func records(of part: ComposedPart) -> [KeyRecord] {
    [keys[part.key]].compactMap(\.self) + (forgotten[part.key] ?? [])
  }

  private func find(_ part: ComposedPart) -> (record: KeyRecord, version: KeyVersion)? {
    records(of: part).lazy.compactMap { record in
      record.storedVersions.first(where: part.isSame).map { (record: record, version: $0) }
    }.first
  }

  /// The key of a value that a kept version of a record is made of, directly or through others, and that one of these recipients cannot
  /// open; nil if there is none. A key whose record is gone counts: nobody knows any more who could open it.
  /// - Parameter recipients: nil for all recipients of the store.
  package func narrower(than recipients: [Identifier<Recipient>]?, in record: KeyRecord) -> Identifier<Key>? {
    guard record.hasParts else { return nil }
    var seen: Set<ComposedPart> = []
    var open = record.storedVersions.flatMap(\.parts)
    while let part = open.popLast() {
      guard seen.insert(part).inserted else { continue }
      guard let found = find(part) else { return part.key }
      if found.record.facts.isNarrower(than: recipients) { return part.key }
      open += found.version.parts
    }
    return nil
  }

  /// Nil for a record without a composed value.
  package func inherited(by record: KeyRecord) -> Inherited? {
    guard record.hasParts else { return nil }
    var revocations: [Revocation] = []
    var parts: [Inherited.PartState] = []
    for version in [record.version] + record.history where !version.parts.isEmpty {
      let (states, revocation) = walk(version)
      if version.number == record.version.number { parts = states }
      if let revocation { revocations.append(revocation) }
    }
    return Inherited(parts: parts, revocations: revocations)
  }

  /// Everything that a version is made of. Without recursion, and each part once: records of many changes can name long chains.
  private func walk(_ version: KeyVersion) -> (states: [Inherited.PartState], revocation: Revocation?) {
    var states: [Inherited.PartState] = []
    var revocation: Revocation?
    var seen: Set<ComposedPart> = []
    var open = version.parts
    while let part = open.popLast() {
      guard seen.insert(part).inserted else { continue }
      let records = records(of: part)
      guard let found = find(part) else {
        // Its value is not kept any more. Only the number of its version is known of it.
        if let gone = records.lazy.flatMap(\.revoked).first(where: { $0.version == part.number }) {
          revocation = revocation ?? gone.inherited(by: version, from: part.key)
        }
        continue
      }
      let record = found.record
      let isCurrent = record.version.number == found.version.number
      // From all records of the key: a revocation outlives the record.
      if let own = records.lazy.flatMap(\.revoked).first(where: { $0.fingerprint == found.version.fingerprint }) {
        revocation = revocation ?? own.inherited(by: version, from: part.key)
      }
      states.append(
        Inherited.PartState(
          key: part.key, birth: isCurrent ? record.birth(under: record.facts) : found.version.birth,
          expiry: isCurrent ? record.facts.expiry : nil, retiredAt: isCurrent ? record.retiredAt : nil,
          check: found.version.check, exposures: found.version.exposures))
      open += found.version.parts
    }
    return (states.sorted { $0.key < $1.key }, revocation)
  }
}

extension KeyFacts {
  /// Whether one of these recipients, nil for all of the store, is not among those of the key.
  package func isNarrower(than others: [Identifier<Recipient>]?) -> Bool {
    guard let recipients else { return false }
    return others.map { !Set($0).isSubset(of: recipients) } ?? true
  }
}

extension KeyRecord {
  /// The record with what others say about the values that it is made of.
  package func inheriting(from parts: PartsOfValues) -> KeyRecord {
    var record = self
    record.inherited = parts.inherited(by: self)
    return record
  }
}
