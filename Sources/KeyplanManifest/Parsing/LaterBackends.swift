import KeyplanCore

/// Planned backends that a manifest may name, but that this version does not support.
enum LaterBackends {
  static let all: [BackendDescription] = [
    source("age"), source("awsps", "AWS Parameter Store"), source("awssm", "AWS Secrets Manager"),
    source(
      "cloudkit", "CloudKit",
      target: TargetGrammar(fields: [
        .init("container"), .init("environment"), .init("database"), .init("keyId"), .init("privateKey", .reference),
      ])),
    source("keychain"),
    BackendDescription(
      "kubernetes", title: "Kubernetes", isSupported: false,
      target: TargetGrammar(fields: [.init("context"), .init("namespace"), .init("name")])),
    source("op", "1Password"), source("pass"), source("sops"),
    source("vault", target: TargetGrammar(fields: [.init("connection"), .init("path")])),
  ]

  private static func source(
    _ name: String, _ title: String? = nil, target: TargetGrammar? = nil
  ) -> BackendDescription {
    BackendDescription(
      name, title: title, isSupported: false, hasConnection: true,
      reference: ReferenceGrammar(.place(what: "a place"), selector: .field, example: "\(name)://path", isLocal: false),
      target: target)
  }
}
