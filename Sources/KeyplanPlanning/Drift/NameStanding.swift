internal import KeyplanModel

/// The state of a name at a target: the wanted value, compared with the written one and the one that is there. All commands decide it here.
package enum NameStanding: Hashable, Sendable {
  /// It has the value that belongs there.
  case inPlace
  /// The outcome of a write is unknown.
  case interrupted
  /// It has the value that keyplan last wrote, or an earlier one of the key, and another one is wanted.
  case behind
  /// The value that keyplan wrote is missing.
  case removed
  /// The value that keyplan wrote was replaced by another one.
  case changed
  /// Another value is there, and keyplan has written none yet.
  case foreign
  /// No value is there, and keyplan has written none yet.
  case notYet
  /// No value is wanted, and none is there.
  case gone
  /// No value belongs there, and a value that keyplan wrote remains.
  case leftover
  /// No value belongs there, and a value that keyplan did not write is there: it stays.
  case released
  /// Its key has no value yet, or one that must not be used; the value that is there stays.
  case waits
  /// It was not looked at, or cannot be.
  case unknown
}

/// The facts that decide the state of a name at a target, and the reason to write it.
struct NameFacts {
  /// The value that should be under the name.
  enum Wanted: Hashable {
    /// The value of a key; nil while it is known at apply only.
    case value(Identifier<Key>, Fingerprint?)
    case nothing
    /// Any value.
    case keep
  }

  /// The value that was found.
  enum Seen {
    case unseen
    case nothing
    case value(FoundEntry)
    /// A value that cannot be read; nil if the place shows no mark of it.
    case mark(Mark?)
  }

  let wanted: Wanted
  /// The last value that keyplan wrote there; nil for none.
  let written: TargetRecord.Entry?
  let seen: Seen
  /// Whether a write began there that has no result.
  let isAttempted: Bool
  /// The values that other targets wrote at the same place, under the same name.
  var inherited: [TargetRecord.Entry] = []

  /// - Parameter keys: the records, by which a value of keyplan's is known wherever it is.
  func standing(among keys: [Identifier<Key>: KeyRecord]) -> NameStanding {
    if case .unseen = seen { return wanted == .keep ? .waits : .unknown }
    switch wanted {
    case .keep: return .waits
    case .value:
      if isUnreadable, isAttempted { return .interrupted }
      if hasWanted { return .inPlace }
      if isAttempted { return .interrupted }
      if hasWritten || isAccepted { return .behind }
      guard isThere else { return written == nil ? .notYet : .removed }
      if written != nil { return .changed }
      if isUncompared { return .unknown }
      return isOurs(among: keys) ? .behind : .foreign
    case .nothing:
      guard isThere else { return .gone }
      if isAttempted { return .interrupted }
      return hasWritten || revocation(among: keys) != nil ? .leftover : .released
    }
  }

  /// The reason to write the name; nil if nothing needs to be written, or no value is wanted.
  func reason(among keys: [Identifier<Key>: KeyRecord]) -> TargetWrite.Reason? {
    guard case .value = wanted else { return nil }
    if case .unseen = seen { return isRecorded ? nil : .notReadable }
    if isUnreadable, isAttempted { return .notReadable }
    if hasWanted { return isRecorded ? nil : .alreadyThere }
    guard isThere else { return written == nil || written?.kept != nil ? .new : .missingThere }
    if hasWritten || isAccepted { return .keyChanged }
    if written != nil { return .changedThere }
    if isUncompared { return .notCompared }
    return isOurs(among: keys) ? .keyChanged : .takeOver
  }

  /// Whether keyplan wrote the wanted value according to the record.
  var isRecorded: Bool {
    guard case .value(let key, let fingerprint) = wanted else { return false }
    return written?.key == key && written?.fingerprint == fingerprint
  }

  private var isUnreadable: Bool { if case .mark = seen { true } else { false } }

  private var isThere: Bool { if case .nothing = seen { false } else { true } }

  /// Whether the value there is known to be the wanted one. If it cannot be read, its mark and the record decide.
  private var hasWanted: Bool {
    guard case .value(let key, let fingerprint) = wanted else { return false }
    switch seen {
    case .value(let found): return found.holds(fingerprint, of: key)
    case .mark: return (hasWritten || isAccepted) && isRecorded
    case .nothing, .unseen: return false
    }
  }

  /// Whether a value that keyplan did not write was accepted there.
  private var isAccepted: Bool { isUnreadable && written?.kept != nil }

  /// Whether the value there is the one that keyplan last wrote.
  private var hasWritten: Bool {
    guard let written else { return false }
    switch seen {
    case .value(let found): return found.holds(written.fingerprint, of: written.key)
    case .mark(let mark): return written.isOurs(marked: mark)
    case .nothing, .unseen: return false
    }
  }

  /// The revocation of the value there, if it is a version of the key that was written, whoever put it back.
  func revocation(among keys: [Identifier<Key>: KeyRecord]) -> Revocation? {
    guard let written, case .value(let found) = seen else { return nil }
    return keys[written.key]?.allRevoked.first { found.holds($0.fingerprint, of: written.key) }
  }

  private var isUncompared: Bool {
    guard case .value(let found) = seen, case .value(let key, _) = wanted else { return false }
    return !found.isCompared(with: key)
  }

  /// Whether keyplan wrote the value that is there, whatever the target's record says.
  private func isOurs(among keys: [Identifier<Key>: KeyRecord]) -> Bool {
    switch seen {
    case .value(let found):
      found.isOurs(among: keys) || inherited.contains { found.holds($0.fingerprint, of: $0.key) }
    case .mark(let mark): inherited.contains { $0.isOurs(marked: mark) }
    case .nothing, .unseen: false
    }
  }
}

extension TargetFinding? {
  /// The value found under a name.
  func seen(_ name: String) -> NameFacts.Seen {
    switch self {
    case .entries(let found): found[name].map { $0.failure == nil ? .value($0) : .unseen } ?? .nothing
    case .marks(let marks): marks[name].map { .mark($0) } ?? .nothing
    case .failed, .notAllowed, .notAskedHere, nil: .unseen
    }
  }
}
