package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// The access keys of IAM users, through one connection.
package struct AccessKeyBackend: RemoteBackend {
  static let user = BackendField(
    "user", .name, isRequired: true, pattern: try? FormatPattern(#"[\w+=,.@-]{1,128}"#), example: "ci",
    help: "The name of the IAM user whose access keys are made. AWS allows two of them.")

  package static let backend = BackendDescription(
    "aws-keys", title: "AWS IAM access keys", help: "Access keys of IAM users are made and revoked through IAM.",
    connection: AWSConnection.grammar(.iam, []),
    issuer: IssuerGrammar(fields: [user], parts: ["accessKeyId", "secretAccessKey"], canDisable: true),
    pace: Pace(concurrency: 4))

  private let session: AWSSession

  /// Sends nothing.
  package init(_ context: ConnectionContext) { session = AWSSession(context) }

  package var source: (any SecretSource)? { nil }
  package var target: (any SecretTarget)? { nil }
  package var issuer: (any KeyIssuing)? { AccessKeyIssuer(session: session) }

  package func signedInAs() async -> SignedInAs { await session.signedInAs() }
}
