import Foundation
import Testing

/// The same as `RemoteKillTests` at moto, which checks signatures. scripts/setup-aws.sh installs it.
@Suite("A write at AWS that a killed apply did not record")
struct AWSKillTests {
  static let cases = [
    RemoteKillTests.Case(
      service: "awssm", fake: "aws_peer.py", root: "", connection: "region: eu-central-1", isFoundByEnvironment: true,
      target: "secret: prod/app", write: "^POST .*(CreateSecret|PutSecretValue)"),
    RemoteKillTests.Case(
      service: "awsps", fake: "aws_peer.py", root: "", connection: "region: eu-central-1", isFoundByEnvironment: true,
      target: "path: prod/app", write: "^POST .*PutParameter"),
  ]

  /// A Python that has moto; nil if there is none.
  static let python: String? = {
    let usual = RemoteKillTests.fixtures.appending(path: "../../../.build-venv-aws/bin/python").standardized.path
    let path = ProcessInfo.processInfo.environment["KEYPLAN_TEST_AWS_PYTHON"] ?? usual
    return access(path, X_OK) == 0 ? path : nil
  }()

  @Test(
    "is found by the next apply, which ends as if nothing had happened",
    .enabled(if: python != nil, "SKIPPED: run scripts/setup-aws.sh, which installs moto"), arguments: cases)
  func killed(_ test: RemoteKillTests.Case) throws { try RemoteKillTests().killed(test) }
}
