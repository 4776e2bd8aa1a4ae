import Foundation
import KeyplanModel
import KeyplanPlanning
import ReportSamples
import TestTools
import Testing

@testable import KeyplanReporting

@Suite("The report of a project")
struct RenderingInventoryTests {
  /// With names that would be markup, and one that changes the order of reading.
  static let hostile = "</script><img src=x onerror=alert(1)>\"'&\u{202e}\u{1b}[31m"

  static func report(
    findings: [Finding] = Sample.findings, keys count: Int? = nil, revoked: String? = nil,
    left: LookedAt = LookedAt()
  ) -> InventoryReport {
    var recorded = Sample.recorded
    if let id = revoked.map(Sample.key), let version = recorded.keys[id]?.version {
      recorded.keys[id]?.revoked = [
        Revocation(fingerprint: version.fingerprint, version: version.number, at: Sample.now, reason: nil)
      ]
    }
    recorded.accounts = Sample.accounts
    recorded.applied = [
      AppliedPlan(id: "kp1-a", at: Sample.moment("2026-11-01")), AppliedPlan(id: "kp1-b", at: Sample.now),
    ]
    recorded.targets[Sample.target("web")] = TargetRecord(
      revision: 3, destination: Destination(type: "dotenv", location: hostile),
      entries: [
        hostile: TargetRecord.Entry(
          key: Sample.key("weather"), fingerprint: Sample.fingerprint(5), syncedAt: Sample.now)
      ])
    if let count { (recorded.keys, recorded.targets) = many(count) }
    let facts = recorded.keys.mapValues { Key(facts: $0.facts, sources: []) }
    let account = Account(facts: Sample.google, signIn: .browser)
    let manifest = Manifest(keys: facts, accounts: [Sample.account("home"): account])
    let observation = Observation(recorded: recorded)
    return InventoryReport(
      DriftReport(
        findings, diagnostics: [Sample.unreachable], environment: "production", store: Sample.store, left: left),
      manifest, recorded, accounts: AccountStatus.all(of: manifest, in: observation, at: Sample.now),
      file: "keyplan.yaml", at: Sample.now)
  }

  private static func many(
    _ count: Int
  ) -> ([Identifier<Key>: KeyRecord], [Identifier<Target>: TargetRecord]) {
    var keys: [Identifier<Key>: KeyRecord] = [:]
    var entries: [[String: TargetRecord.Entry]] = Array(repeating: [:], count: 20)
    for number in 0..<count {
      let name = Sample.key("payment-provider-\(number)")
      keys[name] = KeyRecord(
        revision: 1,
        facts: KeyFacts(
          provider: "generic", expiry: Expiry(.after(.days(Int64(number % 500))), warn: .days(14), then: .warn)),
        version: KeyVersion(
          number: 3, fingerprint: Sample.fingerprint(3), storedAt: Sample.moment("2026-09-01"), origin: nil))
      entries[number % 20]["PAYMENT_PROVIDER_\(number)"] = TargetRecord.Entry(
        key: name, fingerprint: Sample.fingerprint(4), syncedAt: Sample.now)
    }
    let targets = entries.enumerated().map { number, entries in
      (
        Sample.target("app-\(number)"),
        TargetRecord(
          revision: 1, destination: Destination(type: "dotenv", location: "services/app-\(number)/.env"),
          entries: entries)
      )
    }
    return (keys, Dictionary(uniqueKeysWithValues: targets))
  }

  private static func page(_ report: InventoryReport) -> String {
    InventoryPage.render(report, version: "1.2.3") { Array($0.prefix(32)) }
  }

  @Test("names from elsewhere are never markup")
  func hostile() {
    let finding = Finding(
      .valueChanged(Destination(type: "dotenv", location: Self.hostile)),
      at: .entry(Sample.target("app"), name: Self.hostile), level: .broken, since: nil)
    let page = Self.page(Self.report(findings: [finding]))
    #expect(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\\u{202e}\\u{1b}[31m"))
    #expect(!page.contains("<img") && !page.unicodeScalars.contains { $0 == "\u{202e}" || $0 == "\u{1b}" })
    #expect(page.split(separator: "</script>").count == 2)
  }

  @Test("the page names no other place, and runs nothing that its policy does not name")
  func policy() {
    let page = Self.page(Self.report(keys: 3))
    for word in ["http:", "https:", "src=", "url(", "@import", " style=", " onclick", "javascript:"] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("content=\"default-src 'none'; style-src 'sha256-"))
    #expect(!page.contains("unsafe-inline"))
  }

  @Test("it shows what needs attention first, then expirations, keys, places, accounts and runs")
  func order() throws {
    let page = Self.page(Self.report())
    let places = try ["attention", "expiry", "keys", "map", "accounts", "runs"].map { id in
      try #require(page.range(of: "<section id=\(id) ")).lowerBound
    }
    #expect(places == places.sorted())
    #expect(page.contains("<h3><span class=level>broken</span> Target has another value"))
    #expect(page.contains("<time datetime=\"2026-12-01\">01</time> <code>key.weather</code>"))
    #expect(page.contains("<code>kp1-b</code>"))
    #expect(page.contains("WEATHER_KEY <b>weather</b>"))
  }

  @Test("expiring counts what expires; the day by which an exposed value is to be replaced is among the expirations")
  func exposures() throws {
    func finding(_ fact: FindingFact, _ name: String, _ level: Finding.Level = .soon) -> Finding {
      Finding(fact, at: .key(Sample.key(name)), level: level, since: nil)
    }
    let report = Self.report(
      findings: [
        finding(.expiresSoon(.after(.days(90)), on: Sample.moment("2026-12-01")), "weather"),
        finding(.valueExposed(Sample.exposed(on: "2026-11-25")), "claude"),
        finding(.issuedOutdated(Sample.moment("2026-09-02")), "claude"),
      ])
    let page = Self.page(report)
    #expect(page.contains("<a href=\"#attention\" class=soon><b>1</b> expiring</a>"))
    #expect(page.contains("<a href=\"#attention\" class=soon><b>2</b> warnings</a>"))
    #expect(page.contains("<time datetime=\"2026-11-25\">25</time> <code>key.claude</code> exposed</span>"))
    let exposed = report.expirations.filter(\.isExposure)
    #expect(exposed.map(\.address) == [.key(Sample.key("claude"))])
    #expect(exposed.map(\.at) == [Sample.moment("2026-11-25")])
  }

  @Test("no fingerprint and no id of the store is shown in full")
  func fingerprints() throws {
    let text = Self.page(Self.report()) + (try Document.text(InventoryDocument(Self.report())))
    for byte: UInt8 in 1...9 {
      let digits = String(repeating: "0\(byte)", count: 5)
      #expect(!text.contains(digits), "\(byte)")
    }
    #expect(!Self.page(Self.report()).contains(Sample.store.id))
  }

  @Test("a page of a thousand keys stays below 300 kB, and one of none says that there are none")
  func size() {
    #expect(Self.page(Self.report(keys: 1000)).utf8.count < 300_000)
    let page = Self.page(Self.report(findings: [], keys: 0))
    #expect(page.contains("No keys are declared or recorded."))
    #expect(page.contains("Nothing expires") || page.contains("calendar.home"))
  }

  @Test("metrics: one series for each key with an expiration, and every kind of finding, also with 0")
  func metrics() {
    let text = MetricsText.render(Self.report(), version: "1.2.3")
    #expect(text.hasPrefix(MetricsText.start))
    #expect(text.contains("keyplan_build_info{version=\"1.2.3\"} 1\n"))
    let weather = #"environment="production",key="weather",provider="openweather""#
    #expect(
      text.contains(
        "keyplan_key_expiration_timestamp_seconds{\(weather)} \(Sample.moment("2026-12-01").seconds)\n"))
    #expect(
      text.contains(
        "keyplan_key_expiration_warning_timestamp_seconds{\(weather)} \(Sample.moment("2026-11-17").seconds)\n"))
    let report = Self.report()
    for level in Finding.Level.allCases {
      for kind in Finding.Kind.allCases {
        let labels = #"environment="production",level="\#(level.rawValue)",kind="\#(kind.rawValue)""#
        let count = report.drift.findings.count { $0.level == level && $0.kind == kind }
        #expect(text.contains("\nkeyplan_drift_findings{\(labels)} \(count)\n"), "\(labels)")
      }
    }
    let counts = text.split(separator: "\n").filter { $0.hasPrefix("keyplan_drift_findings{") }
    #expect(counts.count == Finding.Level.allCases.count * Finding.Kind.allCases.count)
    #expect(counts.contains { $0.contains(#"level="broken",kind="targetChanged""#) && $0.hasSuffix("} 1") })
    #expect(counts.contains { $0.contains(#"level="broken",kind="revoked""#) && $0.hasSuffix("} 0") })
    #expect(text.contains(#"keyplan_unchecked{environment="production",severity="error"} 1"#))
    let revoked = MetricsText.render(Self.report(revoked: "weather"), version: "1.2.3")
    #expect(!revoked.contains("{\(weather)}"), "nothing is to be done when it would have expired")
    let states = text.split(separator: "\n").filter { $0.hasPrefix("keyplan_account_state{") }
    #expect(states.count == AccountStatus.keys.count)
    #expect(states.count { $0.hasSuffix("} 1") } == 1)
    #expect(text.contains(#"{environment="production",command="metrics"} \#(Sample.now.seconds)"#))
  }

  @Test("metrics and the page's tile count what was not looked at")
  func notLookedAt() {
    var left = LookedAt()
    left.notCompared = [.entry(Sample.target("app"), name: "A")]
    left.notRead = [.key(Sample.key("a")), .key(Sample.key("b"))]
    let report = Self.report(left: left)
    let text = MetricsText.render(report, version: "1.2.3")
    for (kind, count) in [("name", 1), ("source", 2), ("lease", 0)] {
      #expect(text.contains("keyplan_not_looked_at{environment=\"production\",kind=\"\(kind)\"} \(count)\n"), "\(text)")
    }
    #expect(InventoryPage.render(report, version: "1.2.3") { Array($0.prefix(32)) }.contains("<b>4</b> unchecked"))
  }

  @Test("metrics: more keys than have series are counted, and those that expire first have them")
  func cardinality() {
    let text = MetricsText.render(Self.report(keys: 1500), version: "1.2.3")
    let series = text.split(separator: "\n").filter { $0.hasPrefix("keyplan_key_expiration_timestamp_seconds{") }
    #expect(series.count == MetricsText.keyLimit)
    #expect(series.first?.hasSuffix(" \(Sample.moment("2026-09-01").seconds)") == true)
    #expect(text.contains("keyplan_keys_omitted{environment=\"production\"} 500\n"))
  }

  @Test("metrics: a label's value cannot end its line or itself")
  func labels() {
    let report = Self.report()
    let drift = DriftReport([], environment: "a\"b\\c\nd", store: Sample.store)
    let text = MetricsText.render(
      InventoryReport(drift, Manifest(), Sample.recorded, accounts: [], file: "", at: report.now), version: "1")
    #expect(text.contains(#"{environment="a\"b\\c\\u{a}d"} 3"#))
  }
}
