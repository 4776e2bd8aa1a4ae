package import KeyplanModel

/// The key table for people.
package enum KeysText {
  /// The table; if it is too wide, the least important columns are left out first.
  package static func render(_ listing: KeyListing, style: Style, at now: Moment) -> String {
    var page = Page(style: style, reserving: 256 + 128 * listing.rows.count)
    guard !listing.rows.isEmpty else {
      page.prose(
        style.commands(in: "No keys yet. Declare one under keys: in the manifest, then run keyplan plan."), indent: 0)
      page.end()
      return page.text
    }
    let layout = Layout(fitting: listing, style, now)
    page.move(to: 4)
    put(layout.columns.map { ($0.column.rawValue, nil, $0.width) }, .faint, on: &page)
    for row in listing.rows {
      page.put("  ")
      page.put(style.text(row.slots.isEmpty ? .inactive : .active), row.slots.isEmpty ? nil : .add)
      page.move(to: 4)
      put(
        layout.columns.map { (layout.cell($0.column, row, style, now), $0.column.tint(row), $0.width) }, nil, on: &page)
    }
    return page.text
  }

  private enum Column: String, CaseIterable {
    case name = "NAME"
    case provider = "PROVIDER"
    case model = "MODEL"
    case value = "VALUE"
    case age = "AGE"
    case expires = "EXPIRES"
    case notes = "NOTES"
    case slots = "ACTIVE IN"

    func tint(_ row: KeyListing.Row) -> Tint? {
      if self == .notes { return .warning }
      guard self == .expires else { return nil }
      switch (row.serving, row.expiry) {
      case (.revoked, _), (.refusedByProvider, _), (_, .over): return .error
      case (_, .soon): return .warning
      case (_, .fresh), (_, nil): return nil
      }
    }
  }

  private static let gap = 3

  private static func put(_ cells: [(text: String, tint: Tint?, width: Int)], _ tint: Tint?, on page: inout Page) {
    var column = 4
    for cell in cells {
      page.move(to: column)
      page.put(cell.text, cell.tint ?? tint)
      column += cell.width + gap
    }
    page.end()
  }

  private struct Layout {
    var columns: [(column: Column, width: Int)] = []
    private var datesOnly = false

    /// Leaves out the least important columns until the table fits; the sign in front already marks active keys. The mask of a value is less
    /// useful than its provider, unless some key has no value.
    init(fitting listing: KeyListing, _ style: Style, _ now: Moment) {
      measure(Column.allCases, listing, style, now)
      let isMask = listing.rows.allSatisfy { $0.version != nil }
      let last: [Column?] =
        isMask ? [.value, .provider, .slots, .notes, .expires] : [.provider, .slots, .notes, .expires]
      for leaving in [Column.age, nil, .model] + last {
        let total = columns.reduce(4 - gap) { $0 + $1.width + gap }
        if total <= style.width { return }
        if leaving == nil { datesOnly = true }
        measure(columns.map(\.column).filter { $0 != leaving }, listing, style, now)
      }
    }

    private mutating func measure(_ all: [Column], _ listing: KeyListing, _ style: Style, _ now: Moment) {
      columns = all.compactMap { column in
        let width = listing.rows.reduce(0) { max($0, Glyphs.columns(of: cell(column, $1, style, now))) }
        return width == 0 ? nil : (column, max(width, column.rawValue.utf8.count))
      }
    }

    func cell(_ column: Column, _ row: KeyListing.Row, _ style: Style, _ now: Moment) -> String {
      switch column {
      case .name: row.name.name
      case .provider: row.facts.provider
      case .model: row.facts.model ?? ""
      case .value: row.version == nil ? "(no value)" : style.text(.mask)
      case .age: row.version.map { Spans.age(since: row.issuedAt ?? $0.storedAt, at: now) } ?? ""
      case .expires: end(of: row, now)
      case .notes: notes(of: row)
      case .slots:
        row.slots.map(\.name).joined(separator: ", ")
          + (row.isDeclared ? "" : row.slots.isEmpty ? "(no longer declared)" : " (no longer declared)")
      }
    }

    /// The standings that no other column shows.
    private func notes(of row: KeyListing.Row) -> String {
      let isEnd: KeyStanding? =
        switch (row.serving, row.expiry) {
        case (.revoked, _): .revoked
        case (.retired, _): .retired
        case (.refusedByProvider, _): .rejected
        case (_, .over): .expired
        case (_, .fresh), (_, .soon), (_, nil): nil
        }
      return row.standings.filter { ![.noValue, .notDeclared, isEnd].contains($0) }.map(\.words).joined(separator: ", ")
    }

    private func end(of row: KeyListing.Row, _ now: Moment) -> String {
      switch row.serving {
      case .revoked(let since, _, let part): return "revoked \(since.date)\(Self.with(part))"
      case .retired(let since, let part): return "retired \(since.date)\(Self.with(part))"
      case .refusedByProvider(let check, let part): return "rejected \(check.at.date)\(Self.with(part))"
      case .asUsual, .pastItsEnd, nil: break
      }
      switch row.expiry {
      case .fresh(let end), .soon(let end):
        return datesOnly ? end.date : "\(end.date) (\(Spans.relative(end, to: now)))"
      case .over(let end): return "expired \(end.date)\(Self.with(row.endingPart))"
      case nil: return ""
      }
    }

    /// The key because of which a composed value cannot be used.
    private static func with(_ part: Identifier<Key>?) -> String { part.map { " (\($0))" } ?? "" }
  }
}
