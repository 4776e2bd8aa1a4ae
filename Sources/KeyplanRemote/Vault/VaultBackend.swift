package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// The key-value engines, versions 1 and 2, of HashiCorp Vault (developer.hashicorp.com/vault/api-docs) and OpenBao.
package struct VaultBackend: RemoteBackend {
  private let client: VaultClient
  private let vaultTarget: VaultTarget

  package init(_ context: ConnectionContext) {
    client = VaultClient(context)
    vaultTarget = VaultTarget(client)
  }

  package var source: (any SecretSource)? { VaultSource(client) }
  package var target: (any SecretTarget)? { vaultTarget }

  package func signedInAs() async -> SignedInAs { await client.signedInAs() }

  package func signOut() async { await client.signOut() }
}

extension VaultBackend {
  package static let backend = BackendDescription(
    "vault", title: "Vault", help: "Key-value secrets of HashiCorp Vault and OpenBao.",
    connection: connection(
      .init(
        "kv", .int(1...2),
        help: "The version of the key-value engine, if it cannot be looked up. The mount is then one part of the path.")
    ),
    reference: ReferenceGrammar(
      .place(what: "the path of a secret, beginning with its mount"), selector: .field,
      example: "vault://secret/app#key", isLocal: false,
      help: "A field of a secret. The field can be left out if there is only one; #key?version=3 is an earlier version."
    ),
    target: TargetGrammar(
      fields: [
        .init(
          "path", .path, isRequired: true, example: "secret/app",
          help:
            "The path of the secret, beginning with its mount, without data/ of API paths. The names are its fields.")
      ], names: NameRule(.text, longest: 512),
      limits: .init(valueBytes: VaultWrite.valueLimit, names: VaultWrite.namesAtOnce)),
    pace: Pace(concurrency: VaultClient.concurrency)
  ).inserting(VaultMount.data)

  /// The fields for reaching and logging in to a server, which its backends have in common.
  /// - Parameter own: the fields that only one of them has.
  static func connection(_ own: BackendField...) -> ConnectionGrammar {
    ConnectionGrammar(
      [
        .init(
          "address", .url, variables: ["VAULT_ADDR", "BAO_ADDR"], example: "https://vault.example.com:8200",
          help: "The server's address."),
        .init(
          "namespace", .path, variables: ["VAULT_NAMESPACE", "BAO_NAMESPACE"], isPlace: true,
          help: "The namespace of the secrets and of the login."),
        .init("auth", .method(methods), help: "How to log in; without it, a token is used."),
        .init(
          "token", .secret, variables: ["VAULT_TOKEN", "BAO_TOKEN"],
          help: "Where the token is found; by default in ~/.vault-token."),
      ] + own + [
        .init(
          "ca", .file, variables: ["VAULT_CACERT", "BAO_CACERT"],
          help: "The certificates (PEM) that the server's certificate must be signed by."),
        .init(
          "clientCertificate", .file, variables: ["VAULT_CLIENT_CERT", "BAO_CLIENT_CERT"],
          help: "The client certificate (PEM)."),
        .init(
          "clientKey", .file, variables: ["VAULT_CLIENT_KEY", "BAO_CLIENT_KEY"],
          help: "The private key of the client certificate (PEM, without a password)."),
        .init(
          "nodes", .urls, example: "[https://vault-2.example.com:8200]",
          help: "The addresses of other nodes of the cluster, to which a standby node may redirect."),
      ], isOptional: true)
  }

  private static let methods: [BackendMethod] = [
    BackendMethod(
      "approle",
      [
        .init("roleId", isRequired: true, help: "The id of the role."),
        .init("secretId", .secret, help: "Where the secret id is found."),
        .init("wrappedSecretId", .secret, help: "Where the token is found that wraps the secret id."),
        mount("approle"),
      ], help: "A role id and a secret id."),
    BackendMethod(
      "jwt",
      [
        .init("role", isRequired: true, help: "The role."),
        .init("token", .identityToken, isRequired: true, help: "The token that the CI service issues for the job."),
        mount("jwt"),
      ], help: "A JSON Web Token, such as a CI service issues."),
    BackendMethod(
      "kubernetes",
      [
        .init("role", isRequired: true, help: "The role."),
        .init("token", .identityToken, help: "The token of the service account; by default that of the pod."),
        mount("kubernetes"),
      ], help: "The token of a Kubernetes service account."),
    BackendMethod(
      "cert",
      [.init("name", help: "The name of the certificate's role; by default any that fits."), mount("cert")],
      help: "The client certificate."),
  ]

  private static func mount(_ name: String) -> BackendField {
    .init("mount", .path, default: name, help: "The path at which the login method is mounted.")
  }
}
