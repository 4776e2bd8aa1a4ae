public import FoundationEssentials
public import KeyplanSecrets

/// A key's value, or an account's access token, with the known facts about it. It is never printed: description and mirror reveal
/// nothing.
public struct APIKey: Sendable, Redacted {
  let entry: CachedValue
  /// The item that it was read as.
  public let item: ReadItem
  /// Whether the source has confirmed the value within the soft age.
  public let freshness: Freshness

  /// The value. It is zeroed with the last reference to it.
  public var value: SecretBox { entry.content.value }

  /// The name of the key; of a slot, that of the active key.
  public var name: String { entry.content.name }

  /// The provider that the manifest names; nil if the source does not know it.
  public var provider: String? { entry.content.provider }

  /// Changes with each new value, and has no other meaning.
  public var version: String { entry.version }

  /// The time at which the value expires; nil if the source does not know it.
  public var expires: Date? { entry.content.expires.map { Date(timeIntervalSince1970: Double($0)) } }

  /// Gives the value as text to a library that wants a `String`. A copy of it remains in memory until it is reused.
  public func withText<Result, Failure: Error>(_ body: (String) throws(Failure) -> Result) throws(Failure) -> Result {
    try body(value.withBytes { String(decoding: $0, as: UTF8.self) })
  }
}
