package import KeyplanSecrets

/// An access key, with a session token if it is temporary.
package struct AWSCredentials: Redacted, Sendable {
  package let accessKeyId: String
  package let secretAccessKey: SecretBox
  package var sessionToken: SecretBox?
  /// Seconds since 1970; nil if it is not known to expire.
  package var expires: Int64?
  /// The step of the search that found it, or that found the credential for assuming a role; nil if the manifest refers to it.
  package var step: String?

  /// Nil for an id that cannot be part of a header.
  package init?(
    _ accessKeyId: String?, _ secretAccessKey: SecretBox?, token sessionToken: SecretBox? = nil, expires: Int64? = nil
  ) {
    guard let accessKeyId, let secretAccessKey, secretAccessKey.count > 0, !accessKeyId.isEmpty,
      accessKeyId.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") })
    else { return nil }
    self.accessKeyId = accessKeyId
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken.flatMap { $0.count > 0 ? $0 : nil }
    self.expires = expires
  }
}
