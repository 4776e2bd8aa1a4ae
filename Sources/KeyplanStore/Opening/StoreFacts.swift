import KeyplanModel

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
  /// A digest of everything at that serial, the beginning of the root MAC: 32 hex digits. Two copies of a store that were
  /// changed independently have different ones.
  package let digest: String

  init(_ header: Header, rootID: [UInt8]) {
    id = header.store.hexadecimal
    self.rootID = rootID.hexadecimal
    (serial, epoch) = (header.serial, header.epoch)
    digest = header.root.prefix(16).hexadecimal
  }
}
