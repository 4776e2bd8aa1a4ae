package import KeyplanModel
internal import KeyplanPlanning

/// The records that are not keys, for people: a line each, by address.
package enum RecordsText {
  package static func render(_ recorded: Recorded, style: Style, at now: Moment) -> String {
    var page = Page(style: style)
    let lines = lines(recorded, style, now)
    if lines.isEmpty {
      page.prose(
        style.commands(
          in: "Nothing but keys is recorded. "
            + "keyplan apply records slots, targets and accounts that the manifest declares."), indent: 0)
      page.end()
    }
    let rows = Rows(lines.lazy.map { ("\($0.address)", $0.what) }, width: page.width)
    for line in lines {
      let isSlot = if case .slot = line.address { true } else { false }
      rows.set(
        style.text(isSlot ? .active : .dot), isSlot ? .add : .faint, "\(line.address)", line.what, line.details,
        on: &page)
    }
    return page.text
  }

  private struct Line {
    let address: Address
    let what: String
    var details: [Run] = []
  }

  private static func lines(_ recorded: Recorded, _ style: Style, _ now: Moment) -> [Line] {
    var lines: [Line] = []
    for (id, record) in recorded.slots {
      let standing = recorded.keys[record.key].flatMap { $0.serving(at: now).unusableWords }
      lines.append(
        Line(
          address: .slot(id), what: record.key.name,
          details: [.apart("since \(style.time(record.since))", .faint)]
            + (standing.map { [.apart($0, .warning)] } ?? [])))
    }
    for (id, record) in recorded.targets {
      lines.append(
        Line(
          address: .target(id), what: Spans.count(record.entries.count, "name"),
          details: [.apart(record.destination.words)]))
    }
    for (id, record) in recorded.accounts {
      let signedIn = record.signIn.map { "signed in \(style.time($0.signedInAt))" } ?? "not signed in"
      lines.append(
        Line(
          address: .calendar(id), what: record.facts.service.rawValue,
          details: [.apart(record.facts.account), .apart(signedIn, .faint)]))
    }
    for item in recorded.surface.items { lines.append(Line(address: .surface(item), what: "allowed")) }
    let recipients = recorded.recipients.keys.sorted().map(\.name)
    if !recipients.isEmpty {
      lines.append(
        Line(
          address: .recipients, what: Spans.count(recipients.count, "recipient"),
          details: [.apart(recipients.joined(separator: ", "))]))
    }
    let rules = recorded.guards.demands.count + recorded.guards.waivers.count
    if rules > 0 { lines.append(Line(address: .rules, what: Spans.count(rules, "rule"))) }
    return lines.sorted { $0.address < $1.address }
  }
}
