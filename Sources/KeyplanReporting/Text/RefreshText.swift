internal import KeyplanModel

/// The results of refreshing, for people.
package enum RefreshText {
  package static func render(_ rows: [RefreshRow], style: Style, isQuiet: Bool) -> String {
    var page = Page(style: style)
    if rows.isEmpty, !isQuiet {
      page.prose("No account has tokens to refresh.", indent: 0)
      page.end()
    }
    for row in rows {
      if let outage = row.outage {
        page.put("calendar.\(row.id)", .strong)
        page.flow(
          [.apart("unreachable since \(style.time(outage.since));")]
            + Run.words("counts from \(style.time(outage.counts))"), indent: 2)
        page.end()
        continue
      }
      guard let failure = row.failure else {
        page.put("calendar.\(row.id)", .strong)
        page.put(row.isRefreshed ? "   refreshed" : "   still valid")
        page.end()
        continue
      }
      page.failure(failure)
    }
    return page.text
  }
}
