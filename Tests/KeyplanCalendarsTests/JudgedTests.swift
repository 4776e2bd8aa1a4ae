import Foundation
import TestTools
import Testing

/// Google's client is large, so it is not among what every test run installs.
@Suite struct JudgedTests {
  private static func run(_ arguments: [String]) throws -> Child.Answer {
    try Child.answer(
      [ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] ?? "python3"] + arguments, errors: true)
  }

  private static let hasClient = (try? run(["-c", "import googleapiclient"]))?.status == 0

  @Test(
    "Google's own client takes the fake for Google Calendar",
    .enabled(if: hasClient, "install google-api-python-client for the Python in KEYPLAN_TEST_PYTHON"))
  func google() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/judge_google.py")
    let answer = try Self.run([script.path, try #require(FakeServices.shared).root])
    #expect(answer.text == "as Google's\n")
  }
}
