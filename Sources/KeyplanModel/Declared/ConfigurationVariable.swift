/// A variable that names files which affect what keyplan, or a program that it starts, contacts, trusts, sends or runs.
///
/// The environment is trusted, but a file that it names can be in a checkout, where a pull request controls its content.
package struct ConfigurationVariable: Hashable, Sendable {
  /// The kind of value that the variable has.
  package enum Content: Hashable, Sendable {
    case file
    /// Several files, separated by colons.
    case files
    case directory
  }

  package let name: String
  package let content: Content
  /// The option of a store's address with the same meaning.
  package let option: String?
  /// The beginnings of the names of the backends that read it; an empty one for all that contact a service.
  package let backends: [String]
  /// The readers of the variable, for people.
  package let readers: String

  private init(
    _ name: String, _ content: Content = .file, option: String? = nil, backends: [String] = [], readBy readers: String
  ) {
    (self.name, self.content, self.option, self.backends, self.readers) = (name, content, option, backends, readers)
  }

  /// The paths in a value; none in an empty one.
  package func paths(in value: String) -> [String] {
    content == .files ? value.split(separator: ":").map(String.init) : value.isEmpty ? [] : [value]
  }

  /// Whether a connection to a backend reads it.
  package func isRead(by backend: String) -> Bool { backends.contains(where: backend.hasPrefix) }

  package static let all: [ConfigurationVariable] = services + databases + tools

  /// With a name.
  package static func named(_ name: String) -> ConfigurationVariable? { byName[name] }
  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  private static let services: [ConfigurationVariable] = {
    let (aws, google) = ("AWS connections", "Google Cloud connections")
    let (azure, vault) = ("Azure connections", "Vault connections")
    return [
      .init("KUBECONFIG", .files, backends: ["kubernetes"], readBy: "Kubernetes connections"),
      .init("AWS_CONFIG_FILE", backends: ["aws"], readBy: aws),
      .init("AWS_SHARED_CREDENTIALS_FILE", backends: ["aws"], readBy: aws),
      .init("AWS_CA_BUNDLE", backends: ["aws"], readBy: aws),
      .init("AWS_WEB_IDENTITY_TOKEN_FILE", backends: ["aws"], readBy: aws),
      .init("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", backends: ["aws"], readBy: aws),
      .init("GOOGLE_APPLICATION_CREDENTIALS", backends: ["gcp"], readBy: google),
      .init("CLOUDSDK_CONFIG", .directory, backends: ["gcp"], readBy: google),
      .init("AZURE_CLIENT_CERTIFICATE_PATH", backends: ["azure"], readBy: azure),
      .init("AZURE_FEDERATED_TOKEN_FILE", backends: ["azure"], readBy: azure),
      .init("VAULT_CACERT", backends: ["vault"], readBy: vault),
      .init("BAO_CACERT", backends: ["vault"], readBy: vault),
      .init("VAULT_CLIENT_CERT", backends: ["vault"], readBy: vault),
      .init("BAO_CLIENT_CERT", backends: ["vault"], readBy: vault),
      .init("VAULT_CLIENT_KEY", backends: ["vault"], readBy: vault),
      .init("BAO_CLIENT_KEY", backends: ["vault"], readBy: vault),
      .init("SSL_CERT_FILE", backends: [""], readBy: "all connections, accounts and checks; stores on a server"),
    ]
  }()

  private static let databases: [ConfigurationVariable] = {
    let reader = "stores on a server"
    return [
      .init("PGSERVICEFILE", option: "servicefile", readBy: reader),
      .init("PGSYSCONFDIR", .directory, readBy: reader),
      .init("PGPASSFILE", option: "passfile", readBy: reader),
      .init("PGSSLROOTCERT", option: "sslrootcert", readBy: reader),
      .init("PGSSLCERT", option: "sslcert", readBy: reader),
      .init("PGSSLKEY", option: "sslkey", readBy: reader),
      .init("PGSSLCRL", option: "sslcrl", readBy: reader),
      .init("PGSSLCRLDIR", .directory, option: "sslcrldir", readBy: reader),
    ]
  }()

  private static let tools: [ConfigurationVariable] = [
    .init("GNUPGHOME", .directory, readBy: "`pass` sources"),
    .init("OP_CONFIG_DIR", .directory, readBy: "1Password sources"),
    .init("XDG_CONFIG_HOME", .directory, readBy: "keyplan; `age`, `sops` and 1Password sources"),
    .init("SOPS_AGE_KEY_FILE", readBy: "`age` and `sops` sources"),
    .init("SOPS_AGE_SSH_PRIVATE_KEY_FILE", readBy: "`age` and `sops` sources"),
    .init("OPENSSL_CONF", readBy: "the TLS library of keyplan"),
    .init("OPENSSL_MODULES", .directory, readBy: "the TLS library of keyplan"),
    .init("OPENSSL_ENGINES", .directory, readBy: "the TLS library of keyplan"),
    .init("SSL_CERT_DIR", .directory, readBy: "the TLS library of keyplan"),
  ]
}
