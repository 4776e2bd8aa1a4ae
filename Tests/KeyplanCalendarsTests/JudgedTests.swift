import Foundation
import TestTools
import Testing

/// The fakes that the other tests ask are judged by the vendors' own clients, and by the schemas in those.
@Suite struct JudgedTests {
  enum Judge: String, CaseIterable, Sendable {
    case google, graph

    var vendor: String { self == .google ? "Google" : "Microsoft" }
  }

  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  /// In CI they have to be there.
  private static let haveClients = ProcessInfo.processInfo.environment["CI"] != nil || canImport

  private static let canImport: Bool = {
    guard let python else { return false }
    return (try? Child.answer([python, "-c", "import googleapiclient, msgraph"]))?.status == 0
  }()

  @Test(
    "the vendors' own clients take the fakes of their calendars",
    .enabled(if: haveClients, "run make setup-test, and set KEYPLAN_TEST_PYTHON"),
    arguments: Judge.allCases)
  func judged(by judge: Judge) throws {
    let python = try #require(Self.python, "run make setup-test: KEYPLAN_TEST_PYTHON")
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let script = folder.appending(path: "Fixtures/judge_\(judge).py").path
    let answer = try Child.answer([python, script, try #require(FakeServices.shared).root], errors: true)
    #expect(answer.text == "as \(judge.vendor)'s\n")
  }
}
