/// One of AWS's services.
package enum AWSService: String, Sendable {
  case secretsManager = "secretsmanager"
  case parameterStore = "ssm"
  case sts
  case kms
  case iam

  /// The prefix of the header `X-Amz-Target`; nil for a service with the query protocol.
  package var targetPrefix: String? {
    switch self {
    case .secretsManager: "secretsmanager"
    case .parameterStore: "AmazonSSM"
    case .kms: "TrentService"
    case .sts, .iam: nil
    }
  }

  /// The version of its interface; nil for a service with JSON.
  package var queryVersion: String? {
    switch self {
    case .sts: "2011-06-15"
    case .iam: "2010-05-08"
    case .secretsManager, .parameterStore, .kms: nil
    }
  }

  /// Whether an AWS partition has one of it for all regions.
  package var isGlobal: Bool { self == .iam }

  /// Its host. A region can be any text that is replaced later.
  package func host(in region: String) -> String {
    isGlobal ? "\(rawValue).amazonaws.com" : "\(rawValue).\(region).amazonaws.com"
  }

  /// The variables that replace its address, in order.
  package var endpointVariables: [String] {
    let own =
      switch self {
      case .secretsManager: "SECRETS_MANAGER"
      case .parameterStore: "SSM"
      case .sts: "STS"
      case .kms: "KMS"
      case .iam: "IAM"
      }
    return ["AWS_ENDPOINT_URL_\(own)", "AWS_ENDPOINT_URL"]
  }

  /// The right in a policy that an action requires: `ssm:GetParameters`.
  package func right(_ action: String) -> String {
    // Secrets are created with a tag.
    action == "CreateSecret" ? "\(rawValue):CreateSecret and \(rawValue):TagResource" : "\(rawValue):\(action)"
  }
}
