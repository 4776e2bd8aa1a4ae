import Foundation
import Testing

@Suite("Checking a command target")
struct BackendCheckTests {
  /// Keeps values in `values.json`. What it does wrong is in `FAULT`.
  private static let program = """
    import json, os, sys
    fault, place = os.environ.get("FAULT"), "values.json"
    values = json.load(open(place)) if os.path.exists(place) else {}
    if sys.argv[1] == "read":
        print(json.dumps({name: None for name in values} if sys.argv[2:] else values))
    else:
        changes = json.load(sys.stdin)
        if fault == "refuses": sys.exit(1)
        for name, value in changes["set"].items():
            values[name] = value.strip() if fault == "strips" else value
        for name in changes["remove"]:
            if name not in values and fault == "removes once": sys.exit(1)
            if fault != "keeps": values.pop(name, None)
        json.dump(values, open(place, "w"))
        open("writes", "a").write("x")

    """

  private struct Report: Decodable {
    struct Check: Decodable {
      let rule: String
      let result: String
      let detail: String?
    }
    let checks: [Check]
    let leftovers: [String]

    func rules(_ result: String) -> [String] { checks.filter { $0.result == result }.map(\.rule) }
  }

  private func check(read: String, fault: String = "none") throws -> (report: Report, code: Int32, left: String) {
    let sandbox = try ProgramSandbox()
    sandbox.variables["FAULT"] = fault
    sandbox.variables["VALUE"] = "kp-value"
    let place = sandbox.root + "/place"
    try #require(mkdir(place, 0o755) == 0)
    try sandbox.write("import os\nos.chdir(\"\(place)\")\n" + Self.program, to: "program.py")
    try sandbox.write(
      """
      version: 1
      keys: { payments: { provider: generic, variable: PAYMENTS, source: env://VALUE } }
      targets:
        there:
          type: command
          command: [python3, ./program.py, write]\(read)
          variables: [FAULT]
          keys: { PAYMENTS: payments }

      """, to: "keyplan.yaml")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
    // Allows the programs, whether or not the first write succeeds.
    _ = try sandbox.keyplan("apply", "--yes", "--allow-overwrite")
    let answer = try sandbox.keyplan("backend", "check", "there", "--yes", "--json")
    let report = try JSONDecoder().decode(Report.self, from: Data(answer.out.utf8))
    let left = (try? String(contentsOfFile: place + "/values.json", encoding: .utf8)) ?? "{}"
    return (report, answer.code, left)
  }

  private static let shows = "\n    read: [python3, ./program.py, read]"
  private static let hides = "\n    read: [python3, ./program.py, read, names]"

  @Test func `that cannot be read checks its writes, and says of the other rules that they do not apply`() throws {
    let (report, code, left) = try check(read: "")
    #expect(code == 0 && report.leftovers == [])
    #expect(left == #"{"PAYMENTS": "kp-value"}"#)
    #expect(
      report.rules("passed") == [
        "Two names are written.", "The same can be written again.",
        "Names are removed, and removing them again is no error.",
      ])
    let skipped = report.checks.filter { $0.result == "skipped" }
    #expect(skipped.count == 3 && report.checks.count == 6)
    #expect(
      skipped.allSatisfy { $0.detail == "The target has no \"read\" command, so it does not show what is there." })
  }

  @Test func `that cannot be read fails if its program does`() throws {
    let refused = try check(read: "", fault: "refuses")
    #expect(refused.code == 1 && refused.report.rules("failed").count == 3)
    #expect(refused.report.leftovers.count == 2, "nobody knows what is there")
    let once = try check(read: "", fault: "removes once")
    #expect(once.code == 1)
    #expect(once.report.rules("failed") == ["Names are removed, and removing them again is no error."])
  }

  @Test func `that shows its values checks that they come back`() throws {
    let good = try check(read: Self.shows)
    #expect(good.code == 0 && good.left == #"{"PAYMENTS": "kp-value"}"#)
    #expect(good.report.rules("passed").count == 11, "\(good.report)")
    #expect(good.report.rules("skipped").count == 1)
    let strips = try check(read: Self.shows, fault: "strips")
    #expect(strips.code == 1)
    #expect(
      strips.report.rules("failed") == [
        "A value with quotes and backslashes comes back unchanged, or is refused.",
        "A value with several lines comes back unchanged, or is refused.",
        "A value with blanks at the ends comes back unchanged, or is refused.",
      ])
    let keeps = try check(read: Self.shows, fault: "keeps")
    #expect(keeps.code == 1)
    #expect(keeps.report.rules("failed") == ["Names are removed, and removing them again is no error."])
  }

  @Test func `that shows names only checks that they are there, and not their values`() throws {
    let (report, code, _) = try check(read: Self.hides)
    #expect(code == 0)
    #expect(report.rules("passed").count == 4, "\(report)")
    let skipped = report.checks.filter { $0.result == "skipped" }.compactMap(\.detail)
    #expect(skipped.count == 8)
    #expect(skipped.contains("It is accepted. The place does not show values."))
    let keeps = try check(read: Self.hides, fault: "keeps")
    #expect(keeps.code == 1)
  }
}
