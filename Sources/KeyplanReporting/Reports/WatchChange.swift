package import KeyplanModel

/// That another value is served for a key or slot, or none any more.
package struct WatchChange: Hashable, Sendable {
  package enum Kind: String, Encodable, Sendable {
    /// Not a change: the state when the watch begins.
    case present
    case added
    /// There is another value of the same key.
    case changed
    /// Another key is active in the slot.
    case switched
    case revoked, retired, removed
  }

  /// The key or slot that is watched.
  package let item: Address
  package let kind: Kind
  /// The key: of a slot the one that is active, or was.
  package let key: Identifier<Key>
  package let provider: String
  /// The number of its version.
  package let version: Int64
  package let at: Moment

  package init(
    _ item: Address, _ kind: Kind, key: Identifier<Key>, provider: String, version: Int64, at: Moment
  ) {
    (self.item, self.kind, self.key, self.provider) = (item, kind, key, provider)
    (self.version, self.at) = (version, at)
  }
}
