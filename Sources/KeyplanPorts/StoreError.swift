/// Why a store cannot be used.
package struct StoreError: Error, Hashable, Sendable {
  /// What to act on.
  package let code: Code
  /// Whole sentences, without a value.
  package let detail: String
  /// What to do, if anything helps.
  package let hint: String?

  /// - Parameter detail: whole sentences, without a value.
  package init(_ code: Code, _ detail: String, hint: String? = nil) {
    self.code = code
    self.detail = detail
    self.hint = hint
  }

  /// What to act on.
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
    /// Bytes do not authenticate: damaged, or changed by somebody without the key.
    case tampered
    /// Not a store, or torn.
    case damaged
    /// Another store, or another root, than the one that is pinned.
    case anotherStore
    /// Written by a newer version of the format.
    case newerVersion
    /// Permissions let others in.
    case tooOpen
    /// Somebody else holds the lock.
    case locked
    /// The store has moved on since the changes were made up.
    case stale
    /// Nothing is recorded under this name.
    case notRecorded
    /// The disk or the file system failed, or a server's.
    case io
    /// The server that keeps it cannot be reached; nothing is known to be wrong with the store.
    case unreachable
    /// The server that keeps it refuses, or what keeps it is not to be trusted.
    case refused
    /// The lock was another's before the changes came: none of them happened.
    case lost
    /// The plugin that an identity or a recipient needs was of no use.
    case plugin
    /// It was taken to another place, or is on its way there.
    case moved
  }
}
