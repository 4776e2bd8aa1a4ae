import Foundation
import Testing

/// `examples/monitoring` with Prometheus itself: Debian's `prometheus` and `prometheus-node-exporter`.
@Suite(
  "keyplan metrics and Prometheus", .serialized,
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/promtool"),
    "SKIPPED, so that nothing checks the metrics and alerts: apt-get install prometheus prometheus-node-exporter"))
struct MonitoringTests {
  private static let folder = ReadmeTests.root.appending(path: "examples/monitoring").path

  private func promtool(_ arguments: String, _ shell: Shell) throws -> Shell.Answer {
    try shell.run("promtool \(arguments)")
  }

  private func project() throws -> Shell {
    let shell = try Shell()
    let answer = try shell.run(
      """
      cp '\(Self.folder)/keyplan.yaml' . && cp '\(Self.folder)/.env.example' .env && mkdir metrics &&
      keyplan init --quiet && keyplan apply --yes --quiet >/dev/null && keyplan metrics --out metrics/keyplan.prom
      """)
    try #require(answer.code == 0, "\(answer.err)")
    return shell
  }

  @Test("promtool accepts the metrics, and would not accept others")
  func metrics() throws {
    let shell = try project()
    let answer = try promtool("check metrics <metrics/keyplan.prom", shell)
    #expect(answer.code == 0 && answer.out.isEmpty && answer.err.isEmpty, "\(answer.out)\(answer.err)")
    let broken = try shell.run(
      "sed 's/keyplan_unchecked/keyplanUnchecked/' metrics/keyplan.prom | promtool check metrics")
    #expect(broken.code != 0)
  }

  @Test("the alerts of the example do what their tests say")
  func alerts() throws {
    let shell = try Shell()
    let answer = try shell.run(
      "cp '\(Self.folder)'/alerts* . && promtool check rules alerts.yml && promtool test rules alerts.test.yml")
    #expect(answer.code == 0, "\(answer.out)\(answer.err)")
    // Each alert is tested.
    let rules = try String(contentsOfFile: Self.folder + "/alerts.yml", encoding: .utf8)
    let tests = try String(contentsOfFile: Self.folder + "/alerts.test.yml", encoding: .utf8)
    let names = rules.matches(of: /alert: (\w+)/).map(\.1)
    #expect(names.count >= 9)
    for name in names { #expect(tests.contains("alertname: \(name)\n        exp_alerts:\n"), "\(name)") }
  }

  @Test("alerts and dashboard use metrics that are written, and promtool reads each expression of the dashboard")
  func expressions() throws {
    let shell = try project()
    let written = try #require(
      try? String(contentsOfFile: shell.folder + "/metrics/keyplan.prom", encoding: .utf8))
    // The example has no calendar account.
    let known = Set(written.matches(of: /# TYPE (\w+)/).map { String($0.1) }).union([
      "keyplan_account_state", "keyplan_account_sign_in_expiration_timestamp_seconds",
    ])
    let dashboard = try Data(contentsOf: URL(filePath: Self.folder + "/dashboard.json"))
    let object = try #require(try JSONSerialization.jsonObject(with: dashboard) as? [String: Any])
    let panels = try #require(object["panels"] as? [[String: Any]])
    let expressions = panels.flatMap { panel in
      (panel["targets"] as? [[String: Any]] ?? []).compactMap { $0["expr"] as? String }
    }
    #expect(expressions.count >= 10)
    let rules = try String(contentsOfFile: Self.folder + "/alerts.yml", encoding: .utf8)
    for name in (expressions + [rules]).joined(separator: "\n").matches(of: /keyplan_\w+/).map({ String($0.0) }) {
      #expect(known.contains(name), "\(name)")
    }
    let list = expressions.enumerated().map { number, expression in
      let text = expression.replacingOccurrences(of: "$environment", with: ".*").replacingOccurrences(
        of: "'", with: "''")
      return "      - { record: 'panel:n\(number)', expr: '\(text)' }\n"
    }
    try shell.write(["groups:", "  - name: panels", "    rules:", list.joined()], to: "panels.yml")
    let answer = try promtool("check rules panels.yml", shell)
    #expect(answer.code == 0, "\(answer.out)\(answer.err)")
  }

  @Test(
    "the node exporter serves the file, and Prometheus raises an alert for a key that has expired",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prometheus-node-exporter"),
      "SKIPPED: apt-get install prometheus-node-exporter"))
  func endToEnd() throws {
    let shell = try project()
    let answer = try shell.run(
      """
      sed -i 's/issued: .*/issued: 2020-01-01/' keyplan.yaml
      keyplan apply --yes --quiet >/dev/null; keyplan metrics --out metrics/keyplan.prom || exit 1
      python3 '\(URL(filePath: #filePath).deletingLastPathComponent().path)/Fixtures/prometheus.py' metrics '\(Self.folder)/alerts.yml'
      """)
    #expect(answer.code == 0, "\(answer.out)\(answer.err)")
    let text = answer.out.joined(separator: "\n")
    #expect(text.contains("node_textfile_scrape_error 0"))
    #expect(text.contains("KeyplanKeyExpired maps firing"))
    #expect(!text.contains("KeyplanMetricsMissing"))
  }
}
