import Foundation
import Testing

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
}
