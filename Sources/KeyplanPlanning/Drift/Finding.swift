package import KeyplanModel

/// One finding of drift: a change outside of keyplan, or an expiry. Its text is made where it is shown.
package struct Finding: Hashable, Sendable {
  package let level: Level
  /// The details of the finding.
  package let fact: FindingFact
  /// The address that it concerns.
  package let address: Address
  /// The last time it was seen as recorded, or the start of the finding; nil if unknown.
  package let since: Moment?
  /// The key in question, with the way in which it gets a new value; nil if it is about no declared key.
  package let renewal: KeyRenewal?

  package init(_ fact: FindingFact, at address: Address, level: Level, since: Moment?, renewal: KeyRenewal? = nil) {
    self.renewal = renewal
    self.fact = fact
    self.address = address
    self.level = level
    self.since = since
  }

  /// A key and the way in which it gets a new value.
  package struct KeyRenewal: Hashable, Sendable {
    package let key: Identifier<Key>
    package let renewal: Renewal

    package init(key: Identifier<Key>, renewal: Renewal) { (self.key, self.renewal) = (key, renewal) }
  }

  /// The kind, for programs.
  package var kind: Kind { fact.kind }

  /// The urgency of a finding.
  package enum Level: String, Sendable, Codable, CaseIterable, Comparable {
    /// Ends by itself before long.
    case soon
    /// Waits for an apply.
    case pending
    /// Something uses a wrong value, or none.
    case broken

    /// By urgency.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The kinds of findings.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// A target has another value than the recorded one.
    case targetChanged
    /// A target lacks a recorded value.
    case targetMissing
    /// A target that shows no values shows that one was changed.
    case targetRewritten
    /// A target has a previous value: the current one was not written yet.
    case targetBehind
    /// A target does not have a value, because writing it failed.
    case targetUnwritten
    /// A target has a value that no longer belongs there.
    case targetLeft
    /// A target's file can be read or written by other users, and nothing declares that.
    case targetExposed
    /// The source has a new value.
    case sourceChanged
    /// The source no longer has a value.
    case sourceMissing
    /// An earlier run was interrupted here.
    case interrupted
    /// The last step at a provider, a service or an original failed, and is to be repeated.
    case stepFailed
    /// The command that runs after a target was written has not succeeded since a write.
    case commandDue
    /// The key has expired.
    case expired
    /// The key expires soon.
    case expiresSoon
    /// The date of issue in the manifest is that of another value.
    case issuedOutdated
    /// The value does not look like a key of its provider.
    case unexpectedFormat
    /// The key has expired and is kept, because it is the last usable one.
    case lastKeyKept
    /// A key was replaced, and is to be revoked at its provider.
    case replacedKeyValid
    /// The response to a request for a key was lost.
    case mintLost
    /// The slot's only key is retired, or its value revoked.
    case slotWithoutKey
    /// The value of a key is revoked and has no replacement yet.
    case revoked
    /// The provider of a key does not accept its value.
    case keyInvalid
    /// The account of a key has no credit at its provider.
    case noCredit
    /// The parts of a key have values of different keys at the provider.
    case partsDiffer
    /// A removed recipient knows the value.
    case valueExposed
    /// The source still has the value that a rollback rejected.
    case valueRejected
    /// An adopted value is still at its original place, and is to be removed there.
    case originalLeft
    /// A service ended a sign-in.
    case signInEnded
    /// A service ended a sign-in as it does with apps in testing.
    case testingEnded
    /// A service answers for another account than the one that is declared.
    case otherAccount
    /// A sign-in no longer covers the required scopes.
    case scopesReduced
    /// A service rejects an access token that was valid; a refresh shows whether the sign-in has ended.
    case tokenRefused
    /// A service refused a refresh because of the client or the account. A new sign-in does not fix that.
    case refreshRefused
    /// A service does not accept an account's user name and password.
    case passwordRefused
    /// A service does not let an account that needs no person read calendars.
    case accessRefused
    /// The answer to a refresh was lost.
    case rotationLost
    /// A sign-in expires soon.
    case signInEndsSoon
    /// A sign-in expires soon because it is not used.
    case signInUnused
    /// A sign-in has expired: under its policy, or by its service's rules, and the service was not queried since.
    case signInTooOld
    /// The chosen calendar is gone.
    case calendarGone
    /// The chosen calendar has another name.
    case calendarRenamed
    /// The chosen calendar has another name, and the manifest has the previous one.
    case calendarMisnamed
    /// Another calendar is the account's own now.
    case calendarChanged
    /// Several calendars have the chosen one's name now.
    case calendarUnclear
  }
}

extension Finding: Comparable {
  /// The most urgent first: by level, then findings with a date, the earliest first, then those without one, then by address.
  package static func < (left: Self, right: Self) -> Bool {
    guard left.level == right.level else { return left.level > right.level }
    switch (left.fact.date, right.fact.date) {
    case (let one?, let other?) where one != other: return one < other
    case (_?, nil): return true
    case (nil, _?): return false
    default: return (left.address, left.kind.rawValue) < (right.address, right.kind.rawValue)
    }
  }
}
