import KeyplanCore

/// What one sealed record row holds.
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

/// A slot's record.
struct StoredSlot {
  var name: Identifier<Slot>
  var record: SlotRecord
  var unknown = UnknownFields()
}

/// A target's record.
struct StoredTarget {
  var name: Identifier<Target>
  var record: TargetRecord
  var unknown = UnknownFields()
}

/// An account's record, and where its tokens lie.
struct StoredAccount {
  var name: Identifier<Account>
  var record: AccountRecord
  /// Nil for an account without tokens.
  var tokens: Tokens?
  var unknown = UnknownFields()

  /// Where the tokens lie: their salt, and the serial of the commit that sealed them.
  struct Tokens: Hashable {
    let salt: [UInt8]
    let serial: Int64
  }

  /// What binds the tokens to this account.
  func binding(in record: RowID) -> Sealer.Binding? {
    tokens.map {
      Sealer.Binding(record: record, kind: "account", field: "tokens", revision: $0.serial, created: 0, salt: $0.salt)
    }
  }
}

/// A key's record, and where the values of its versions lie.
struct StoredKey {
  var name: Identifier<Key>
  var record: KeyRecord
  /// The salt of each version's value, by the version's number; none for a value that is not kept.
  var salts: [Int64: [UInt8]]
  var unknown = UnknownFields()

  /// The current version and the earlier ones.
  var versions: [KeyVersion] { [record.version] + record.history }

  /// What binds a version's value to this key; nil if it is not kept.
  func binding(_ version: KeyVersion, in record: RowID) -> Sealer.Binding? {
    salts[version.number].map {
      Sealer.Binding(record: record, revision: version.number, created: version.storedAt.seconds, salt: $0)
    }
  }
}

/// What there is once in a store; written with every commit.
struct StateRecord: Hashable {
  var appliedAt: Moment?
  /// How many records were sealed in this epoch.
  var seals: Int64 = 0
  var recipients: [Identifier<Recipient>: Recipient] = [:]
  var surface = Surface()
  /// The journal: what began and has not finished.
  var open: [Address: Moment] = [:]
  /// What writes that began may have left at targets' places.
  var attempts: [Identifier<Target>: WriteAttempt] = [:]
  /// The serial of the commit that forgot a key, with which its row is found, and when that was.
  var forgotten: [Forgotten] = []
  /// The marks of the migrations that were carried out.
  var migrated: Set<String> = []
  /// The serial of the commit with which the store came to where it lies.
  var movedAt: Int64?
  /// The plans that were last applied to the end, oldest first.
  var applied: [AppliedPlan] = []
  /// What the manifest demanded of its keys, and what it gave leave for.
  var guards = Guards()
  var unknown = UnknownFields()

  struct Forgotten: Hashable {
    let key: Identifier<Key>
    let serial: Int64
    let at: Moment

    /// What its row's id is made of.
    var name: String { "\(key.name) \(serial)" }
  }
}

extension StateRecord.Forgotten {
  /// Reads what `name` says.
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
