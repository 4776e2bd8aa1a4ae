/// One of AWS's services.
enum AWSService: String, Sendable {
  case secretsManager = "secretsmanager"
  case parameterStore = "ssm"
  case sts
  case kms

  /// The prefix of the header `X-Amz-Target`; nil for a service with the query protocol.
  var targetPrefix: String? {
    switch self {
    case .secretsManager: "secretsmanager"
    case .parameterStore: "AmazonSSM"
    case .kms: "TrentService"
    case .sts: nil
    }
  }

  /// The variables that replace its address, in order.
  var endpointVariables: [String] {
    let own =
      switch self {
      case .secretsManager: "SECRETS_MANAGER"
      case .parameterStore: "SSM"
      case .sts: "STS"
      case .kms: "KMS"
      }
    return ["AWS_ENDPOINT_URL_\(own)", "AWS_ENDPOINT_URL"]
  }

  /// The right in a policy that an action requires: `ssm:GetParameters`.
  func right(_ action: String) -> String {
    // Secrets are created with a tag.
    action == "CreateSecret" ? "\(rawValue):CreateSecret and \(rawValue):TagResource" : "\(rawValue):\(action)"
  }
}
