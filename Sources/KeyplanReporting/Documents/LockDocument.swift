internal import KeyplanModel

/// `schemas/unlock.schema.json`.
package struct LockDocument: Encodable {
  package let formatVersion = 1
  /// Absent while the lock is free.
  package let holder: Holder?
  /// Absent if a lock was broken: the others were not checked.
  package let accounts: [Holder]?

  package struct Holder: Encodable {
    /// The account's name; absent for the store's lock, and for an account that the manifest does not declare.
    package let account: String?
    package let process: Int
    package let host: String
    package let since: String
    package let command: String
    package let id: Int?
    package let job: String?
    package let silentFor: Int?

    package init(_ holder: LockHolder) {
      account = holder.account?.name
      (process, host, command) = (holder.process, holder.host, holder.command)
      since = holder.since.description
      (id, job, silentFor) = (holder.id, holder.job, holder.silence)
    }
  }

  package init(_ report: LockReport) {
    holder = report.store.map(Holder.init)
    accounts = report.accounts.map(Holder.init)
  }

  /// After a lock was broken.
  package init() { (holder, accounts) = (nil, nil) }
}
