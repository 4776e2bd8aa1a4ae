/// The reason that a store cannot be used.
package struct StoreError: Error, Hashable, Sendable {
  /// The kind of error, which decides the reaction.
  package let code: Code
  /// Whole sentences, without a value.
  package let detail: String
  /// The hint, if something helps.
  package let hint: String?

  /// - Parameter detail: whole sentences, without a value.
  package init(_ code: Code, _ detail: String, hint: String? = nil) {
    self.code = code
    self.detail = detail
    self.hint = hint
  }

  /// The kind of error, which decides the reaction.
  package enum Code: String, Sendable, CaseIterable {
    /// The task was cancelled while it waited for something that had not begun.
    case interrupted
    /// There is no store at this place, and only `init` makes one.
    case noStore
    /// There is one already.
    case exists
    /// No identity that was tried opens it.
    case wrongIdentity
    /// The identity belongs to a recipient that can only plan.
    case planOnly
    /// The identity's recipient is not among those that the value is for.
    case otherRecipients
    /// Bytes do not authenticate: damaged, or changed without the key.
    case tampered
    /// Not a store, or torn.
    case damaged
    /// Another store, or another root, than the one that is pinned.
    case anotherStore
    /// Written by a newer version of the format.
    case newerVersion
    /// Permissions grant access to other users.
    case tooOpen
    /// Another process has the lock.
    case locked
    /// The store has moved on since the changes were made up.
    case stale
    /// There is no record of this name.
    case notRecorded
    /// The disk or the file system failed, or a server's.
    case io
    /// The server that keeps it is unreachable; no fault of the store is known.
    case unreachable
    /// The server that keeps it refuses access, or its storage is not trusted.
    case refused
    /// The lock was another's before the changes came: none of them happened.
    case lost
    /// The plugin that an identity or a recipient needs was of no use.
    case plugin
    /// It was moved to another place, or its move is not complete.
    case moved
  }
}
