/// Everything a plan is made of beside the manifest: what is recorded and what was found out there.
public struct Observation: Sendable {
  /// What the store holds.
  public var recorded: Recorded
  /// What the sources of declared keys gave. A key without a source and without a new value is not in it.
  public var sources: [Identifier<Key>: SourceFinding]
  /// What the places gave from which keys without a source are to be adopted.
  public var originals: [Identifier<Key>: SourceFinding]
  /// What the places of declared and recorded targets hold.
  public var targets: [Destination: TargetFinding]
  /// The places among them that can be read, and not be written.
  public var obstacles: [Destination: Obstacle] = [:]
  /// What the services said of declared accounts; one that there was no reason to ask about is not in it.
  public var accounts: [Identifier<Account>: AccountFinding]
  /// What the sources gave as tokens for accounts that need one.
  public var tokens: [Identifier<Account>: SourceFinding]
  /// The accounts whose token was found beside those of others.
  public var crowded: Set<Identifier<Account>> = []
  /// Keys that come with the value of a recorded one that is no longer declared.
  public var resembling: [Identifier<Key>: Identifier<Key>]
  /// The public key of the identity that asks; nil where none is in use.
  public var identity: String?

  /// Empty but for what is given.
  public init(
    recorded: Recorded = Recorded(), sources: [Identifier<Key>: SourceFinding] = [:],
    originals: [Identifier<Key>: SourceFinding] = [:], targets: [Destination: TargetFinding] = [:],
    accounts: [Identifier<Account>: AccountFinding] = [:], tokens: [Identifier<Account>: SourceFinding] = [:],
    resembling: [Identifier<Key>: Identifier<Key>] = [:],
    identity: String? = nil
  ) {
    self.recorded = recorded
    self.sources = sources
    self.originals = originals
    self.targets = targets
    self.accounts = accounts
    self.tokens = tokens
    self.resembling = resembling
    self.identity = identity
  }
}

/// What a key's ordered sources gave. Missing, unreachable and unreadable are three different answers.
public enum SourceFinding: Hashable, Sendable {
  /// A value, from the source with this index.
  case value(Fingerprint, index: Int, looksRight: Bool)
  /// A value that a person gave by hand: `keys set`.
  case given(Fingerprint, looksRight: Bool)
  /// Every source was asked and none has it.
  case missing
  /// The source with this index could not be asked; the search ended there.
  case unreachable(index: Int, reason: String)
  /// The source with this index answered with something unusable; the search ended there.
  case unreadable(index: Int, reason: String)
  /// Not asked: the source with this index may only be read once its surface is allowed.
  case notAllowed(index: Int)
}

/// What a target's place holds.
public enum TargetFinding: Hashable, Sendable {
  /// What was found under the names that keyplan cares for; a name that is not in it is not there.
  case entries([String: FoundEntry])
  /// It could not be asked.
  case unreachable(reason: String)
  /// It is there and cannot be used as it is.
  case unreadable(reason: String)
  /// It takes values and never shows them.
  case writeOnly
  /// Not asked: it may only be touched once its surface is allowed.
  case notAllowed
}

/// A value at a target, as fingerprints in the domain of every key that might feed the name.
public struct FoundEntry: Hashable, Sendable {
  private let fingerprints: [Identifier<Key>: Fingerprint]

  /// One fingerprint for each key in question; none for a value that can be no key's, such as a number.
  public init(_ fingerprints: [Identifier<Key>: Fingerprint]) { self.fingerprints = fingerprints }

  /// Whether the value is this one of this key.
  public func holds(_ fingerprint: Fingerprint?, of key: Identifier<Key>) -> Bool {
    fingerprint != nil && fingerprints[key] == fingerprint
  }

  /// Whether the value is one that a recorded key has or had: then keyplan wrote it, whatever the target's record says.
  public func isOurs(among keys: [Identifier<Key>: KeyRecord]) -> Bool {
    fingerprints.contains { key, fingerprint in
      guard let record = keys[key] else { return false }
      return record.version.fingerprint == fingerprint || record.history.contains { $0.fingerprint == fingerprint }
    }
  }

  /// The fingerprint in one key's domain, for a step's ground; a value that can be no key's is there all the same.
  public func fingerprint(of key: Identifier<Key>) -> Fingerprint { fingerprints[key] ?? .ofNoKey }
}
