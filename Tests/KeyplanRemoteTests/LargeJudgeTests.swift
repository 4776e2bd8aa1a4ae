import Foundation
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The judges that need large clients, or programs of their own: `scripts/setup-judges.sh` installs them.
@Suite struct LargeJudgeTests {
  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_JUDGES"]

  @Test(
    "the vendor's own client reads what keyplan writes, and keyplan reads what the client writes",
    .enabled(
      if: Judge.areInstalled(Judge.large.map(\.package), in: python),
      "run scripts/setup-judges.sh, and set KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python"),
    arguments: Judge.large)
  func judged(by judge: Judge) async throws {
    try await JudgeTests.judge(judge, python: try #require(Self.python))
  }

  /// Variables of GitHub: the program of GitHub knows no organization of the fake, so its schemas judge the requests.
  @Test(
    "what keyplan sends to GitHub fits GitHub's own schemas",
    .enabled(
      if: Judge.areInstalled(["githubkit", "githubkit-schemas"], in: python),
      "run scripts/setup-judges.sh, and set KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python"),
    arguments: ServiceSample.all.filter { $0.service == "github-variables" })
  func schemas(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    #expect(try await fake.run().write(["KP_A": "one"]) == ["KP_A": .done])
    #expect(try await fake.run().write(["KP_A": "two"]) == ["KP_A": .done])
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "Fixtures/Judges/judge_schemas.py")
    var judged: [String] = []
    for (seen, body) in zip(try await fake.seen(), try await fake.bodies()) where seen.method != "GET" {
      let words = [try #require(Self.python), script.path, seen.method, seen.path, body]
      judged.append(try Child.answer(words, errors: true).text)
    }
    let isOrganization = sample.place["organization"] != nil
    let name = isOrganization ? "OrgsOrgActionsVariables" : "ReposOwnerRepoEnvironmentsEnvironmentNameVariables"
    #expect(judged == ["\(name)PostBody\n", "\(name)NamePatchBody\n"])
  }
}
