import KeyplanModel
import KeyplanServices

/// The fields of connections to AWS's services.
enum AWSConnection {
  /// - Parameters:
  ///   - service: its host gets a credential, in addition to that of STS.
  ///   - options: the service's own fields.
  static func grammar(_ service: AWSService, _ options: [BackendField]) -> ConnectionGrammar {
    ConnectionGrammar(
      fields + options, hosts: [service, .sts].map { $0.host(in: "{region}") }, isOptional: true)
  }

  private static let fields: [BackendField] = [
    BackendField(
      "region", .label, variables: ["AWS_REGION", "AWS_DEFAULT_REGION"], isPlace: true, example: "eu-central-1",
      help: "The region. Default: the region of the profile."),
    BackendField(
      "profile", .name, variables: ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"], example: "ci",
      help: "The profile of the AWS configuration files."),
    BackendField(
      "role", pattern: try? FormatPattern(#"arn:[a-z-]{3,16}:iam::\d{12}:role/[\w+=,.@/-]{1,576}"#),
      example: "arn:aws:iam::123456789012:role/ci",
      help: "The ARN of a role to assume: with the token in jwt, or with the credential that was found otherwise."),
    BackendField(
      "jwt", .identityToken, help: "The token of a CI job, for the role."),
    BackendField("accessKeyId", .secret, help: "Where the access key ID is found."),
    BackendField("secretAccessKey", .secret, help: "Where the secret access key is found."),
    BackendField("sessionToken", .secret, help: "Where the session token of a temporary access key is found."),
  ]
}
