package import KeyplanModel

/// A finding about a key.
package enum KeyIssue: Hashable, Sendable {
  /// None of its sources has a value; the reason is that of the last one.
  case notFound(at: [Reference], reason: String?)
  /// It has no source, and no value was set.
  case noValue
  /// A value of its source was requested, and it has no source.
  case noSource
  /// A source was unreachable or unusable.
  /// - recorded: whether a value is recorded, and kept; nil if that does not matter.
  case sourceFailed(Reference?, AccessFailure, recorded: Bool?)
  /// There is no value to adopt.
  case nothingToAdopt(at: Reference)
  /// Its source would run files of an untrusted checkout; the recorded value is kept.
  case sourceNotRun(Reference?)
  /// Its source was named to be read, and is not read in an untrusted checkout.
  case sourceUntrusted
  /// Its source was named to be read, before an apply has allowed it.
  case sourceNotAllowed(Reference?)
  /// Its value is recorded, and none of its sources has it any more.
  case sourceMissing([Reference])
  /// The source still has a value that an accept or a rollback rejected.
  case rejectedValue(at: Reference?)
  /// The source has a value that its provider refused when it was checked. It is not stored.
  case refusedValue(at: Reference?, KeyCheck)
  /// The source has a value that an earlier version had.
  case earlierValue(at: Reference?, version: Int64, storedAt: Moment)
  /// The new value does not look like a key of this provider.
  case unexpectedFormat(provider: String)
  /// The new value may not be the one that was meant.
  case doubtful(at: Reference?, ValueDoubt)
  /// The recorded value does not look like a key of this provider, and no plan reported that before it was stored.
  case storedFormat(provider: String)

  /// Its value is revoked and has no replacement.
  case revoked(Revocation)
  /// Its provider does not accept the value, which has no replacement.
  case refusedByProvider(KeyCheck)
  /// Its provider knows the value, and its account has no credit.
  case noCredit(KeyCheck)
  /// Its provider was asked about the value and did not answer, or could not be asked.
  case notChecked(reason: String, hint: String?)
  /// The provider no longer has the key whose value is in use, although it has not expired.
  case leaseEnded(at: String)
  /// The source has a value that was revoked. It is not stored.
  case revokedValue(at: Reference?, Revocation)
  /// The value that is revoked is also that of these keys in another environment.
  case elsewhere(environment: String, [Identifier<Key>])
  /// Its value is known to a recipient who can no longer open the store.
  case exposed(ExposedValue)
  /// Steps need its value, and only these recipients can open it.
  case closed(to: [Identifier<Recipient>])

  case expiresSoon(Expiry.Limit, on: Moment)
  case expired(on: Moment)
  /// It has expired and is to be rotated, and its value is one that keyplan has not generated.
  case rotationHeld(expiredOn: Moment)
  /// It has expired and is kept, because a slot or a target has no other.
  case lastKeyKept(expiredOn: Moment)
  /// The new value has expired, and is not stored.
  case newValueExpired(Expiry.Limit, on: Moment)
  /// The value that becomes current has expired: the next apply retires it.
  case retiredNext
  /// The date of issue in the manifest belongs to another value. The age of the current value counts from when it was stored.
  case issuedOutdated(Moment)
  /// Its date of issue is in the future.
  case issuedAhead(Moment)

  /// Replaced keys stay valid at the provider for a while, so that programs can go on using them.
  case replacedKeyWaits([String], until: Moment)
  /// Replaced keys are still used at a target.
  case replacedKeyInUse([String], at: Identifier<Target>)
  /// Replaced keys are valid at the provider, and the manifest has no connection through which they can be revoked.
  case replacedKeyLeft([String], at: String)
  /// A request may have made a key with this label, and minting is no longer declared for the key.
  case mintLeft(label: String, at: String)
  /// Keys appeared at its provider after a response was lost. They may belong to someone else.
  case mintUnexplained([String], at: String)

  /// Its value is to be made of values of these keys, which have none yet.
  case partsMissing([Identifier<Key>])
  /// Its value is to be made of one that may not be used; the state names the key.
  case partUnusable(Serving)
  /// Its value is made of those of these keys, so that a person cannot choose it.
  case madeOfParts([Identifier<Key>])
  /// Its current value is made of an earlier value of this key, which is deleted.
  case containsPurged(Identifier<Key>)

  /// The values of its parts are not of one key at the provider. The name is that of the key in the manifest.
  case partsDiffer(Identifier<Key>, [PartVersion])
  /// It cannot be restored: this other part has another value now, or only one that another command deleted.
  case partElsewhere(Identifier<Key>)

  /// A rule of the manifest, declared at the place, is broken.
  case breaksRule(Identifier<Rule>, at: FileLocation?, Breach)
  /// It has the value of another key, which is no longer declared.
  case resembles(Identifier<Key>)
  /// Keys that are exported under one variable.
  case sharesVariable([ExportedKey])

  /// Several recorded keys are to become this one.
  case collision([Identifier<Key>])
  /// It cannot be the new name of a record: it has one.
  case isRecorded
  /// It is not declared, so that the next apply forgets it.
  case undeclared
  /// It is the new name of a record that the manifest calls otherwise.
  case declaredAs(Identifier<Key>, hasSource: Bool)
  /// Its record gets another name, and it is declared as well.
  case losesRecord
  /// It is forgotten and still declared.
  case stillDeclared(NextValue)

  /// It would be forgotten, and it is the only key.
  case isOnly
  /// It would be forgotten, and it is protected.
  case isProtected(isUndeclared: Bool)
  /// It would be forgotten, and is active in a slot.
  case isActive(in: Identifier<Slot>, isUndeclared: Bool)

  /// The way in which a key breaks a rule.
  package enum Breach: Hashable, Sendable {
    /// It has a source of this kind, or none at all, and only these kinds are allowed.
    case kind(String, allowed: Set<String>)
    /// It has a source of this kind, or none at all, and these kinds are forbidden.
    case forbiddenKind(String, forbidden: Set<String>)
    case provider(String, allowed: Set<String>)
    case age(Interval, limit: Interval)

    var order: String {
      switch self {
      case .kind(let kind, _), .forbiddenKind(let kind, _): "source \(kind)"
      case .provider: "provider"
      case .age: "age"
      }
    }
  }

  /// The next apply's action on a key that was forgotten and is still declared.
  package enum NextValue: Hashable, Sendable {
    case stored(from: String?)
    case adopted(from: String)
    /// None before all of its parts have values.
    case composed(of: [Identifier<Key>])
    case none
  }

  var code: Diagnostic.Code {
    switch self {
    case .notFound, .noSource, .nothingToAdopt: .secretNotFound
    case .noValue, .partsMissing, .partUnusable: .noValueYet
    case .madeOfParts: .valueComposed
    case .containsPurged: .stillHeld
    case .sourceFailed(_, let failure, _): failure.sourceCode
    case .sourceNotRun: .sourceNotAsked
    case .sourceUntrusted, .sourceNotAllowed: .sourceUnreadable
    case .sourceMissing: .sourceMissing
    case .rejectedValue, .refusedValue: .valueRejected
    case .earlierValue: .valueReturned
    case .unexpectedFormat, .storedFormat: .unexpectedFormat
    case .revoked: .keyRevoked
    case .refusedByProvider, .leaseEnded: .keyInvalid
    case .noCredit: .noCredit
    case .notChecked: .keyNotChecked
    case .revokedValue: .valueRevoked
    case .elsewhere: .valueElsewhere
    case .exposed: .valueExposed
    case .closed: .valueClosed
    case .expiresSoon: .expiresSoon
    case .expired, .retiredNext, .rotationHeld: .expired
    case .lastKeyKept: .lastKeyKept
    case .replacedKeyWaits, .replacedKeyInUse, .replacedKeyLeft: .replacedKeyKept
    case .mintLeft, .mintUnexplained: .mintLost
    case .newValueExpired: .pastItsEnd
    case .issuedOutdated: .issuedOutdated
    case .issuedAhead: .invalidValue
    case .partsDiffer, .partElsewhere: .partsDiffer
    case .breaksRule: .ruleBroken
    case .resembles: .probablyMoved
    case .sharesVariable, .doubtful: .questionable
    case .collision, .isRecorded: .moveRefused
    case .undeclared: .notDeclared
    case .declaredAs, .losesRecord, .stillDeclared: .stillDeclared
    case .isOnly, .isProtected, .isActive: .keyProtected
    }
  }
}

/// A finding about a slot.
package enum SlotIssue: Hashable, Sendable {
  /// None of its candidates is usable; it stays on the key that it has, if it has one.
  case noUsableKey(among: [Identifier<Key>], staysOn: Identifier<Key>?)
  /// Keys that are exported under one variable, one of them by this slot.
  case sharesVariable([ExportedKey])
  /// Its record is forgotten, and it is still declared.
  case stillDeclared

  var code: Diagnostic.Code {
    switch self {
    case .noUsableKey: .noUsableKey
    case .sharesVariable: .questionable
    case .stillDeclared: .stillDeclared
    }
  }
}
