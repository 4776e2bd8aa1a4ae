import Foundation
import Testing

/// What looks at pages.
private enum PageJudge {
  static let isReady = axe != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")

  static let axe: String? = {
    let judges = ReadmeTests.root.appending(path: ".build-judges/lib")
    let found = try? FileManager.default.contentsOfDirectory(atPath: judges.path).map {
      judges.appending(path: "\($0)/site-packages/axe_playwright_python/axe.min.js").path
    }
    return ProcessInfo.processInfo.environment["KEYPLAN_TEST_AXE"]
      ?? found?.first { FileManager.default.fileExists(atPath: $0) }
  }()
}

/// The page of `keyplan report` in a real browser: Debian's chromium and chromium-driver, and axe-core, which
/// scripts/setup-judges.sh installs.
@Suite(
  "keyplan report in a browser", .serialized,
  .enabled(
    if: PageJudge.isReady,
    "SKIPPED, so that nothing checks accessibility and policy of the page: apt-get install chromium chromium-driver; scripts/setup-judges.sh; KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python"
  ))
struct ReportPageTests {
  private struct Found: Decodable {
    let violations: [String]
    let overflow: [String]
    let console: [String]
    let requests: [String]
    let title: String
    let scripts: Int
    let strange: Int
    let rows: Int
    let shown: Int
    let focus: [String]
    let print: String
    let light: String
    let dark: String

    enum CodingKeys: String, CodingKey {
      case violations, overflow, console, requests, title, scripts, strange, rows, shown, focus, print
      case light = "background-light"
      case dark = "background-dark"
    }
  }

  private func look(at page: String, _ sandbox: ProgramSandbox) throws -> Found {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/page.py").path
    let answer = try sandbox.start(["python3", script, try #require(PageJudge.axe), page]).wait()
    try #require(answer.code == 0, "\(answer.err)")
    return try JSONDecoder().decode(Found.self, from: Data(answer.out.utf8))
  }

  /// A project with this many keys in five targets, some of which expire soon, and with some drift.
  static func project(keys count: Int, _ sandbox: ProgramSandbox) throws {
    var manifest = "version: 1\nkeys:\(count == 0 ? " {}" : "")\n"
    var values = ""
    for number in 0..<count {
      let age = ["", ", expires: { after: 90d, warn: 14d }", ", issued: 2020-01-01, expires: { on: 2021-01-01 }"][
        number % 3]
      manifest +=
        "  key-\(number): { provider: generic, variable: KEY_\(number), source: \"dotenv://.env#KEY_\(number)\"\(age) }\n"
      values += "KEY_\(number)=canary-\(number)-value\n"
    }
    if count > 0 {
      manifest += "active:\n  main: [key-0, key-1]\ntargets:\n"
      for target in 0..<min(5, count) {
        let entries = stride(from: target, to: count, by: 5).map { "KEY_\($0): key-\($0)" }.joined(separator: ", ")
        manifest += "  app-\(target): { type: dotenv, path: app-\(target).env, keys: { \(entries) } }\n"
      }
    }
    try sandbox.write(manifest, to: "keyplan.yaml")
    try sandbox.write(values, to: ".env")
    for arguments in [["init", "--quiet"], ["apply", "--yes", "--quiet"]] {
      let answer = try sandbox.start([Shell.program] + arguments).wait()
      try #require(answer.code == 0, "\(answer.err)\(answer.out)")
    }
    if count > 0 { try sandbox.write("KEY_0=by-hand\n", to: "app-0.env") }
  }

  @Test("is accessible, fits 375 and 1280 pixels, and loads nothing", arguments: [0, 10, 1000])
  func page(count: Int) throws {
    let sandbox = try ProgramSandbox()
    try Self.project(keys: count, sandbox)
    let answer = try sandbox.keyplan("report", "--html", "report.html")
    #expect(answer.code == 0, "\(answer.err)")
    #expect(answer.out.isEmpty && answer.err.isEmpty)
    let bytes = try #require(sandbox.content(of: "report.html"))
    #expect(bytes.count < 300_000)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("canary-") && !text.contains("by-hand"))
    let found = try look(at: "report.html", sandbox)
    #expect(found.violations.isEmpty)
    #expect(found.overflow.isEmpty)
    #expect(found.console.isEmpty)
    #expect(found.requests.isEmpty)
    #expect(found.title == "keyplan report")
    #expect(found.rows == count)
    // key-7, and key-70 to key-79, and key-700 to key-799.
    #expect(found.shown == [0: -1, 10: 1, 1000: 111][count])
    #expect(found.light != found.dark && found.print == found.light)
    #expect(found.focus == ["#attention", "#attention", "#attention"])
  }

  @Test("names that look like markup are text, and a script in the page is not run")
  func hostile() throws {
    let sandbox = try ProgramSandbox()
    try Self.project(keys: 3, sandbox)
    let markup = "</script><img id=injected src=x onerror=alert(1)>"
    // The path, which is shown as it is, and a name at the top level, where a slash must be written as a pointer's.
    let (path, name) = ("\(markup).json", "/" + markup.replacingOccurrences(of: "/", with: "~1"))
    try sandbox.write("{}", to: path)
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(
      manifest + "  web: { type: json, path: \"\(path)\", keys: { \"\(name)\": key-1 } }\n", to: "keyplan.yaml")
    let applied = try sandbox.keyplan("apply", "--yes", "--quiet")
    #expect(applied.code == 0, "\(applied.err)")
    try sandbox.write("{}", to: path)
    try sandbox.keyplan("report", "--html", "report.html")
    let found = try look(at: "report.html", sandbox)
    #expect(found.strange == 0 && found.scripts == 1 && found.console.isEmpty)
    // The judge notices what it is to notice.
    let page = String(decoding: try #require(sandbox.content(of: "report.html")), as: UTF8.self)
    try sandbox.write(
      page.replacingOccurrences(
        of: "<main>",
        with: "<main><div onclick=x></div><script>document.title='run'</script><img src=http://127.0.0.1:9/x>"),
      to: "bad.html")
    let bad = try look(at: "bad.html", sandbox)
    #expect(bad.title == "keyplan report")
    #expect(bad.strange > 0 && bad.scripts == 2 && !bad.violations.isEmpty)
    #expect(bad.console.count { $0.contains("Content Security Policy") } >= 2)
  }
}
