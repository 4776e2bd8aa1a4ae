import KeyplanModel

/// The documents about the signatures, sign-ins and errors that AWS's services have in common.
enum AWSSources {
  static let judges = "moto 5.2.5 and ministack 1.5.33 (PyPI), servers that judge it"

  static let common = [
    CitedDocument(
      "botocore 1.44.5 (PyPI): credentials.py, utils.py, auth.py, data/sts, data/sso, endpoints.json",
      of: [.request, .answer]),
    CitedDocument("botocore 1.44.5 (PyPI): retries/standard.py, data/_retry.json, data/sts", of: [.outcome]),
    CitedDocument(
      "docs.amazonaws.cn/en_us/IAM/latest/APIReference/CommonErrors, read 2026-11-29", of: [.outcome]),
  ]
}

extension SecretsManagerBackend {
  static let sources =
    [
      CitedDocument(
        "botocore 1.44.5 (PyPI): data/secretsmanager/2017-10-17/service-2.json",
        of: [.request, .answer, .outcome, .names, .limits, .effect]),
      CitedDocument(AWSSources.judges, of: [.request, .answer, .outcome]),
      CitedDocument(
        "docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits, read 2026-11-29", of: [.limits, .pace]),
    ] + AWSSources.common
}

extension ParameterStoreBackend {
  static let sources =
    [
      CitedDocument(
        "botocore 1.44.5 (PyPI): data/ssm/2014-11-06/service-2.json",
        of: [.request, .answer, .outcome, .names, .limits]),
      CitedDocument(AWSSources.judges, of: [.request, .answer, .outcome, .effect]),
    ] + AWSSources.common
}

extension AccessKeyBackend {
  static let sources =
    [
      CitedDocument(
        "botocore 1.44.5 (PyPI): data/iam/2010-05-08/service-2.json", of: [.request, .answer, .outcome, .names]),
      CitedDocument(AWSSources.judges, of: [.request, .answer, .outcome]),
      CitedDocument("docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas, read 2026-11-29", of: [.limits]),
    ] + AWSSources.common
}
