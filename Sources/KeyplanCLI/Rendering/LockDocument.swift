internal import KeyplanCore
internal import KeyplanStore

/// `schemas/unlock.schema.json`.
struct LockDocument: Encodable {
  let formatVersion = 1
  /// Absent while nobody holds it.
  let holder: Holder?
  /// Absent where a lock was broken, and nobody looked at the others.
  var accounts: [Holder]?

  struct Holder: Encodable {
    /// The account's name; absent for the store's lock, and where nobody knows it.
    var account: String?
    let process: Int
    let host: String
    let since: String
    let command: String
    var id: Int?
    var job: String?
    var silentFor: Int?
  }
}

extension LockDocument {
  init(_ store: StoreLock.Holder?, _ accounts: [StoreLock.AccountHolder]) {
    self.init(
      holder: store.map { Holder($0) }, accounts: accounts.map { Holder($0.holder, of: $0.account?.name) })
  }
}

extension LockDocument.Holder {
  init(_ holder: StoreLock.Holder, of account: String? = nil) {
    self.init(
      account: account, process: Int(holder.process), host: holder.host, since: holder.since.description,
      command: holder.command, id: holder.id.map { Int($0) }, job: holder.job, silentFor: holder.silence.map { Int($0) }
    )
  }
}
