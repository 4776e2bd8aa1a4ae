/// That something else is served from now on than before. It has no value: read the key again.
public struct KeyChange: Hashable, Sendable {
  /// What is different.
  public enum Kind: Hashable, Sendable {
    /// There is another value.
    case changed
    /// There is none any more.
    case removed(KeyError.Reason)
  }

  /// What the subscription names.
  public let item: ReadItem
  /// Whether there is another value, or none.
  public let kind: Kind
  /// The key: of a slot the one that is active now.
  public let name: String?
  /// The provider that the manifest names; nil if the source does not know it.
  public let provider: String?

  package init(_ item: ReadItem, _ kind: Kind, name: String?, provider: String?) {
    (self.item, self.kind, self.name, self.provider) = (item, kind, name, provider)
  }
}
