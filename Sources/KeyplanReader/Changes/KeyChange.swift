/// A change of the value that is served. It does not contain the value: read the key again.
public struct KeyChange: Hashable, Sendable {
  /// The kind of a change.
  public enum Kind: Hashable, Sendable {
    /// There is another value.
    case changed
    /// There is none any more.
    case removed(KeyError.Reason)
  }

  /// The item that the subscription names.
  public let item: ReadItem
  /// Whether there is another value, or none.
  public let kind: Kind
  /// The name of the key; of a slot, that of the key that is active now.
  public let name: String?
  /// The provider that the manifest names; nil if the source does not know it.
  public let provider: String?

  package init(_ item: ReadItem, _ kind: Kind, name: String?, provider: String?) {
    (self.item, self.kind, self.name, self.provider) = (item, kind, name, provider)
  }
}
