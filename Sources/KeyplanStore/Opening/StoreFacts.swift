/// The public facts of a store: enough to distinguish it from others and to detect a rollback.
package struct StoreFacts: Hashable, Sendable {
  /// The store's id: 32 hex digits.
  package let id: String
  /// A commitment to the root key of the epoch: 32 hex digits. It is pinned together with the id; without the root key
  /// it cannot be forged.
  package let rootID: String
  /// The number of commits.
  package let serial: Int64
  /// The number of root keys.
  package let epoch: Int64

  /// The same store at another serial.
  func at(_ serial: Int64) -> StoreFacts { StoreFacts(id: id, rootID: rootID, serial: serial, epoch: epoch) }
}
