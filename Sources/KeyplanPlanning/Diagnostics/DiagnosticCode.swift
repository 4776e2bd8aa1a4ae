extension Diagnostic {
  /// Every kind of diagnostic that reading a manifest and planning can give. Names are stable; programs may match on them.
  package enum Code: String, Sendable, Codable, CaseIterable {
    /// The file is no YAML, or outside the subset and the limits.
    case yamlInvalid
    /// A field that this place does not have.
    case unknownField
    /// A field or name that occurs twice.
    case duplicateField
    /// A value of another type than the field takes.
    case wrongType
    /// A field that must be there.
    case missingField
    /// A value of the right type that the field does not take.
    case invalidValue
    /// A name that nothing in the manifest declares.
    case undeclaredName
    /// A reference that is none, or nearly one.
    case invalidReference
    /// The manifest contains a secret.
    case secretInManifest
    /// Two declarations exclude each other.
    case conflict
    /// Something that is allowed and probably not meant.
    case questionable
    /// A target's file is one that keyplan itself needs.
    case protectedFile
    /// An environment lacks targets that the manifest has.
    case targetNotInherited
    /// git tracks a target's file.
    case targetTracked
    case targetNotIgnored
    /// No source has a value.
    case secretNotFound
    /// A key without a source has never been given a value.
    case noValueYet
    /// A source could not be asked.
    case sourceUnreachable
    /// A source answered with something that cannot be used.
    case sourceUnreadable
    /// A source was not asked, because that would run files of an untrusted checkout.
    case sourceNotAsked
    /// A recorded key's source no longer has it.
    case sourceMissing
    /// A target could not be asked.
    case targetUnreachable
    /// A target cannot be read or written as it is.
    case targetUnreadable
    /// A name at a target cannot be read or written as it is; the target's other names can.
    case targetNameUnusable
    /// A target could not be written by whoever asks here.
    case targetNotWritable
    /// A target cannot be read back.
    case targetWriteOnly
    /// A target was not compared, because git tracks its file and the checkout is not trusted.
    case targetNotCompared
    /// A target keeps an earlier value of a key that was changed.
    case targetPending
    /// A target would lose a value that nothing replaces.
    case nothingLeft
    /// A target holds a value that keyplan did not write.
    case targetTaken
    /// A target's file can be read or written by other users.
    case targetExposed
    /// A target's file belongs to the configuration of a CI service.
    case targetInPipeline
    /// A value at a target is somebody else's by now and stays.
    case changedByOthers
    /// No candidate of a slot is usable.
    case noUsableKey
    /// The last usable key of a slot or target has expired and is kept.
    case lastKeyKept
    /// A key that was replaced at its provider is not revoked yet.
    case replacedKeyKept
    /// A lost response may have left an unused key at a provider.
    case mintLost
    /// A key expires soon.
    case expiresSoon
    /// A key has expired.
    case expired
    /// The date of issue in the manifest is that of another value.
    case issuedOutdated
    /// A new value has expired: the plan that stores it would also retire it.
    case pastItsEnd
    /// A value does not look like its provider's keys.
    case unexpectedFormat
    /// A source gives a value that an earlier version had.
    case valueReturned
    /// A source still gives the value that a rollback rejected.
    case valueRejected
    /// The value of a key is revoked.
    case keyRevoked
    /// The provider of a key does not accept its value.
    case keyInvalid
    /// The parts of a key have values of different keys at the provider.
    case partsDiffer
    /// Another environment has the value that is revoked.
    case valueElsewhere
    /// A source gives a value that was revoked.
    case valueRevoked
    /// Somebody knows a value who can no longer open the store.
    case valueExposed
    /// A step needs a value that only other recipients can open.
    case valueClosed
    /// A recipient that could only plan is removed.
    case plannerRemoved
    /// More would be forgotten than the limit allows.
    case forgetLimit
    /// A key that is protected, active or the last one would be forgotten.
    case keyProtected
    /// Nobody could open the store any more, or not the one who asks.
    case recipientsRefused
    /// A permission depends on a file whose content cannot be determined.
    case contentUnknown
    /// Values are encrypted to post-quantum recipients and to others.
    case notPostQuantum
    /// Two records would get one name.
    case moveRefused
    /// What would be removed is still needed where it is, or nothing says yet that this store is the one to trust.
    case removalRefused
    /// A rule of the manifest would be left broken.
    case ruleBroken
    /// A key leaves and another comes with the same value.
    case probablyMoved
    /// What is taken out of the records is still declared.
    case stillDeclared
    /// What is put into the records is not declared.
    case notDeclared
    /// A calendar service could not be asked.
    case accountUnreachable
    /// A calendar service does not accept what an account shows, and no sign-in helps.
    case accountRefused
    /// A calendar service does not let this client or account in, whatever it shows.
    case accountNotAllowed
    /// An account has no calendar as it is named.
    case calendarMissing
    /// Which of an account's calendars is meant cannot be told.
    case calendarUnclear
    /// A calendar has another name now.
    case calendarRenamed
    /// An account was not asked: it has no access token that is good, and only a refresh or a person gets one.
    case accountNotAsked
    /// A service refused an account's last refresh for a reason that a new sign-in does not fix.
    case refreshRefused
    /// A sign-in expires soon.
    case signInEndsSoon
    /// A sign-in has expired, under its policy or by its service's rules.
    case signInExpired
    /// A target still contains what is removed from the records.
    case stillHeld
    /// Declared, and not supported by this version.
    case notSupported

    /// Whether something does not happen because of it.
    package var severity: Severity {
      switch self {
      case .questionable, .sourceMissing, .targetNotWritable, .targetWriteOnly, .changedByOthers, .lastKeyKept,
        .expiresSoon, .expired, .issuedOutdated, .unexpectedFormat, .valueReturned, .valueRejected, .probablyMoved,
        .stillDeclared,
        .notDeclared, .stillHeld, .calendarRenamed, .accountNotAsked, .refreshRefused, .signInEndsSoon, .signInExpired,
        .sourceNotAsked, .targetNotCompared, .targetNotInherited, .targetTracked, .targetNotIgnored, .targetExposed,
        .notPostQuantum, .keyRevoked,
        .keyInvalid,
        .valueRevoked, .valueElsewhere,
        .valueExposed, .plannerRemoved, .replacedKeyKept, .mintLost:
        .warning
      case .yamlInvalid, .unknownField, .duplicateField, .wrongType, .missingField, .invalidValue, .undeclaredName,
        .invalidReference, .secretInManifest, .conflict, .secretNotFound, .noValueYet, .sourceUnreachable,
        .sourceUnreadable, .targetUnreachable, .targetUnreadable, .targetNameUnusable, .targetPending, .nothingLeft,
        .targetTaken, .targetInPipeline, .protectedFile, .noUsableKey, .pastItsEnd, .forgetLimit,
        .keyProtected, .recipientsRefused, .moveRefused, .removalRefused, .ruleBroken, .notSupported,
        .accountUnreachable, .accountRefused, .accountNotAllowed, .calendarMissing, .calendarUnclear, .valueClosed,
        .contentUnknown, .partsDiffer:
        .error
      }
    }

    /// What an error of this kind holds back. Manifest and guard errors stop everything; a bad observation stops itself.
    package var reach: Reach {
      switch self {
      case .yamlInvalid, .unknownField, .duplicateField, .wrongType, .missingField, .invalidValue, .undeclaredName,
        .invalidReference, .secretInManifest, .conflict, .protectedFile:
        .everything
      case .targetTaken, .targetInPipeline, .forgetLimit, .keyProtected, .recipientsRefused, .removalRefused,
        .ruleBroken:
        .everything
      default: .itself
      }
    }

    /// Whether a guard refused: exit code 7.
    package var isGuard: Bool {
      switch self {
      case .targetTaken, .targetInPipeline, .forgetLimit, .keyProtected, .recipientsRefused, .removalRefused,
        .ruleBroken, .nothingLeft:
        true
      default: false
      }
    }

    /// Whether something could not be reached: exit code 8 if that is all that is wrong.
    package var isUnreachable: Bool {
      self == .sourceUnreachable || self == .targetUnreachable || self == .accountUnreachable
    }
  }
}
