package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// AWS Secrets Manager, through one connection.
package struct SecretsManagerBackend: RemoteBackend {
  package static let backend = BackendDescription(
    "awssm", title: "AWS Secrets Manager", help: "Secrets in AWS Secrets Manager.",
    connection: AWSConnection.grammar(
      .secretsManager,
      [
        BackendField(
          "kmsKey", example: "alias/app",
          help: "The KMS key of secrets that keyplan creates. Default: aws/secretsmanager.")
      ]),
    reference: ReferenceGrammar(
      .place(
        what: "the name or ARN of a secret",
        pattern: try? FormatPattern(#"[A-Za-z0-9/_+=.@:-]{1,2048}"#)),
      selector: .field, example: "awssm://prod/db#password", isLocal: false,
      help: "A secret by its name or ARN, or the member of its JSON object after `#`. "
        + "`NAME:STAGE` reads the version with a staging label, such as AWSPREVIOUS, and `NAME:ID` the version with "
        + "an ID."
    ),
    target: TargetGrammar(
      fields: [
        BackendField(
          "secret", .path, example: "prod/app",
          help: "The name of one secret whose JSON object has each name as a member. Other members are kept."),
        BackendField(
          "prefix", .path, example: "prod/app",
          help: "Used instead of `secret`: each name is a secret of its own, PREFIX/NAME."),
      ], choices: [["secret"], ["prefix"]],
      limits: TargetGrammar.Limits(valueBytes: SecretsManagerAPI.valueLimit)),
    pace: Pace(concurrency: 4))

  private let session: AWSSession
  package let source: (any SecretSource)?
  package let target: (any SecretTarget)?

  /// Sends nothing.
  package init(_ context: ConnectionContext) {
    session = AWSSession(context)
    source = SecretsManagerSource(session)
    target = SecretsManagerTarget(session)
  }

  package func signedInAs() async -> SignedInAs { await session.signedInAs() }
}
