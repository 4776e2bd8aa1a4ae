import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

extension CommitBuilder {
  /// Writes an account's record with new or existing tokens, or removes both.
  mutating func write(
    _ name: Identifier<Account>, _ record: AccountRecord?, _ tokens: AccountTokens?
  ) throws(StoreError) {
    let id = sealer.keys.id(of: name)
    let old = try account(id)
    guard let record else {
      drop(old, in: id)
      return remove(id)
    }
    var stored = StoredAccount(
      name: name, record: record, tokens: old?.tokens, unknown: old?.unknown ?? UnknownFields())
    if let tokens {
      drop(old, in: id)
      stored.tokens = StoredAccount.Tokens(salt: Sealer.salt(), serial: header.serial + 1)
      if let binding = stored.binding(in: id) { newValues[binding.salt] = (tokens.sealing, binding) }
    } else if record.signIn == nil {
      drop(old, in: id)
      stored.tokens = nil
    } else if stored.tokens == nil {
      throw StoreError(.notRecorded, "No tokens of the calendar account \(name) are recorded.")
    }
    set(id, .account(stored))
  }

  private func account(_ id: RowID) throws(StoreError) -> StoredAccount? {
    guard case .account(let account)? = try record(id) else { return nil }
    return account
  }

  private mutating func drop(_ account: StoredAccount?, in id: RowID) {
    guard let binding = account?.binding(in: id) else { return }
    if newValues.removeValue(forKey: binding.salt) == nil { removedValues.append(sealer.valueID(binding)) }
  }

  /// The account under another root key. The fingerprint of an imported token cannot be derived again: a refresh may
  /// have replaced the token, which is then no longer stored.
  func renewed(
    _ account: StoredAccount, under keys: EpochKeys
  ) throws(StoreError) -> (StoredAccount, (value: SecretBox, binding: Sealer.Binding)?) {
    let id = keys.id(of: account.name)
    var renewed = account
    let adopted = account.record.signIn?.adopted.map { keys.fingerprint(ofLost: $0, in: id) }
    renewed.record.signIn?.adopted = adopted
    guard let old = account.binding(in: sealer.keys.id(of: account.name)), let tokens = account.tokens else {
      return (renewed, nil)
    }
    renewed.tokens = StoredAccount.Tokens(salt: Sealer.salt(), serial: tokens.serial)
    let value = try keptValue(old)
    return (renewed, renewed.binding(in: id).map { (value, $0) })
  }
}
