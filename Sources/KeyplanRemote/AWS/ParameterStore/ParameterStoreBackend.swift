package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// AWS Systems Manager Parameter Store, through one connection.
package struct ParameterStoreBackend: RemoteBackend {
  package static let backend = BackendDescription(
    "awsps", title: "AWS Parameter Store", help: "Parameters in AWS Systems Manager Parameter Store.",
    connection: AWSConnection.grammar(
      .parameterStore,
      [
        BackendField(
          "kmsKey", example: "alias/app",
          help: "The KMS key of the parameters. Default: aws/ssm, also for a parameter that had another key before."),
        BackendField(
          "tier", .choice(["Standard", "Advanced", "Intelligent-Tiering"]),
          help: "The tier of the parameters. Values over 4 KiB require the advanced tier, which AWS charges for. "
            + "Default: the account's setting."),
      ]),
    reference: ReferenceGrammar(
      .place(
        what: "the name or ARN of a parameter", pattern: try? FormatPattern(#"[A-Za-z0-9/_.:-]{1,2048}"#)),
      selector: .field, example: "awsps://prod/app/DB_PASSWORD", isLocal: false,
      help:
        "A parameter by its name or ARN, or the member of its JSON object after `#`. The `/` at the beginning of a path "
        + "can be left out. `NAME:3` reads version 3, and `NAME:LABEL` the version with a label."),
    target: TargetGrammar(
      fields: [
        BackendField(
          "path", .path, isRequired: true, example: "prod/app",
          help: "The path of the parameters: each name is the SecureString /PATH/NAME. "
            + "AWS allows none that begins with aws or ssm.")
      ],
      names: NameRule(
        (try? FormatPattern(#"[A-Za-z0-9_.-]{1,128}"#)).map { .pattern($0) } ?? .variable),
      limits: TargetGrammar.Limits(valueBytes: ParameterStoreAPI.valueLimit)),
    pace: Pace(concurrency: 4))

  private let session: AWSSession
  package let source: (any SecretSource)?
  package let target: (any SecretTarget)?

  /// Sends nothing.
  package init(_ context: ConnectionContext) {
    session = AWSSession(context)
    source = ParameterStoreSource(session: session)
    target = ParameterStoreTarget(session: session)
  }

  package func signedInAs() async -> SignedInAs { await session.signedInAs() }
}
