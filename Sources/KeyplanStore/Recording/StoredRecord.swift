import KeyplanModel

/// The content of a sealed record row.
enum StoredRecord {
  case state(StateRecord)
  case key(StoredKey)
  case slot(StoredSlot)
  case target(StoredTarget)
  case forgotten(StoredKey, at: Moment)
  case account(StoredAccount)
}

extension StoredRecord {
  /// The fields that this version does not know.
  var unknown: UnknownFields {
    switch self {
    case .state(let state): state.unknown
    case .key(let key), .forgotten(let key, _): key.unknown
    case .slot(let slot): slot.unknown
    case .target(let target): target.unknown
    case .account(let account): account.unknown
    }
  }
}

struct StoredSlot {
  var name: Identifier<Slot>
  var record: SlotRecord
  var unknown = UnknownFields()
}

struct StoredTarget {
  var name: Identifier<Target>
  var record: TargetRecord
  var unknown = UnknownFields()
}

/// An account's record, and the location of its tokens.
struct StoredAccount {
  var name: Identifier<Account>
  var record: AccountRecord
  /// Nil for an account without tokens.
  var tokens: Tokens?
  var unknown = UnknownFields()

  /// The location of the tokens: their salt, and the serial of the commit that sealed them.
  struct Tokens: Hashable {
    let salt: [UInt8]
    let serial: Int64
  }

  /// Binds the tokens to this account.
  func binding(in record: RowID) -> Sealer.Binding? {
    tokens.map {
      Sealer.Binding(record: record, kind: "account", field: "tokens", revision: $0.serial, created: 0, salt: $0.salt)
    }
  }
}

/// A key's record, and the location of its versions' values.
struct StoredKey {
  var name: Identifier<Key>
  var record: KeyRecord
  /// The salt of each stored value, by the version's number.
  var salts: [Int64: [UInt8]]
  var unknown = UnknownFields()
  /// The group whose key seals the values; nil for the root key's.
  var group: RowID?

  /// The current version, the earlier ones, and the one that is made and not used yet.
  var versions: [KeyVersion] { record.storedVersions }

  /// Binds a version's value to this key; nil if it is not stored.
  func binding(_ version: KeyVersion, in id: RowID) -> Sealer.Binding? {
    salts[version.number].map {
      Sealer.Binding(
        record: id, revision: version.number, created: version.storedAt.seconds, salt: $0, group: valueGroup)
    }
  }

  var valueGroup: ValueGroup? {
    group.map { ValueGroup(id: $0, key: name, recipients: record.facts.recipients ?? []) }
  }
}

/// The store-wide state, which is written with every commit.
struct StateRecord: Hashable {
  var appliedAt: Moment?
  /// The number of records sealed in this epoch.
  var seals: Int64 = 0
  var recipients: [Identifier<Recipient>: Recipient] = [:]
  var surface = Surface()
  /// The journal of steps that began and have not finished.
  var open: [Address: Moment] = [:]
  /// Values that interrupted writes may have left at targets.
  var attempts: [Identifier<Target>: WriteAttempt] = [:]
  /// Requests to providers that may have made a key whose value is lost.
  var mints: [Identifier<Key>: MintAttempt] = [:]
  /// The targets whose hook is still to be run, each with the moment from which it is.
  var dueHooks: [Identifier<Target>: Moment] = [:]
  /// The error of the last step outside the store, by address.
  var failures: [Address: StepError] = [:]
  /// The forgotten keys, each with the serial of the commit that forgot it, from which its row id is derived.
  var forgotten: [Forgotten] = []
  /// The marks of applied migrations.
  var migrated: Set<String> = []
  /// The serial of the commit that completed the last move of the store.
  var movedAt: Int64?
  /// The last move, if it was undone.
  var undone: UndoneMove?
  /// The plans that were last applied, also those that were not completed, oldest first.
  var applied: [AppliedPlan] = []
  /// The manifest's rules for keys, and the permissions to take over values.
  var guards = Guards()
  /// The key of digests of files, 32 bytes. It stays under a fresh root key, because the digested files are not available then.
  var digestKey: [UInt8] = []
  var unknown = UnknownFields()

  struct Forgotten: Hashable {
    let key: Identifier<Key>
    let serial: Int64
    let at: Moment

    /// The name from which the row id is derived.
    var name: String { "\(key.name) \(serial)" }
  }
}

extension StateRecord.Forgotten {
  /// Parses a `name`.
  init?(name: String, at moment: Moment) {
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, let key = Identifier<Key>(words[0]), let serial = Int64(words[1]) else { return nil }
    self.init(key: key, serial: serial, at: moment)
  }
}

extension EpochKeys {
  var stateID: RowID { id("state", []) }
  func id(of slot: Identifier<Slot>) -> RowID { id("slot", slot.name.utf8) }
  func id(of target: Identifier<Target>) -> RowID { id("target", target.name.utf8) }
  func id(of account: Identifier<Account>) -> RowID { id("account", account.name.utf8) }
  func id(of forgotten: StateRecord.Forgotten) -> RowID {
    id("forgotten", forgotten.name.utf8)
  }
}
