internal import KeyplanModel

/// The expirations of a year, by month.
extension InventoryPage {
  private static let names = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
  /// The number of names that a month shows.
  private static let shown = 6

  var timeline: String {
    let all = report.expirations
    guard !all.isEmpty else {
      return section("expiry", "Expirations", "<p>Nothing expires: no key in use has an expiration.")
    }
    let months = months
    var rows: [(title: String, found: [InventoryReport.Expiration])] = []
    rows.append(("Expired", all.filter { $0.at <= report.now }))
    let ahead = all.filter { $0.at > report.now }
    for (key, title) in months { rows.append((title, ahead.filter { $0.at.date.hasPrefix(key) })) }
    let known = Set(months.map(\.key))
    rows.append(("Later", ahead.filter { !known.contains(String($0.at.date.prefix(7))) }))
    let most = max(rows.map(\.found.count).max() ?? 1, 1)
    // A year of empty months is no more useful than none.
    let last = rows.lastIndex { !$0.found.isEmpty } ?? 0
    let body = rows.prefix(last + 1).filter { $0.title != "Expired" && $0.title != "Later" || !$0.found.isEmpty }
      .map { row in
        let width = row.found.isEmpty ? 0 : max(2, row.found.count * 100 / most)
        let names = row.found.prefix(Self.shown).map { expiration in
          let day = expiration.at.date
          let near = expiration.isNear ? " class=soon" : ""
          let when = row.title == "Expired" || row.title == "Later" ? day : String(day.suffix(2))
          return
            "<span\(near)><time datetime=\"\(day)\">\(when)</time> <code>\(Markup.escaped(expiration.address.description))</code>\(expiration.isExposure ? " exposed" : "")</span>"
        }
        let more = row.found.count - names.count
        return """
          <tr><th scope=row>\(row.title)<td>\(row.found.count)<td><svg width="100%" height=8 aria-hidden=true><rect width="\(width)%" height=8 rx=2 /></svg><td>\(names.joined(separator: " "))\(more > 0 ? " <span>and \(Spans.number(more)) more</span>" : "")
          """
      }
    return section(
      "expiry", "Expirations",
      "<table><thead><tr><th scope=col>Month<th scope=col>Count<td><th scope=col>What expires<tbody>\(body.joined(separator: "\n"))</table>",
      beside: "<p>\(Spans.number(all.count)) with a date")
  }

  /// This month and the eleven after it: `2026-11` and its title.
  private var months: [(key: String, title: String)] {
    let date = report.now.date.split(separator: "-")
    guard let year = Int(date[0]), let month = Int(date[1]) else { return [] }
    return (0..<12).map { offset in
      let (year, month) = (year + (month - 1 + offset) / 12, (month - 1 + offset) % 12)
      return ("\(year)-\(month < 9 ? "0" : "")\(month + 1)", "\(Self.names[month]) \(year)")
    }
  }
}
