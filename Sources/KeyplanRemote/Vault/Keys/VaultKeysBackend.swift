package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// The engines of HashiCorp Vault and OpenBao that make credentials with a user name and a password
/// (developer.hashicorp.com/vault/api-docs/secret/databases and …/system/leases, read 2026-11-28). OpenBao 2.7.2 judges it.
package struct VaultKeysBackend: RemoteBackend {
  private let client: VaultClient

  package init(_ context: ConnectionContext) { client = VaultClient(context) }

  package var source: (any SecretSource)? { nil }
  package var target: (any SecretTarget)? { nil }
  package var issuer: (any KeyIssuing)? { VaultIssuer(client) }

  package func signedInAs() async -> SignedInAs { await client.signedInAs() }

  package func signOut() async { await client.signOut() }
}

extension VaultKeysBackend {
  package static let backend = BackendDescription(
    "vault-keys", title: "Vault dynamic credentials",
    help: "User names and passwords that HashiCorp Vault and OpenBao make in databases and other systems.",
    connection: VaultBackend.connection(),
    issuer: IssuerGrammar(
      fields: [
        .init(
          "mount", .path, default: "database", isPlace: true,
          help: "The path at which the secrets engine is mounted."),
        .init("role", .name, isRequired: true, isPlace: true, help: "The role of the secrets engine."),
      ], parts: ["password", "username"], canRenew: true),
    pace: Pace(concurrency: VaultClient.concurrency))
}
