internal import KeyplanAge
internal import KeyplanModel
package import KeyplanRemote
package import KeyplanReporting
internal import KeyplanSecrets

/// The key of a key management service that seals a new identity, and the login that opening it requires.
package struct IdentitySealing: Sendable {
  package let key: ServiceKey
  package let login: KeyServiceLogin?

  /// - Throws: wrong usage, if the texts name no key, or only part of a login.
  package init(
    key: String, role: String?, audience: String?, variable: String?, mount: String?
  ) throws(Failure) {
    guard let key = ServiceKey(key) else {
      throw Failure(
        .usage, "Invalid key",
        "--kms takes the ARN of a key of AWS KMS, or the address of a key of Vault's transit engine.",
        hint: "For example: arn:aws:kms:eu-central-1:123456789012:key/1234abcd-…, or "
          + "https://vault.example.com/v1/transit/keys/keyplan")
    }
    self.key = key
    let token: KeyServiceLogin.Token?
    switch (audience, variable) {
    case (nil, nil): token = nil
    case (let audience?, nil): token = .github(audience: audience)
    case (nil, let variable?): token = .variable(variable)
    case (_?, _?):
      throw Failure(.usage, "Two tokens", "--audience and --token-variable cannot be used together.")
    }
    guard (role == nil) == (token == nil), mount == nil || token != nil else {
      throw Failure(
        .usage, "Incomplete login",
        "--role requires --audience (GitHub Actions) or --token-variable, and the other way around.",
        hint: "Leave all of them out if the job's environment has a credential for the service.")
    }
    if case .aws = key, let mount {
      throw Failure(.usage, "Invalid login", "--mount \(mount) is for Vault, and the key is one of AWS.")
    }
    login = role.flatMap { role in token.map { KeyServiceLogin(role: role, token: $0, mount: mount) } }
  }

  /// Has the service seal an identity, with the credential of the environment.
  nonisolated(nonsending) func line(for identity: Identity, in world: World) async throws(Failure) -> String {
    let service = KeyService(try world.remoteEnvironment(world.directory))
    let secret = SecretBox(try Identities.exported(identity))
    do throws(AccessFailure) {
      return try await service.seal(
        secret, recipient: identity.recipient.description, with: key, login: login
      ).text
    } catch {
      throw Failure(.failed, "Identity not created", "\(key): \(error.reason)", hint: error.hint)
    }
  }
}
