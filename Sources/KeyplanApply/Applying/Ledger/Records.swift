internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// The records as a run has made them. Each change returns what is to be committed for it.
struct Records: Sendable {
  private(set) var keys: [Identifier<Key>: KeyRecord]
  private(set) var targets: [Identifier<Target>: TargetRecord]
  private(set) var accounts: [Identifier<Account>: AccountRecord]
  private(set) var forgotten: [ForgottenKey]
  /// Requests to create a key whose outcome is unknown.
  private(set) var mints: [Identifier<Key>: MintAttempt]
  private(set) var recipients: [Identifier<Recipient>: Recipient]
  /// The targets whose hook is to be run: those that something was written to, and those of earlier runs.
  private(set) var dueHooks: Set<Identifier<Target>>
  /// Those with a write that was neither confirmed nor refused: it may still happen, so that their hook stays due.
  private var unconfirmed: Set<Identifier<Target>> = []
  /// The tokens that this run had granted, to compare with what the store gives back.
  private(set) var granted: [Identifier<Account>: AccountTokens] = [:]

  init(_ recorded: Recorded) {
    (keys, targets, accounts) = (recorded.keys, recorded.targets, recorded.accounts)
    (forgotten, mints, recipients) = (recorded.forgotten, recorded.mints, recorded.recipients)
    dueHooks = Set(recorded.dueHooks.keys)
  }

  /// Takes what the store says under a fresh root key or another name: the same in other fingerprints.
  mutating func replace(by recorded: Recorded) {
    (keys, targets, accounts) = (recorded.keys, recorded.targets, recorded.accounts)
    (forgotten, mints) = (recorded.forgotten, recorded.mints)
  }

  /// - Parameter value: a new version's value; nil where the value stays.
  mutating func put(_ record: KeyRecord, _ id: Identifier<Key>, value: SecretBox? = nil) -> RecordChange {
    keys[id] = record
    return .key(id, record, value: value)
  }

  mutating func forget(_ id: Identifier<Key>) -> RecordChange {
    keys[id] = nil
    return .forget(id)
  }

  mutating func purge(_ id: Identifier<Key>, isAll: Bool, revision: Int64) -> RecordChange {
    keys[id] = isAll ? nil : keys[id]?.purged(revision: revision)
    return .purge(id, isAll: isAll)
  }

  mutating func put(_ record: TargetRecord?, _ id: Identifier<Target>) -> RecordChange {
    targets[id] = record
    return .target(id, record)
  }

  /// - Parameter tokens: new ones; nil where the stored ones stay, or end with their record.
  mutating func put(_ record: AccountRecord?, _ id: Identifier<Account>, _ tokens: AccountTokens?) -> RecordChange {
    accounts[id] = record
    return .account(id, record, tokens: tokens)
  }

  mutating func grant(_ tokens: AccountTokens?, to id: Identifier<Account>) { granted[id] = tokens }

  mutating func put(_ attempt: MintAttempt?, _ id: Identifier<Key>) -> RecordChange {
    mints[id] = attempt
    return .mint(id, attempt)
  }

  /// A request's record belongs to the key that the request is for.
  mutating func moveMint(of old: Identifier<Key>, to new: Identifier<Key>) -> [RecordChange] {
    guard let before = old.whole, let after = new.whole, let attempt = mints[before] else { return [] }
    return [put(nil, before), put(attempt, after)]
  }

  mutating func put(
    _ all: [Identifier<Recipient>: Recipient], freshRoot: Bool, leaving: [Identifier<Recipient>]
  ) -> RecordChange {
    recipients = all
    return .recipients(all, freshRoot: freshRoot, leaving: leaving)
  }

  /// Notes what a write to a target makes of its hook.
  mutating func noteChange(_ outcome: ChangeOutcome, at id: Identifier<Target>) {
    if !outcome.done.isEmpty || !outcome.unknown.isEmpty { dueHooks.insert(id) }
    if !outcome.unknown.isEmpty { unconfirmed.insert(id) }
  }

  mutating func hookRan(at id: Identifier<Target>) -> RecordChange {
    if !unconfirmed.contains(id) { dueHooks.remove(id) }
    return .hook(id, isDue: dueHooks.contains(id))
  }

  /// The records of some keys and targets, to return to.
  struct Excerpt {
    fileprivate let keys: [(Identifier<Key>, KeyRecord?)]
    fileprivate let targets: [(Identifier<Target>, TargetRecord?)]
  }

  func excerpt(_ keys: Set<Identifier<Key>>, _ targets: Set<Identifier<Target>>) -> Excerpt {
    Excerpt(keys: keys.map { ($0, self.keys[$0]) }, targets: targets.map { ($0, self.targets[$0]) })
  }

  mutating func restore(_ excerpt: Excerpt) {
    for (id, record) in excerpt.keys { keys[id] = record }
    for (id, record) in excerpt.targets { targets[id] = record }
  }
}
