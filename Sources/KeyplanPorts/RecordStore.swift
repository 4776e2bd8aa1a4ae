package import KeyplanModel
package import KeyplanSecrets

/// An open store: records and values, whatever the storage of its rows.
package protocol RecordStore: Sendable {
  /// Everything but the secrets, from one snapshot.
  func recorded() throws(StoreError) -> Recorded

  /// The value of a key: the current version, or an earlier one that the history still has.
  func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox

  /// The current values of keys, in their order, from one snapshot where the store can.
  func values(of keys: [Identifier<Key>]) throws(StoreError) -> [SecretBox]

  /// Carries out all changes in one durable transaction, or none of them.
  /// - Parameter serial: the store's serial when the changes were made; if it differs now, they are refused as stale.
  /// - Returns: the new serial. Without changes, nothing is written and the serial stays.
  func commit(_ changes: [RecordChange], expecting serial: Int64, at now: Moment) throws(StoreError) -> Int64
}

extension RecordStore {
  /// One by one.
  package func values(of keys: [Identifier<Key>]) throws(StoreError) -> [SecretBox] {
    var values: [SecretBox] = []
    for key in keys { values.append(try value(of: key, version: nil)) }
    return values
  }
}

/// One change to the store's records. Indirect, because an apply collects one for each key.
package indirect enum RecordChange: Sendable {
  /// Writes a key's record. A new value makes the recorded one an earlier version, kept as long as `history` names it; it is that of the
  /// pending version if the record has one that is not stored yet.
  case key(Identifier<Key>, KeyRecord, value: SecretBox?)
  /// Takes a key out of use; its record and values stay restorable for 30 days.
  case forget(Identifier<Key>)
  /// Brings back the key that the commit with this serial forgot, with all its values; the record gets the serial of this
  /// commit as its revision.
  case restore(Identifier<Key>, forgotten: Int64)
  /// Renames a key's record, with all its values; the slots and targets that name it follow. Fingerprints are derived again in the domain of
  /// the new name, and the written records get the serial of this commit as their revision.
  case move(Identifier<Key>, to: Identifier<Key>)
  /// Remembers that a migration was carried out.
  case migrated(String)
  /// Writes a slot's record, or removes it.
  case slot(Identifier<Slot>, SlotRecord?)
  /// Writes a target's record, or removes it.
  case target(Identifier<Target>, TargetRecord?)
  /// Writes a calendar account's record, or removes it with its tokens. Nil keeps the tokens that are recorded.
  case account(Identifier<Account>, AccountRecord?, tokens: AccountTokens?)
  /// Records that the manifest may access this item, under these terms and no others.
  case allow(ExternalAccess, Set<String>)
  /// Deletes this permission. A missing one is not an error.
  case disallow(ExternalAccess)
  /// Deletes the earlier values of a key and everything that is kept of it since it was forgotten, or all of it, so that nothing of that can
  /// be restored.
  case purge(Identifier<Key>, isAll: Bool)
  /// Wraps the keyring for these recipients; with a fresh root key every row is encrypted again, and everything that is recorded becomes
  /// exposed to those who leave.
  case recipients([Identifier<Recipient>: Recipient], freshRoot: Bool, leaving: [Identifier<Recipient>] = [])
  /// Records the values that a write may leave at a target's place, or that all outcomes are known.
  case attempt(Identifier<Target>, WriteAttempt?)
  /// Records that a request is about to make a key at its provider, or that its outcome is known.
  case mint(Identifier<Key>, MintAttempt?)
  /// Writes down that a target's hook is still to be run, from now on if it was not before, or that it is not.
  case hook(Identifier<Target>, isDue: Bool)
  /// Records the error of the last step outside the store at an address; nil after one that succeeded.
  case failure(Address, StepError?)
  /// Writes down that an outside step begins.
  case began(Address)
  /// Records that no step is open at an address.
  case finished(Address)
  /// Records the rules and exceptions of the manifest.
  case guards(Guards)
  /// Remembers a plan that is being applied, and how far it came. Replaces what is remembered of the same plan.
  case applied(AppliedPlan)
}

/// Gives out the tokens of calendar accounts.
package protocol TokenStore: Sendable {
  /// The tokens of an account; nil for one that has none.
  /// - Throws: `notRecorded` if there is no such account.
  func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens?
}

/// Computes fingerprints under the store's key.
package protocol Fingerprinting: Sendable {
  /// The fingerprint of a value in the domain of one key's record.
  func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint

  /// The fingerprint of a token in the domain of one account's record.
  func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint

}

/// Computes digests of files under a key of the store, so that a plan that contains them reveals nothing about the files.
package protocol FileDigesting: Sendable {
  /// 16 bytes: equal for equal content in one store, for all recipients and also under a fresh root key. Nil if it cannot be computed.
  func digest(ofFile bytes: [UInt8]) -> [UInt8]?
}

/// Names and signs plans under the store's keys.
package protocol PlanSigning: Sendable {
  /// HMAC-SHA-256 under the plan key of the store's current epoch; 32 bytes, the same for all recipients.
  func planCode(of bytes: [UInt8]) -> [UInt8]

  /// The signature of a saved plan.
  func signature(ofPlan bytes: [UInt8]) -> [UInt8]

  /// The signer of a saved plan; nil if the signature is not that of a recipient of the store.
  func signer(ofPlan bytes: [UInt8], _ signature: [UInt8]) -> PlanSigner?
}

/// The signer of a saved plan.
package enum PlanSigner: Hashable, Sendable {
  /// That of a recipient with full access.
  case full
  /// That of a recipient that can only plan. Such a plan is not applied.
  case planOnly
}

extension RecordChange {
  /// The address whose recorded error this change ends, because it stores a new value or token, or deletes the record.
  package var endedFailure: Address? {
    switch self {
    case .key(let id, _, value: .some), .forget(let id): .key(id)
    case .account(let id, nil, tokens: _), .account(let id, _, tokens: .some): .calendar(id)
    default: nil
    }
  }
}
