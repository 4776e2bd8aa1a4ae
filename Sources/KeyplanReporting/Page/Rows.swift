/// Rows of a plan or an outcome: a sign, the subject, the action, and details that wrap under their column.
package struct Rows {
  private let subjectWidth: Int
  private let whatWidth: Int
  private let isStacked: Bool
  private let width: Int

  /// The column of a stacked row's text, and of a row that has no room elsewhere.
  private static let stackedIndent = 6
  private static let subjectColumn = 4
  private static let gap = 3
  /// Below this the particulars go under the second column.
  private static let leastDetail = 28

  /// Measures the columns, so that one long name does not push all the others to the right.
  package init(_ cells: some Sequence<(subject: String, what: String)>, width: Int) {
    self.width = width
    isStacked = width < 60
    var subjectWidth = 0
    var whatWidth = 0
    for (subject, what) in cells {
      let size = Glyphs.columns(of: subject)
      if size <= width * 2 / 5 { subjectWidth = max(subjectWidth, size) }
      let length = Glyphs.columns(of: what)
      if length <= 18 { whatWidth = max(whatWidth, length) }
    }
    self.subjectWidth = subjectWidth
    self.whatWidth = whatWidth
  }

  /// Sets one row.
  package func set(
    _ sign: String, _ tint: Tint, _ subject: String, _ what: String, _ details: [Run], on page: inout Page
  ) {
    // An arrow in ASCII is two characters and begins one column earlier.
    page.put(String(repeating: " ", count: max(1, 3 - Glyphs.columns(of: sign))))
    page.put(sign, tint)
    page.put(" ")
    page.flow([Run(subject)], indent: Self.subjectColumn)
    let whats = what.isEmpty ? [] : [Run(what)]
    let whatColumn = Self.subjectColumn + subjectWidth + Self.gap
    if isStacked || !(whats + details).allSatisfy({ page.hasRoom(for: $0.text, at: whatColumn) }) {
      let runs = whats + details.enumerated().map { $0 == 0 ? Run($1.text, $1.tint, gap: Self.gap) : $1 }
      if !runs.isEmpty {
        page.end()
        page.move(to: Self.stackedIndent)
        page.flow(runs, indent: Self.stackedIndent)
      }
      page.end()
      return
    }
    if Glyphs.columns(of: subject) > subjectWidth { page.end() }
    page.move(to: whatColumn)
    page.flow(whats, indent: whatColumn)
    let detailColumn = whatColumn + whatWidth + Self.gap
    let hasRoom =
      width - detailColumn >= Self.leastDetail && details.allSatisfy { page.hasRoom(for: $0.text, at: detailColumn) }
    if !details.isEmpty {
      page.move(to: detailColumn, gap: Self.gap)
      page.flow(details, indent: hasRoom ? detailColumn : whatColumn)
    }
    page.end()
  }
}
