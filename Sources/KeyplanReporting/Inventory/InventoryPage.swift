internal import KeyplanCodecs
internal import KeyplanModel
internal import KeyplanPlanning

/// `report --html`: one self-contained file. Names and reasons in it can come from anyone, so everything dynamic passes through
/// `Markup.escaped`, and a content security policy permits only the page's own style and script, by their hashes.
package struct InventoryPage {
  let report: InventoryReport
  let version: String
  /// SHA-256, base64.
  let hash: (String) -> String
  let style = Style()

  /// The start of a file that was written here.
  package static let start = "<!doctype html>\n<!-- keyplan report -->"

  /// - Parameter digest: SHA-256.
  package static func render(
    _ report: InventoryReport, version: String, digest: @escaping ([UInt8]) -> [UInt8]
  ) -> String {
    Self(report: report, version: version) {
      String(decoding: Base64.paddedText(of: digest(Array($0.utf8))), as: UTF8.self)
    }.text
  }

  private var text: String {
    let environment = report.drift.environment.map { " · \($0)" } ?? ""
    return """
      \(Self.start)
      <html lang=en>
      <meta charset=utf-8>
      <meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'sha256-\(hash(InventoryStyle.css))'; script-src 'sha256-\(hash(InventoryStyle.script))'; base-uri 'none'; form-action 'none'">
      <meta name=viewport content="width=device-width, initial-scale=1">
      <meta name=referrer content=no-referrer>
      <meta name=color-scheme content="light dark">
      <title>keyplan report\(Markup.escaped(environment))</title>
      <style>\(InventoryStyle.css)</style>
      <body>
      <a class=skip href="#attention">Skip to content</a>
      \(header)
      <main>
      \(attention)\(timeline)\(keys)\(map)\(accounts)\(runs)</main>
      <footer><p>Written by keyplan \(Markup.escaped(version)). This page contains no values.</footer>
      <script>\(InventoryStyle.script)</script>

      """
  }

  private var header: String {
    let store = report.drift.store
    let facts = [
      ("Environment", report.drift.environment), ("Manifest", report.manifest),
      ("Store", store.map { "\($0.id.prefix(4))… serial \($0.serial)" }),
      ("Last apply", store?.lastApply(style) ?? "never"), ("Checked", style.time(report.now)),
    ]
    let list = facts.compactMap { name, text in
      text.map { "<div><dt>\(name)<dd>\(Markup.escaped($0))</div>" }
    }
    let drift = report.drift
    let counts: [(String, String, Int, String)] = [
      ("attention", "broken", drift.findings.count { $0.level == .broken }, "broken"),
      ("attention", "pending", drift.findings.count { $0.level == .pending }, "pending"),
      ("attention", "expiring", drift.findings.count { $0.level == .soon && $0.kind.isExpiration }, "soon"),
      ("attention", "warnings", drift.findings.count { $0.level == .soon && !$0.kind.isExpiration }, "soon"),
      ("attention", "unchecked", drift.diagnostics.count + drift.left.uncheckedCount, "pending"),
      ("keys", "keys", report.keys.rows.count, ""),
      ("map", "targets", report.targets.count, ""), ("accounts", "accounts", report.accounts.count, ""),
    ]
    let tiles = counts.map { place, word, count, level in
      "<li><a href=\"#\(place)\"\(count > 0 && !level.isEmpty ? " class=\(level)" : "")><b>\(Spans.number(count))</b> \(word)</a>"
    }
    return """
      <header>
      <h1>keyplan report</h1>
      <dl>\(list.joined())</dl>
      <nav aria-label=Summary><ul>\(tiles.joined())</ul></nav>
      </header>
      """
  }

  /// A section with its heading. An empty one contains a sentence.
  func section(_ id: String, _ title: String, _ content: String, beside: String = "") -> String {
    """
    <section id=\(id) aria-labelledby=\(id)-title>
    <div class=head><h2 id=\(id)-title>\(title)</h2>\(beside)</div>
    \(content)
    </section>

    """
  }
}

extension Finding.Kind {
  /// Whether a finding of this kind that is not urgent yet is about an upcoming expiry.
  fileprivate var isExpiration: Bool {
    switch self {
    case .expiresSoon, .signInEndsSoon, .signInUnused: true
    default: false
    }
  }
}
