package import KeyplanModel

/// A finding about a target.
package enum TargetIssue: Hashable, Sendable {
  /// It was unreachable or unusable. Nothing is changed there.
  case failed(AccessFailure, at: Destination)
  /// There is no permission to access a place that it must leave. Nothing is changed there.
  case notAllowed(Destination)
  /// Another place has the name of the one that keyplan wrote to. Nothing is changed there.
  case replaced(Destination)
  /// The place cannot be written. Nothing is changed there.
  case blocked(WriteBlocker)
  /// Names that cannot be set or removed at a place that could be written. They stay as they are; if the names are changed together or not
  /// at all, nothing is changed there.
  case namesBlocked([WriteBlockers.Names], isWhole: Bool)
  /// It cannot be written with the access that is available here; elsewhere it may be.
  case blockedHere(WriteBlocker)
  /// It names a key that is retired.
  case retiredKey(Identifier<Key>)
  /// It names a key that is revoked.
  case revokedKey(Identifier<Key>)
  /// The place shows names, but no marks that change with their values.
  case writeOnly(Destination)
  /// The place is compared at apply only, because git tracks it in an untrusted checkout.
  case notCompared(Destination)
  /// The place has values under these names that keyplan did not write.
  case taken(Destination, names: [String], canBeRead: Bool)
  /// The place configures a CI service.
  case inPipeline(Destination)
  /// The place's file is open to other users.
  case exposed(Destination, FileMode)
  /// These names are no longer recorded, but still at the place.
  case stillHeld(Destination, names: [String], Next)

  /// These names keep an earlier value of a key that was changed.
  case pending(Destination, names: [String], Reason)
  /// These names keep a revoked value, because it has no replacement and its removal was not confirmed.
  case leavesWithout(Destination, names: [String])

  /// The reason that a name keeps its value although its key was changed.
  package enum Reason: Hashable, Sendable {
    /// The checkout is not trusted.
    case untrusted
    /// The place may not be touched before an apply allows it.
    case notAllowed
    /// The manifest declares the name differently than it is recorded.
    case edited
    /// The place was unreachable or unusable.
    case failed(AccessFailure)
    /// The place cannot be written.
    case blocked(WriteBlocker)
    /// A plan has another error there.
    case refused
  }

  /// The next apply's action on names that are no longer recorded.
  package enum Next: Hashable, Sendable { case removed, compared, nothing }

  var code: Diagnostic.Code {
    switch self {
    case .failed(let failure, _): failure.targetCode
    case .notAllowed: .targetUnreachable
    case .replaced, .blocked, .namesBlocked(_, isWhole: true): .targetUnreadable
    case .namesBlocked(_, isWhole: false): .targetNameUnusable
    case .blockedHere: .targetNotWritable
    case .retiredKey, .revokedKey: .noUsableKey
    case .writeOnly: .targetWriteOnly
    case .notCompared: .targetNotCompared
    case .taken: .targetTaken
    case .inPipeline: .targetInPipeline
    case .exposed: .targetExposed
    case .stillHeld: .stillHeld
    case .pending: .targetPending
    case .leavesWithout: .nothingLeft
    }
  }
}

/// A finding about one name at a target.
package enum EntryIssue: Hashable, Sendable {
  /// It is no longer declared, and keyplan did not write its value. It stays.
  case changedByOthers
  /// The place does not have it.
  case missing
  /// The place has something under it that is not text.
  case notText
  /// The place has a value that was revoked.
  case revoked(Revocation)
  /// The place shows neither its value nor a mark.
  case noMarks
  /// It has the value of a part, and these other parts cannot be accepted with it.
  case partsApart([Identifier<Key>])
  /// The targets have values of different keys for these parts.
  case partsMixed([Identifier<Key>])
  /// Its value is that of a key which is made of these keys, so that no other one can be accepted.
  case composed(Identifier<Key>, of: [Identifier<Key>])
  /// The place, or only this name, could not be read.
  case failed(AccessFailure, isWhole: Bool)
  /// git tracks the place in an untrusted checkout, so that it is not read.
  case untrusted
  /// The place may be read once an apply has allowed it.
  case notAllowed

  var code: Diagnostic.Code {
    switch self {
    case .changedByOthers: .changedByOthers
    case .partsApart, .partsMixed: .partsDiffer
    case .composed: .valueComposed
    case .missing: .secretNotFound
    case .revoked: .valueRevoked
    case .notText, .failed(_, isWhole: false): .targetNameUnusable
    case .noMarks, .untrusted, .notAllowed: .targetUnreadable
    case .failed(let failure, isWhole: true): failure.targetCode
    }
  }
}
