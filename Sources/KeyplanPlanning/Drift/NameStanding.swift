internal import KeyplanModel

/// How a name at a target stands: what belongs there, against what keyplan wrote and what is there. Decided here for all commands.
package enum NameStanding: Hashable, Sendable {
  /// It has the value that belongs there.
  case inPlace
  /// A write began, and nobody knows whether it happened.
  case interrupted
  /// It has what keyplan last wrote, or an earlier value of the key, and another one belongs there.
  case behind
  /// What keyplan wrote is gone.
  case removed
  /// Somebody replaced what keyplan wrote.
  case changed
  /// Somebody else's value is there, and keyplan has written nothing yet.
  case foreign
  /// Nothing is there, and keyplan has written nothing yet.
  case notYet
  /// Nothing belongs there, and nothing is there.
  case gone
  /// Nothing belongs there any more, and it still has a value of keyplan's.
  case leftover
  /// Nothing belongs there any more, and somebody else's value is there: it stays.
  case released
  /// Its key has no value yet, or one that must not be used; what is there stays.
  case waits
  /// It was not looked at, or cannot be.
  case unknown
}

/// What decides how a name at a target stands, and why it is written.
struct NameFacts {
  /// What belongs under the name.
  enum Wanted: Hashable {
    /// The value of a key; nil while it is known at apply only.
    case value(Identifier<Key>, Fingerprint?)
    case nothing
    /// Whatever is there.
    case keep
  }

  /// What is there.
  enum Seen {
    case unseen
    case nothing
    case value(FoundEntry)
    /// A value that cannot be read; nil where the place shows no mark of it.
    case mark(Mark?)
  }

  let wanted: Wanted
  /// What keyplan last wrote there; nil for nothing.
  let written: TargetRecord.Entry?
  let seen: Seen
  /// Whether a write began there that has no result.
  let isAttempted: Bool
  /// What other targets wrote at the same place, under the same name.
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

  /// Why the name is written; nil where all is well, or nothing belongs there.
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

  /// Whether the record says that keyplan wrote what belongs there.
  var isRecorded: Bool {
    guard case .value(let key, let fingerprint) = wanted else { return false }
    return written?.key == key && written?.fingerprint == fingerprint
  }

  private var isUnreadable: Bool { if case .mark = seen { true } else { false } }

  private var isThere: Bool { if case .nothing = seen { false } else { true } }

  /// Whether what is there is known to be what belongs there. Of a value that cannot be read, the record says what it is.
  private var hasWanted: Bool {
    guard case .value(let key, let fingerprint) = wanted else { return false }
    switch seen {
    case .value(let found): return found.holds(fingerprint, of: key)
    case .mark: return (hasWritten || isAccepted) && isRecorded
    case .nothing, .unseen: return false
    }
  }

  /// Whether a value of somebody else's was accepted there.
  private var isAccepted: Bool { isUnreadable && written?.kept != nil }

  /// Whether what is there is what keyplan last wrote.
  private var hasWritten: Bool {
    guard let written else { return false }
    switch seen {
    case .value(let found): return found.holds(written.fingerprint, of: written.key)
    case .mark(let mark): return written.isOurs(marked: mark)
    case .nothing, .unseen: return false
    }
  }

  /// The revocation of what is there, if it is a version of the key that was written: it does not matter who put it back.
  func revocation(among keys: [Identifier<Key>: KeyRecord]) -> Revocation? {
    guard let written, case .value(let found) = seen else { return nil }
    return keys[written.key]?.revoked.first { found.holds($0.fingerprint, of: written.key) }
  }

  private var isUncompared: Bool {
    guard case .value(let found) = seen, case .value(let key, _) = wanted else { return false }
    return !found.isCompared(with: key)
  }

  /// Whether keyplan wrote what is there, whatever the target's record says.
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
  /// What was found under a name.
  func seen(_ name: String) -> NameFacts.Seen {
    switch self {
    case .entries(let found): found[name].map { $0.failure == nil ? .value($0) : .unseen } ?? .nothing
    case .marks(let marks): marks[name].map { .mark($0) } ?? .nothing
    case .failed, .notAllowed, .notAskedHere, nil: .unseen
    }
  }
}
