internal import KeyplanModel
internal import KeyplanPlanning

/// The state of a project in Prometheus' text format, version 0.0.4, for the textfile collector of its node exporter.
///
/// The number of series is bounded: all label values but names come from fixed lists, and names are limited to `keyLimit` keys and
/// `accountLimit` accounts, those first that expire first.
package enum MetricsText {
  /// The number of keys that have their own series.
  package static let keyLimit = 1000
  /// The number of accounts that have their own series.
  package static let accountLimit = 100

  /// The start of a file that was written here.
  package static let start = "# HELP keyplan_build_info "

  package static func render(_ report: InventoryReport, version: String) -> String {
    let environment = [("environment", report.drift.environment ?? "")]
    var text = ""
    text += family("keyplan_build_info", "The version of keyplan, as a label.", [([("version", version)], 1)])
    text += keys(report, environment)
    text += accounts(report, environment)
    text += family(
      "keyplan_drift_findings", "Findings of drift by level and kind, including those with 0.",
      Finding.Level.allCases.reversed().flatMap { level in
        Finding.Kind.allCases.map { kind in
          (
            environment + [("level", level.rawValue), ("kind", kind.rawValue)],
            Int64(report.drift.findings.count { $0.level == level && $0.kind == kind })
          )
        }
      })
    text += family(
      "keyplan_unchecked", "Sources, targets and accounts that could not be checked, by severity.",
      [Diagnostic.Severity.error, .warning].map { severity in
        (
          environment + [("severity", severity.rawValue)],
          Int64(report.drift.diagnostics.count { $0.code.severity == severity })
        )
      })
    text += family(
      "keyplan_not_looked_at", "Names at targets, sources and leased keys that were not looked at, by kind.",
      [
        ("name", report.drift.left.notCompared), ("source", report.drift.left.notRead),
        ("lease", report.drift.left.notLookedUp),
      ].map { kind, addresses in (environment + [("kind", kind)], Int64(addresses.count)) })
    let applied = report.drift.store?.completedAt.map { [(environment + [("command", "apply")], $0.seconds)] } ?? []
    return text
      + family(
        "keyplan_last_success_timestamp_seconds", "When a command last succeeded.",
        applied + [(environment + [("command", "metrics")], report.now.seconds)])
  }

  private static func keys(_ report: InventoryReport, _ environment: [(String, String)]) -> String {
    let all = report.keys.rows.compactMap { row -> (row: KeyListing.Row, end: Moment)? in
      guard !row.isOut else { return nil }
      switch row.expiry {
      case .fresh(let end), .soon(let end), .over(let end): return (row, end)
      case nil: return nil
      }
    }
    let shown = all.sorted { ($0.end, $0.row.name) < ($1.end, $1.row.name) }.prefix(keyLimit)
    func labels(_ row: KeyListing.Row) -> [(String, String)] {
      environment + [("key", row.name.name), ("provider", row.facts.provider)]
    }
    return family(
      "keyplan_key_expiration_timestamp_seconds", "When a key expires, or expired.",
      shown.map { (labels($0.row), $0.end.seconds) })
      + family(
        "keyplan_key_expiration_warning_timestamp_seconds",
        "From when on the manifest has keyplan warn of a key's expiration.",
        shown.map { (labels($0.row), ($0.end - ($0.row.warn ?? Interval(seconds: 0))).seconds) })
      + family(
        "keyplan_keys", "Declared and recorded keys.", [(environment, Int64(report.keys.rows.count))])
      + family(
        "keyplan_keys_omitted", "Keys with an expiration that have no series, because \(keyLimit) others expire first.",
        [(environment, Int64(all.count - shown.count))])
  }

  private static func accounts(_ report: InventoryReport, _ environment: [(String, String)]) -> String {
    let shown = report.accounts.sorted { left, right in
      (left.forecast?.end.seconds ?? .max, left.id) < (right.forecast?.end.seconds ?? .max, right.id)
    }.prefix(accountLimit)
    func labels(_ status: AccountStatus) -> [(String, String)] {
      environment + [("account", status.id.name), ("service", status.account.facts.service.rawValue)]
    }
    return family(
      "keyplan_account_state", "1 for the state that a calendar account is in, 0 for the others.",
      shown.flatMap { status in
        AccountStatus.keys.map { key in (labels(status) + [("state", key)], status.key == key ? 1 : 0) }
      })
      + family(
        "keyplan_account_sign_in_expiration_timestamp_seconds",
        "When an account's sign-in expires by itself, as far as that is known.",
        shown.compactMap { status in status.forecast.map { (labels(status), $0.end.seconds) } })
  }

  /// The samples of one metric. All are gauges: each run counts from zero.
  private static func family(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Int64)])
    -> String
  {
    guard !samples.isEmpty else { return "" }
    return samples.reduce(into: "# HELP \(name) \(help)\n# TYPE \(name) gauge\n") { text, sample in
      // To Prometheus an empty label is the same as none.
      let labels = sample.labels.filter { !$0.1.isEmpty }.map { "\($0.0)=\"\(escaped($0.1))\"" }
      text += name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") + " \(sample.value)\n"
    }
  }

  /// A label's value: backslash, quotation mark and line feed are escaped, and invisible characters are written out.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case _ where Glyphs.isUnsafe(scalar): result += "\\" + Glyphs.escaped(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
