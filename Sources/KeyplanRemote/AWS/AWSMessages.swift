import KeyplanServices

/// The reasons and hints for failures at AWS, as sentences. None contains a value or text of a service's answer.
enum AWSMessages {
  static let scheduledForDeletion = "The secret is scheduled for deletion."
  static let deniedKey = "The KMS key cannot be used: the identity lacks a right, or the key is disabled or missing."
  static let allowKey = "Allow kms:Decrypt for the key (to write, also kms:Encrypt and kms:GenerateDataKey)."
  static func allow(_ right: String) -> String { "Allow \(right) for this resource in the identity's policy." }
  /// The meaning of a refusal, and a hint, by the service's code.
  static func refusal(_ code: String, host: String) -> (reason: String, hint: String?)? {
    switch code {
    case "LimitExceededException", "ParameterLimitExceeded":
      ("The account has reached a quota of \(host).", "Delete what is not needed, or request a higher quota.")
    case "ParameterMaxVersionLimitExceeded":
      ("The oldest of the parameter's 100 versions has a label, so no version can be added.", "Move the label.")
    case "HierarchyLevelLimitExceededException": ("The path of the parameter has more than 15 levels.", nil)
    case "ValidationException", "InvalidParameterException", "ParameterPatternMismatchException":
      ("\(host) does not accept the name, the value or the key.", nil)
    default: nil
    }
  }
  static let overStandard = "A parameter of the standard tier has at most 4 KiB."
  static let useAdvanced = "Set `tier` to Advanced or Intelligent-Tiering in the connection."
  static let expired = "The session token has expired."
  static let signInAgain = "Sign in again, for example with `aws sso login`."
  static func clock(_ host: String, minutes: Int64) -> String {
    minutes == 0
      ? "\(host) rejected the time of the signature."
      : "\(host) rejected the signature: this machine's clock is \(abs(minutes)) minutes "
        + (minutes > 0 ? "ahead." : "behind.")
  }
  static let setClock = "Set this machine's clock."

  static let noRegion = "No AWS region is configured."
  static let setRegion = "Set `region` in the connection, or AWS_REGION."
  static func invalidRegion(_ region: String) -> String { "\"\(region)\" is not an AWS region." }
  static func unsupportedEndpoint(_ variable: String) -> String { "\(variable) is set, and is not supported." }

  static let chainHint =
    "Set `profile` or `role` in the connection, or AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
  static func partialKey(_ place: String) -> String {
    "The access key of \(place) is incomplete or has invalid characters."
  }
  static func noProfile(_ name: String) -> String {
    "The profile \"\(name)\" is in neither AWS configuration file."
  }
  static let listProfiles = "Run: aws configure list-profiles"
  static func needsMFA(_ name: String) -> String {
    "The profile \"\(name)\" has `mfa_serial`, and a plan cannot ask for a code."
  }
  static let useSession = "Get a session with AWS's own tools, and use its profile or its variables."
  static func sourceLoop(_ name: String) -> String { "The profile \"\(name)\" has itself as a source." }
  static func sourceChoice(_ name: String) -> String {
    "The profile \"\(name)\" has `role_arn`, and must have one of `source_profile` and `credential_source`."
  }
  static func unknownSource(_ name: String) -> String {
    "The profile \"\(name)\" has a `credential_source` other than Environment, Ec2InstanceMetadata or EcsContainer."
  }
  static func emptySource(_ name: String) -> String { "The source \"\(name)\" has no credential." }
  static let roleRejected = "STS did not let the identity assume the role."
  static let providerUnreachable = "STS could not reach the issuer of the web identity token."
  static let regionDisabled = "STS is not active for the account in this region."
  static let useOtherRegion = "Activate it in the account settings of IAM, or use another region."
  static let checkTrust = "Check the ARN of the role and its trust policy."
  static let tokenRejected = "STS rejected the web identity token, or the role does not trust it."
  static func noTokenFile(_ path: String) -> String { "The web identity token is missing at \(path)." }
  static let noCredentials = "The sign-in response has no credential."
  static func noSession(_ profile: String) -> String {
    "The profile \"\(profile)\" is not signed in to IAM Identity Center."
  }
  static func sessionExpired(_ profile: String) -> String {
    "The IAM Identity Center session of the profile \"\(profile)\" has expired."
  }
  static func login(_ profile: String) -> String { "Run: aws sso login --profile \(profile)" }
  static func partialSSO(_ profile: String) -> String {
    "The profile \"\(profile)\" has an incomplete configuration of IAM Identity Center."
  }
  static let processLine = "The command line has a quote without its end."
  static func processFailed(_ code: Int32) -> String { "The program exited with code \(code)." }
  static let processOutput = "The program did not print a credential in the expected form (Version 1)."
  static let processExpired = "The program printed a credential that has expired."
  static let containerAddress = "The address of the container's credentials is not one of the hosts that AWS uses."
  static func metadataStatus(_ status: Int) -> String { "The metadata service answered with HTTP \(status)." }
  static let metadataForm = "The metadata service answered in another form than expected."
  static let tokenFileWithoutRole = "There is a web identity token, but no role to assume with it."
  static func consoleSession(_ profile: String) -> String {
    "The profile \"\(profile)\" uses a session of the AWS console, which keyplan cannot use."
  }
  static let exportSession =
    "Use a profile with `credential_process = aws configure export-credentials --format process`."
  static let tokenWithoutRole = "The field \"jwt\" requires the field \"role\"."
  static let missingPair = "Both accessKeyId and secretAccessKey must be set."

  static func invalidSecret(region: String) -> String {
    "The reference must be the name of a secret, or the ARN of one in the region \(region)."
  }
  static let notAnObject = "The value is not a JSON object."
  static let useObject = "Use another secret, or `prefix` in place of `secret`."
  static func noField(_ name: String) -> String { "The JSON object has no member \"\(name)\"." }
  static func fieldNotText(_ name: String) -> String {
    "The member \"\(name)\" of the JSON object is not a string, a number or a boolean."
  }
  static let memberNotText = "The member of the JSON object is not a string, and is not replaced."
  static let objectTooLarge = "The JSON object would be larger than 65,536 bytes."
  static let secretOrPrefix = "A target in AWS Secrets Manager must have either `secret` or `prefix`."
  static let setOneOfThem = "Set `secret` for one JSON object, or `prefix` for one secret per name."
  static let scheduledByOthers = "The secret is scheduled for deletion, and was not created by keyplan."
  static func restore(_ secret: String) -> String {
    "Run: aws secretsmanager restore-secret --secret-id \(secret)"
  }
  static let notOurs = "The secret was not created by keyplan, and is not deleted."
  static let deleteYourself = "Delete it with AWS's own tools, or add the tag managed-by=keyplan."

  static func invalidParameter(region: String) -> String {
    "The reference must be the name of a parameter, or the ARN of one in the region \(region)."
  }
  static let plainParameter = "The parameter is not a SecureString, and its type cannot be changed."
  static let deleteParameter = "Delete the parameter, and it is created as a SecureString."
  static func concurrentWrite(_ version: Int64) -> String {
    "The parameter was also written by someone else; it is now at version \(version)."
  }

  static func noUser(_ user: String) -> String { "The account has no IAM user \"\(user)\"." }
  static let checkUser = "Check the name of the user and the account of the connection."
  static func twoKeys(_ user: String) -> String {
    "The IAM user \"\(user)\" already has two access keys, and AWS allows no more."
  }
  static func deleteKey(_ user: String) -> String {
    "Delete the one that is not in use. Run: aws iam list-access-keys --user-name \(user)"
  }
}
