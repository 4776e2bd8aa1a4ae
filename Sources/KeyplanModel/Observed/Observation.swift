/// The planner's input besides the manifest: recorded state and observations.
package struct Observation: Sendable {
  /// The contents of the store.
  package var recorded: Recorded
  /// The results of the sources of declared keys. A key without a source and without a new value is not included.
  package var sources: [Identifier<Key>: SourceFinding]
  /// The reasons of sources for having no value, if they give one.
  package var absences: [Identifier<Key>: String] = [:]
  /// Doubts about values that are not recorded yet.
  package var doubts: [Identifier<Key>: ValueDoubt] = [:]
  /// The results of the places from which keys without a source are to be adopted.
  package var originals: [Identifier<Key>: SourceFinding]
  /// The contents of the places of declared and recorded targets.
  package var targets: [Destination: TargetFinding]
  /// The permanent ids of these places, which do not change when they are renamed.
  package var placeIds: [Destination: String] = [:]
  /// The reasons that these places cannot be written, as far as an attempt without values shows them.
  package var writeBlockers: [Destination: WriteBlockers] = [:]
  /// The modes of the files at these places, as far as they exist.
  package var modes: [Destination: FileMode] = [:]
  /// The places whose files belong to the configuration of a CI service: a value written there can change the commands that it runs.
  package var pipelineFiles: Set<Destination> = []
  /// The services' answers about declared accounts; accounts that were not queried are not included.
  package var accounts: [Identifier<Account>: AccountFinding]
  /// The accounts that are being refreshed now; nil if unknown.
  package var refreshing: Set<Identifier<Account>>?
  /// The time since which another run with open steps has held the store's lock; nil for none. Its changes are not reported.
  package var running: Moment?
  /// The results of the token sources of accounts that need one.
  package var tokens: [Identifier<Account>: SourceFinding]
  /// The accounts whose token was found together with those of others.
  package var sharedSignIns: Set<Identifier<Account>> = []
  /// New keys with the value of a recorded one that is no longer declared.
  package var resembling: [Identifier<Key>: Identifier<Key>]
  /// The public keys of the identities in use.
  package var identities: [String]
  /// The keys whose new values the apply checks at their providers first: none, unless that was requested.
  package var checkable: Set<Identifier<Key>> = []
  /// The provider's keys whose values are set by hand, if their ids are known.
  package var issued: [Identifier<Key>: IssuedKeys.Key] = [:]
  /// The dates of issue that a person gave with values.
  package var dates: [Identifier<Key>: Moment] = [:]
  /// The state of each leased key in use at its provider, under the part that records it.
  package var leases: [Identifier<Key>: LeaseFinding] = [:]
  /// The observed terms of the permission for a declared item: the digests of the files that a command names.
  package var examined: [ExternalAccess: Set<String>] = [:]

  /// Empty except for the arguments.
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
  /// The provider was not queried, or did not answer.
  case unknown
}

/// The result of a key's ordered sources. Only a definite answer is *missing*.
package enum SourceFinding: Hashable, Sendable {
  /// A value, from the source with this index.
  case value(Fingerprint, index: Int, looksRight: Bool)
  /// A value that a person gave by hand: `keys set`.
  case given(Fingerprint, looksRight: Bool)
  /// A person requested a new value, to be generated in this way: `keys rotate`, `keys set --generate`. Nil for one that is made at the
  /// key's provider.
  case wanted(GeneratedValue?)
  /// Every source was queried and none has it.
  case missing
  /// It is not known whether the source with this index has a value; the search ended there.
  case failed(index: Int, AccessFailure)
  /// Not queried: the source with this index may only be read once its external access is permitted.
  case notAllowed(index: Int)
  /// Not queried: in an untrusted checkout a reference that is not recorded for the key is read at apply only. The source with the value is
  /// found then.
  case deferred
  /// Not compared: git tracks the file, and its content is not the recorded one, so that the author of the change would learn whether it is
  /// the value. It is compared at apply.
  case contentChanged(index: Int, digest: String)
  /// Not queried: the command with this index would run files of an untrusted checkout.
  case notAskedHere(index: Int)
}

/// The contents of a target's place.
package enum TargetFinding: Hashable, Sendable {
  /// The values under the names that keyplan manages; a name that is not included does not exist there.
  case entries([String: FoundEntry])
  /// It was unreachable, or is unusable in its current state.
  case failed(AccessFailure)
  /// It accepts values and does not show them: the marks of the names that keyplan manages. A name that is not included does not exist
  /// there; a nil mark means only that the name exists.
  case marks([String: Mark?])
  /// Not queried: it may only be accessed once its external access is permitted.
  case notAllowed
  /// Not compared: git tracks the file, and the checkout is not trusted.
  case notAskedHere
}

/// A value at a target, as fingerprints in the domain of every key that might feed the name.
package struct FoundEntry: Hashable, Sendable {
  private let fingerprints: [Identifier<Key>: Fingerprint]
  /// Keys that the value was not compared with, because the checkout is not trusted and the name is not recorded for them.
  private let uncompared: Set<Identifier<Key>>
  /// The reason that the value could not be read, although others at the place could; nil if it was read.
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

  /// Another failure in place of one that reveals something about the content of a file.
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

  /// The fingerprint in one key's domain, for a step's precondition; something that cannot be a key's value gets one as well.
  package func fingerprint(of key: Identifier<Key>) -> Fingerprint {
    fingerprints[key] ?? (uncompared.contains(key) ? .notCompared : .ofNoKey)
  }
}
