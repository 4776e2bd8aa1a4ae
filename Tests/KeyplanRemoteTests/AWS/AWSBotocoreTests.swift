import Foundation
import KeyplanModel
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The chain against botocore, on which the AWS CLI is built.
@Suite(
  "Credentials, as botocore finds them",
  .enabled(if: AWSPeer.python != nil, "SKIPPED: run scripts/setup-aws.sh, which installs botocore"))
struct AWSBotocoreTests {
  struct Case: Encodable {
    var config = ""
    var credentials = ""
    var variables: [String: String] = [:]
    var profile: String?
  }

  private static func key(_ name: String) -> String {
    "aws_access_key_id = \(name)\naws_secret_access_key = secret of \(name)\n"
  }

  private static let printed = #"{"Version":1,"AccessKeyId":"TOOL","SecretAccessKey":"s"}"#
  private static let process = "credential_process = /bin/echo '\(printed)'\n"
  private static let variables = ["AWS_ACCESS_KEY_ID": "VARIABLE", "AWS_SECRET_ACCESS_KEY": "s"]

  private static let cases: [Case] = [
    Case(),
    Case(config: "[default]\nregion = a\n\(key("A"))"),
    Case(config: "[profile default]\nregion = a\n\(key("A"))"),
    Case(config: "[default]\nregion = b\n\(key("B"))[profile default]\nregion = a\n\(key("A"))"),
    Case(config: "[profile \"my profile\"]\nregion = x\n\(key("A"))", profile: "my profile"),
    Case(config: "[profile 'single']\nregion = x\n\(key("A"))", profile: "single"),
    Case(config: "[profile   spaces]\nregion = x\n\(key("A"))", profile: "spaces"),
    Case(config: "[default]\nregion = a # no comment\n\(key("A"))"),
    Case(config: "# comment\n; comment\n\n[default]\nREGION=a\n\(key("A"))"),
    Case(config: "[default]\nregion: a\n\(key("A"))"),
    Case(config: "[default]\ns3 =\n  region = other\nregion = a\n\(key("A"))"),
    Case(config: "[default]\r\nregion = a\r\n\(key("A"))"),
    Case(config: "[default]\nregion = a\n\(key("A"))", credentials: "[default]\nregion = b\n\(key("B"))"),
    Case(config: "[profile p]\nregion = a\n\(key("A"))", variables: variables.merging(["AWS_PROFILE": "p"]) { $1 }),
    Case(config: "[profile p]\nregion = a\n\(key("A"))", variables: variables, profile: "p"),
    Case(variables: ["AWS_ACCESS_KEY_ID": "VARIABLE"]),
    Case(variables: variables.merging(["AWS_DEFAULT_REGION": "r"]) { $1 }),
    Case(config: "[default]\n\(process)\(key("A"))"),
    Case(config: "[default]\n\(process)", credentials: "[default]\n\(key("B"))"),
    Case(config: "[default]\n\(key("A"))", credentials: "[default]\naws_access_key_id = B\n"),
    Case(config: "[default]\naws_access_key_id = A\n", credentials: "[default]\naws_secret_access_key = b\n"),
    Case(credentials: "[p]\n\(key("A"))", profile: "p"),
    Case(credentials: "[profile p]\n\(key("A"))", profile: "p"),
    Case(variables: ["AWS_PROFILE": "nobody"]),
    Case(config: "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\n"),
    Case(config: "[default]\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = nobody\n"),
  ]

  @Test("the same credential and region are found, or none")
  func same() async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures").standardized
      .appending(path: "aws_credentials.py").path
    let list = String(decoding: try JSONEncoder().encode(Self.cases), as: UTF8.self)
    let answer = try Child.answer([try #require(AWSPeer.python), script, list])
    let found = try JSONDecoder().decode([[String]?].self, from: Data(answer.bytes))
    try #require(found.count == Self.cases.count)
    for (one, expected) in zip(Self.cases, found) {
      var run = AWSRun()
      // botocore reads one variable for the region.
      run.variables = one.variables.merging(["AWS_EC2_METADATA_DISABLED": "true"]) { $1 }
      run.files = ["\(AWSRun.home)/.aws/config": one.config, "\(AWSRun.home)/.aws/credentials": one.credentials]
      run.programs.output["/bin/echo"] = Self.printed
      let declared = one.profile.map { ["profile": Connection.Value.text($0)] } ?? [:]
      let key = try? await run.credentials(declared).accessKeyId
      #expect(key == expected?[0], "\(one)")
      let region = try? await run.configuration(declared).region()
      // A text that cannot be a region is refused.
      if let expected, AWSEndpoint.isRegion(expected[1]) { #expect(region == expected[1], "\(one)") }
    }
  }
}
