import KeyplanCore

/// Planned backends that a manifest may name, but that this version does not support.
enum LaterBackends {
  static let all: [BackendDescription] = [
    source("age"), source("awsps", "AWS Parameter Store", fields: aws),
    source("awssm", "AWS Secrets Manager", fields: aws),
    source("keychain"),
    BackendDescription(
      "kubernetes", title: "Kubernetes", isSupported: false,
      target: TargetGrammar(fields: [
        .init("context", help: "The Kubernetes context."), .init("namespace", help: "The Kubernetes namespace."),
        .init("name", help: "The name of the Kubernetes secret."),
      ])),
    source(
      "op", "1Password",
      target: TargetGrammar(fields: [
        .init("vault", help: "The 1Password vault."), .init("item", help: "The item in the 1Password vault."),
      ])),
    source("pass"), source("sops"),
    source(
      "vault",
      fields: [
        .init("address", .url, help: "The vault's https:// address."),
        .init("token", .secret, help: "Where the token for signing in is found."),
        .init("namespace", .path, isPlace: true, help: "The vault's namespace."),
      ],
      target: TargetGrammar(fields: [.init("path", .path, help: "The path of the secret in the vault.")])),
  ]

  private static let aws: [BackendField] = [
    .init("region", .label, isPlace: true, help: "The region of the cloud."),
    .init("profile", help: "The profile of the cloud's own configuration."),
  ]

  private static func source(
    _ name: String, _ title: String? = nil, fields: [BackendField] = [], target: TargetGrammar? = nil
  ) -> BackendDescription {
    BackendDescription(
      name, title: title, isSupported: false, connection: ConnectionGrammar(fields, isOptional: true),
      reference: ReferenceGrammar(.place(what: "a place"), selector: .field, example: "\(name)://path", isLocal: false),
      target: target)
  }
}
