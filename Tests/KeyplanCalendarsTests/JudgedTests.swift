import Foundation
import Testing

/// Google's client is large, so it is not among what every test run installs.
@Suite struct JudgedTests {
  private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] ?? "python3"
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [python] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private static let hasClient = (try? run(["-c", "import googleapiclient"]))?.status == 0

  @Test(
    "Google's own client takes the fake for Google Calendar",
    .enabled(if: hasClient, "install google-api-python-client for the Python in KEYPLAN_TEST_PYTHON"))
  func google() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/judge_google.py")
    let answer = try Self.run([script.path, try #require(FakeServices.shared).root])
    #expect(answer.output == "as Google's\n")
  }
}
