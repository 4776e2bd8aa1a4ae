package import KeyplanModel

/// The holders of a store's locks.
package struct LockReport: Sendable {
  /// The store's place, as people name it.
  package let place: String
  /// Nil while the store's lock is free.
  package let store: LockHolder?
  package let accounts: [LockHolder]

  package init(place: String, store: LockHolder?, accounts: [LockHolder] = []) {
    self.place = place
    self.store = store
    self.accounts = accounts
  }
}

/// A process that holds a lock.
package struct LockHolder: Sendable {
  /// Nil for the store's lock, and for an account that the manifest does not declare.
  package let account: Identifier<Account>?
  package let process: Int
  package let host: String
  package let since: Moment
  package let command: String
  /// The lease's number on a server; nil for a lock on this machine.
  package let id: Int?
  /// The CI job, as its service names it.
  package let job: String?
  /// Seconds since the holder's last sign of life; nil for a lock on this machine.
  package let silence: Int?

  package init(
    account: Identifier<Account>? = nil, process: Int, host: String, since: Moment, command: String, id: Int? = nil,
    job: String? = nil, silence: Int? = nil
  ) {
    self.account = account
    self.process = process
    self.host = host
    self.since = since
    self.command = command
    self.id = id
    self.job = job
    self.silence = silence
  }
}
