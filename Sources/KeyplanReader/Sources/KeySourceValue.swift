public import KeyplanSecrets

/// A value as a source gives it.
public struct KeySourceValue: Sendable, Redacted {
  /// The value itself.
  public let value: SecretBox
  /// The name of the key; of a slot, that of the active key.
  public let name: String
  /// The source's own mark of this version, such as an ETag or a change tag, for conditional requests; nil if it has none.
  public let version: String?
  /// The provider that the manifest names.
  public let provider: String?
  /// The environment variable in which programs expect it.
  public let variable: String?
  /// The time at which the value expires, in seconds since 1970.
  public let expires: Int64?
  /// The time from which it must not be served, in seconds since 1970.
  public let endsAt: Int64?

  /// Omitted facts are unknown.
  public init(
    _ value: SecretBox, name: String, version: String? = nil, provider: String? = nil, variable: String? = nil,
    expires: Int64? = nil, endsAt: Int64? = nil
  ) {
    (self.value, self.name, self.version, self.provider) = (value, name, version, provider)
    (self.variable, self.expires, self.endsAt) = (variable, expires, endsAt)
  }
}
