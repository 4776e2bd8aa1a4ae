/// Everything a plan is made of beside the manifest: what is recorded and what was found out there.
package struct Observation: Sendable {
  /// What the store holds.
  package var recorded: Recorded
  /// What the sources of declared keys gave. A key without a source and without a new value is not in it.
  package var sources: [Identifier<Key>: SourceFinding]
  /// Why sources say that they have no value, where they say it.
  package var absences: [Identifier<Key>: String] = [:]
  /// Doubts about values that are not recorded yet.
  package var doubts: [Identifier<Key>: ValueDoubt] = [:]
  /// What the places gave from which keys without a source are to be adopted.
  package var originals: [Identifier<Key>: SourceFinding]
  /// What the places of declared and recorded targets hold.
  package var targets: [Destination: TargetFinding]
  /// What identifies these places for good, whatever they are called.
  package var placeIds: [Destination: String] = [:]
  /// What is in the way of writing there, as far as that shows by trying it without values.
  package var writeBlockers: [Destination: WriteBlockers] = [:]
  /// The modes of the files at these places, as far as they are there.
  package var modes: [Destination: FileMode] = [:]
  /// The places whose files belong to the configuration of a CI service: what is written there can change what it runs.
  package var pipelineFiles: Set<Destination> = []
  /// What the services answered about declared accounts; accounts that were not asked about are not in it.
  package var accounts: [Identifier<Account>: AccountFinding]
  /// The accounts that somebody is refreshing now; nil where nobody looked.
  package var refreshing: Set<Identifier<Account>>?
  /// Since when another run holds the store's lock that has open steps; nil if none does. What it is doing is not judged.
  package var running: Moment?
  /// What the sources gave as tokens for accounts that need one.
  package var tokens: [Identifier<Account>: SourceFinding]
  /// The accounts whose token was found beside those of others.
  package var sharedSignIns: Set<Identifier<Account>> = []
  /// Keys that come with the value of a recorded one that is no longer declared.
  package var resembling: [Identifier<Key>: Identifier<Key>]
  /// The public keys of the identities in use.
  package var identities: [String]
  /// The keys whose new values the apply checks at their providers first: none, unless that was asked for.
  package var checkable: Set<Identifier<Key>> = []
  /// The provider's keys whose values are set by hand, where their ids were given.
  package var issued: [Identifier<Key>: IssuedKeys.Key] = [:]
  /// The state of each leased key in use at its provider, under the part that records it.
  package var leases: [Identifier<Key>: LeaseFinding] = [:]
  /// What was found to belong to the permission for a declared item: the digests of the files that a command names.
  package var examined: [ExternalAccess: Set<String>] = [:]

  /// Empty but for what is given.
  package init(
    recorded: Recorded = Recorded(), sources: [Identifier<Key>: SourceFinding] = [:],
    originals: [Identifier<Key>: SourceFinding] = [:], targets: [Destination: TargetFinding] = [:],
    accounts: [Identifier<Account>: AccountFinding] = [:], tokens: [Identifier<Account>: SourceFinding] = [:],
    resembling: [Identifier<Key>: Identifier<Key>] = [:],
    identities: [String] = []
  ) {
    self.recorded = recorded
    self.sources = sources
    self.originals = originals
    self.targets = targets
    self.accounts = accounts
    self.tokens = tokens
    self.resembling = resembling
    self.identities = identities
  }
}

extension Observation {
  /// The terms under which each declared item must be allowed.
  package func wantedSurface(of manifest: Manifest) -> [ExternalAccess: Set<String>] {
    manifest.surface.merging(examined) { $0.union($1) }
  }
}

/// The state of a leased key at its provider.
package enum LeaseFinding: Hashable, Sendable {
  case valid
  /// It was revoked, or ended early.
  case ended
  /// The provider was not asked, or did not answer.
  case unknown
}

/// What a key's ordered sources gave. Only a definite answer is *missing*.
package enum SourceFinding: Hashable, Sendable {
  /// A value, from the source with this index.
  case value(Fingerprint, index: Int, looksRight: Bool)
  /// A value that a person gave by hand: `keys set`.
  case given(Fingerprint, looksRight: Bool)
  /// A person asked for a new value, to be generated in this way: `keys rotate`, `keys set --generate`. Nil for one that is made at
  /// the key's provider.
  case wanted(GeneratedValue?)
  /// Every source was asked and none has it.
  case missing
  /// It is not known whether the source with this index has a value; the search ended there.
  case failed(index: Int, AccessFailure)
  /// Not asked: the source with this index may only be read once its surface is allowed.
  case notAllowed(index: Int)
  /// Not asked: in an untrusted checkout a reference that is not recorded for the key is read at apply only. Which of the
  /// sources has the value is found then.
  case deferred
  /// Not compared: git tracks the file, and its content is not the recorded one, so that whoever changed it would learn
  /// whether it is the value. It is compared at apply.
  case contentChanged(index: Int, digest: String)
  /// Not asked: the command with this index would run files of an untrusted checkout.
  case notAskedHere(index: Int)
}

/// What a target's place holds.
package enum TargetFinding: Hashable, Sendable {
  /// What was found under the names that keyplan cares for; a name that is not in it is not there.
  case entries([String: FoundEntry])
  /// It could not be asked, or cannot be used as it is.
  case failed(AccessFailure)
  /// It takes values and does not show them: the marks that it shows under the names that keyplan cares for. A name that is not in
  /// it is not there; a nil mark says only that the name is.
  case marks([String: Mark?])
  /// Not asked: it may only be touched once its surface is allowed.
  case notAllowed
  /// Not compared: git tracks the file, and the checkout is not trusted.
  case notAskedHere
}

/// A value at a target, as fingerprints in the domain of every key that might feed the name.
package struct FoundEntry: Hashable, Sendable {
  private let fingerprints: [Identifier<Key>: Fingerprint]
  /// Keys that the value was not compared with, because the checkout is not trusted and the name is not recorded for them.
  private let uncompared: Set<Identifier<Key>>
  /// Why the value could not be read, although others at the place could; nil if it was read.
  package let failure: AccessFailure?

  /// One fingerprint for each key in question; none for a value that can be no key's, such as a number.
  package init(_ fingerprints: [Identifier<Key>: Fingerprint], uncompared: Set<Identifier<Key>> = []) {
    self.fingerprints = fingerprints
    self.uncompared = uncompared
    failure = nil
  }

  /// A value that could not be read.
  /// - Parameter keys: those that might feed the name.
  package init(_ failure: AccessFailure, of keys: Set<Identifier<Key>>) {
    fingerprints = [:]
    uncompared = keys
    self.failure = failure
  }

  /// Another failure in the place of one that says something about the content of a file.
  package func withheld(by other: AccessFailure) -> FoundEntry {
    failure?.isAboutContent == true ? FoundEntry(other, of: uncompared) : self
  }

  /// Whether it is known if the value is this key's.
  package func isCompared(with key: Identifier<Key>) -> Bool { !uncompared.contains(key) }

  /// Whether the value is this one of this key.
  package func holds(_ fingerprint: Fingerprint?, of key: Identifier<Key>) -> Bool {
    fingerprint != nil && fingerprints[key] == fingerprint
  }

  /// Whether the value is one that a recorded key has or had: then keyplan wrote it, whatever the target's record says.
  package func isOurs(among keys: [Identifier<Key>: KeyRecord]) -> Bool {
    fingerprints.contains { key, fingerprint in
      guard let record = keys[key] else { return false }
      return record.version.fingerprint == fingerprint || record.history.contains { $0.fingerprint == fingerprint }
    }
  }

  /// The fingerprint in one key's domain, for a step's ground; a value that can be no key's is there all the same.
  package func fingerprint(of key: Identifier<Key>) -> Fingerprint {
    fingerprints[key] ?? (uncompared.contains(key) ? .notCompared : .ofNoKey)
  }
}
