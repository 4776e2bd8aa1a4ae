import Foundation
import TestTools
import Testing

/// The credential chains against google-auth and azure-identity, in the same environments and with the same fake.
@Suite("Credentials of a machine, as the vendors' clients find them") struct AmbientJudgeTests {
  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_JUDGES"]

  @Test(
    "are the same that the vendors' clients find",
    .enabled(
      if: Judge.areInstalled(Judge.large.map(\.package), in: python),
      "run scripts/setup-judges.sh, and set KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python"))
  func judged() async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/Judges/chains.py").path
    let list = String(decoding: try JSONEncoder().encode(AmbientChainTests.shared), as: UTF8.self)
    let answer = try Child.answer([try #require(Self.python), script, try AmbientChainTests.root(), list])
    let found = try JSONDecoder().decode([[String?]?].self, from: Data(answer.bytes))
    try #require(found.count == AmbientChainTests.shared.count)
    for (one, expected) in zip(AmbientChainTests.shared, found) {
      #expect(one.found.map { Array($0.prefix(2)) } == expected, "\(one.testDescription)")
    }
  }
}
