extension Diagnostic {
  /// Every kind of diagnostic that reading a manifest and planning can report. Names are stable; programs may match on them.
  package enum Code: String, Sendable, Codable, CaseIterable {
    /// The file is not YAML, or it is outside the subset and the limits.
    case yamlInvalid
    /// A field that this place does not have.
    case unknownField
    /// A field or name that occurs twice.
    case duplicateField
    /// A value of a type that the field does not accept.
    case wrongType
    /// A field that must be there.
    case missingField
    /// A value of the right type that the field does not accept.
    case invalidValue
    /// A name that the manifest does not declare.
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
    /// A key without a source has no value yet.
    case noValueYet
    /// A source was unreachable.
    case sourceUnreachable
    /// A source answered with something that cannot be used.
    case sourceUnreadable
    /// A source was not queried, because that would run files of an untrusted checkout.
    case sourceNotAsked
    /// A recorded key's source no longer has it.
    case sourceMissing
    /// A target was unreachable.
    case targetUnreachable
    /// A target cannot be read or written in its current state.
    case targetUnreadable
    /// A name at a target cannot be read or written in its current state; the target's other names can.
    case targetNameUnusable
    /// A target cannot be written with the access that is available here.
    case targetNotWritable
    /// A target cannot be read back.
    case targetWriteOnly
    /// A target was not compared, because git tracks its file and the checkout is not trusted.
    case targetNotCompared
    /// A target keeps an earlier value of a key that was changed.
    case targetPending
    /// A target would lose a value without a replacement.
    case nothingLeft
    /// A target has a value that keyplan did not write.
    case targetTaken
    /// A target's file can be read or written by other users.
    case targetExposed
    /// A target's file belongs to the configuration of a CI service.
    case targetInPipeline
    /// A value at a target was replaced by something other than keyplan and stays.
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
    /// A source has a value that an earlier version had.
    case valueReturned
    /// A source still has the value that a rollback rejected.
    case valueRejected
    /// The value of a key is revoked.
    case keyRevoked
    /// The provider of a key does not accept its value.
    case keyInvalid
    /// The account of a key has no credit at its provider.
    case noCredit
    /// The provider of a key was to be asked about its value, and did not answer.
    case keyNotChecked
    /// The value of a key is made of those of others, and cannot be chosen.
    case valueComposed
    /// The parts of a key have values of different keys at the provider.
    case partsDiffer
    /// Another environment has the value that is revoked.
    case valueElsewhere
    /// A source has a value that was revoked.
    case valueRevoked
    /// A value is known to a recipient who can no longer open the store.
    case valueExposed
    /// A step needs a value that only other recipients can open.
    case valueClosed
    /// A recipient that could only plan is removed.
    case plannerRemoved
    /// More would be forgotten than the limit allows.
    case forgetLimit
    /// A key that is protected, active or the last one would be forgotten.
    case keyProtected
    /// The store could no longer be opened by anyone, or by the person who applies.
    case recipientsRefused
    /// A permission depends on a file whose content cannot be determined.
    case contentUnknown
    /// Values are encrypted to post-quantum recipients and to classical ones.
    case notPostQuantum
    /// Two records would get one name.
    case moveRefused
    /// The original to remove is still needed, or it is not known yet that this store is the one to trust.
    case removalRefused
    /// A rule of the manifest would be left broken.
    case ruleBroken
    /// A key is removed and another one with the same value is added.
    case probablyMoved
    /// A forgotten record is still declared.
    case stillDeclared
    /// A restored record is not declared.
    case notDeclared
    /// A calendar service was unreachable.
    case accountUnreachable
    /// A calendar service rejects an account's credentials, and no sign-in helps.
    case accountRefused
    /// A calendar service rejects this client or account, whatever its credentials.
    case accountNotAllowed
    /// An account has no calendar with the declared name.
    case calendarMissing
    /// The declared calendar is ambiguous.
    case calendarUnclear
    /// A calendar has another name now.
    case calendarRenamed
    /// An account was not checked: it has no valid access token, and getting one takes a refresh or a sign-in.
    case accountNotAsked
    /// A service refused an account's last refresh for a reason that a new sign-in does not fix.
    case refreshRefused
    /// A sign-in expires soon.
    case signInEndsSoon
    /// A sign-in has expired, under its policy or by its service's rules.
    case signInExpired
    /// A target still contains a value that is removed from the records.
    case stillHeld
    /// Declared, and not supported by this version.
    case notSupported

    /// Errors block something; warnings do not.
    package var severity: Severity {
      switch self {
      case .questionable, .sourceMissing, .targetNotWritable, .targetWriteOnly, .changedByOthers, .lastKeyKept,
        .expiresSoon, .expired, .issuedOutdated, .unexpectedFormat, .valueReturned, .valueRejected, .probablyMoved,
        .stillDeclared,
        .notDeclared, .stillHeld, .calendarRenamed, .accountNotAsked, .refreshRefused, .signInEndsSoon, .signInExpired,
        .sourceNotAsked, .targetNotCompared, .targetNotInherited, .targetTracked, .targetNotIgnored, .targetExposed,
        .notPostQuantum, .keyRevoked,
        .keyInvalid, .noCredit, .keyNotChecked,
        .valueRevoked, .valueElsewhere,
        .valueExposed, .plannerRemoved, .replacedKeyKept, .mintLost:
        .warning
      case .yamlInvalid, .unknownField, .duplicateField, .wrongType, .missingField, .invalidValue, .undeclaredName,
        .invalidReference, .secretInManifest, .conflict, .secretNotFound, .noValueYet, .sourceUnreachable,
        .sourceUnreadable, .targetUnreachable, .targetUnreadable, .targetNameUnusable, .targetPending, .nothingLeft,
        .targetTaken, .targetInPipeline, .protectedFile, .noUsableKey, .pastItsEnd, .forgetLimit,
        .keyProtected, .recipientsRefused, .moveRefused, .removalRefused, .ruleBroken, .notSupported,
        .accountUnreachable, .accountRefused, .accountNotAllowed, .calendarMissing, .calendarUnclear, .valueClosed,
        .contentUnknown, .partsDiffer, .valueComposed:
        .error
      }
    }

    /// The part of the plan that an error of this kind blocks. Manifest errors and safety checks block everything; a failed observation
    /// blocks its own address.
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

    /// Whether something was unreachable: exit code 8 if there is no other error.
    package var isUnreachable: Bool {
      self == .sourceUnreachable || self == .targetUnreachable || self == .accountUnreachable
    }
  }
}
