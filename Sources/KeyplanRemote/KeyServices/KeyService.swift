package import KeyplanModel
package import KeyplanSecrets
package import KeyplanServices

/// Seals identities with keys of key management services, and opens them.
///
/// Sources: the API reference of AWS KMS (2014-11-01), *Encrypt* and *Decrypt*; HashiCorp's API documentation of the transit secrets
/// engine.
package struct KeyService: Sendable {
  private let environment: RemoteEnvironment

  package init(_ environment: RemoteEnvironment) { self.environment = environment }

  /// Seals an identity with the credential of the environment.
  /// - Parameter login: the sign-in for opening it later; it is only recorded.
  package func seal(
    _ identity: SecretBox, recipient: String, with key: ServiceKey, login: KeyServiceLogin?
  ) async throws(AccessFailure) -> SealedIdentity {
    do throws(RemoteFailure) {
      let sealed =
        switch key {
        case .aws(let arn, let region):
          try await AWSKeyService(environment, region: region, login: nil).seal(identity, recipient, arn)
        case .transit(let address, let mount, let name):
          try await TransitKeyService(environment, address: address, login: nil).seal(identity, recipient, mount, name)
        }
      return SealedIdentity(recipient: recipient, key: key, login: login, sealed: sealed)
    } catch {
      throw error.asAccess
    }
  }

  /// The identity.
  package func open(_ identity: SealedIdentity) async throws(AccessFailure) -> SecretBox {
    do throws(RemoteFailure) {
      switch identity.key {
      case .aws(let arn, let region):
        return try await AWSKeyService(environment, region: region, login: identity.login)
          .open(identity.sealed, identity.recipient, arn)
      case .transit(let address, let mount, let name):
        return try await TransitKeyService(environment, address: address, login: identity.login)
          .open(identity.sealed, identity.recipient, mount, name)
      }
    } catch {
      throw error.asAccess
    }
  }

  static func context(
    _ backend: BackendDescription, _ values: [String: Connection.Value], _ environment: RemoteEnvironment
  ) -> ConnectionContext {
    ConnectionContext(Connection(Identifier(own: "identity"), to: backend, values), to: backend, in: environment)
  }

  /// The name of the entry in the context that has the recipient.
  static let contextName = "keyplan-recipient"
}
