/// What is public about a store: enough to tell it from another one and to see that it was rolled back.
package struct StoreFacts: Hashable, Sendable {
  /// The store's id: 32 hex digits.
  package let id: String
  /// A commitment to the root key of the epoch: 32 hex digits. Pin it beside the id; nobody without the root can make it.
  package let rootID: String
  /// Counts commits.
  package let serial: Int64
  /// Counts root keys.
  package let epoch: Int64

  /// The same store, some commits on.
  func at(_ serial: Int64) -> StoreFacts { StoreFacts(id: id, rootID: rootID, serial: serial, epoch: epoch) }
}
