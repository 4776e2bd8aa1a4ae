internal import KeyplanJSON
internal import KeyplanModel
package import KeyplanReporting
package import KeyplanSecrets

/// The output of a `credential_process`, which AWS's SDKs and command line read.
package struct AWSHelper: Sendable {
  /// The keys with the parts of the credential; `sessionToken` nil for one without.
  package let accessKeyId: String
  package let secretAccessKey: String
  package let sessionToken: String?
  /// Whether the session token may be missing from the store.
  private let isTokenOptional: Bool

  /// The parts of a key of several parts.
  package init(key: String) throws(Failure) {
    try HelperReading.check(name: key)
    (accessKeyId, secretAccessKey, sessionToken) = (
      key + ".accessKeyId", key + ".secretAccessKey", key + ".sessionToken"
    )
    isTokenOptional = true
  }

  /// Keys of their own.
  package init(accessKeyId: String, secretAccessKey: String, sessionToken: String?) throws(Failure) {
    try HelperReading.check(name: accessKeyId, "--access-key-id")
    try HelperReading.check(name: secretAccessKey, "--secret-access-key")
    if let sessionToken { try HelperReading.check(name: sessionToken, "--session-token") }
    (self.accessKeyId, self.secretAccessKey, self.sessionToken) = (accessKeyId, secretAccessKey, sessionToken)
    isTokenOptional = false
  }

  package nonisolated(nonsending) func credentials(in world: World) async throws(Failure) -> [String: HelperCredential]
  {
    let token = [sessionToken].compactMap(\.self)
    return try await HelperReading.credentials(
      named: [accessKeyId, secretAccessKey] + token, optional: isTokenOptional ? Set(token) : [], in: world)
  }

  /// Version 1. With an end, SDKs run the helper again some minutes before it; without one they never do.
  package func answer(_ credentials: [String: HelperCredential]) -> SecretBox {
    let end = credentials.values.compactMap(\.end).min()
    return JSONBody.object([
      ("Version", .number(1)), ("AccessKeyId", credentials[accessKeyId].map { .secret($0.value) }),
      ("SecretAccessKey", credentials[secretAccessKey].map { .secret($0.value) }),
      ("SessionToken", sessionToken.flatMap { credentials[$0] }.map { .secret($0.value) }),
      ("Expiration", end.map { .text("\($0)") }),
    ])
    .bytes()
  }

  /// - Parameter name: of the profile.
  package static func setup(_ line: HelperLine, name: String) -> String {
    """
    # In ~/.aws/config. The profile must have no aws_access_key_id there or in ~/.aws/credentials:
    [profile \(name)]
    credential_process = \(line.shell)

    """
  }
}
