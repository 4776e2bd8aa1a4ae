internal import KeyplanModel

/// A move of the store, for people.
package struct MoveText {
  private let report: MoveReport
  private let style: Style

  package init(_ report: MoveReport, _ style: Style) { (self.report, self.style) = (report, style) }

  /// The effects of a move.
  package var before: String {
    var page = Page(style: style)
    Heading.put("store move", environment: report.environment, store: report.store, on: &page)
    page.end()
    page.rows([("from", report.from.shown), ("to", report.to.shown), ("rows", rows)] + found)
    page.end()
    page.prose(
      "Nothing is decrypted. \(report.from.shown) will then point to the new place and accept no more writes; "
        + "plans saved earlier become invalid.", indent: 0)
    page.end()
    return page.text
  }

  private var rows: String { "\(report.rows.words), copied without decrypting" }

  /// The contents of the new place, if they need a remark.
  private var found: [(String, String)] {
    let making = report.makesTablesIn.map { [("makes", "keyplan's tables in the schema \($0)")] } ?? []
    return switch report.destination {
    case .empty: making
    case .begun: making + [("finds", "an interrupted move, which starts over")]
    case .left: making + [("finds", "the copy left behind by an earlier move; it is replaced")]
    case .copied: [("finds", "a complete copy; only the last step of an earlier move is missing")]
    case .there: []
    }
  }

  /// A statement that it is done, and the setting that names the new place.
  package var done: String {
    if case .there = report.destination { return "The store is at \(report.to.shown) already.\n" + next }
    return "Moved \(report.rows.words) (verified byte-for-byte).\n" + next
  }

  private var next: String {
    let setting = report.setting
    var lines = setting.isSet ? [] : [setting.instruction]
    if setting.isVariableOld {
      if setting.isSet {
        lines.append("Next: unset KEYPLAN_STORE wherever keyplan runs: it names the old place.\n")
      } else {
        lines.append(
          "KEYPLAN_STORE names the old place. Wherever keyplan runs, unset it, or:\n\n"
            + "  export KEYPLAN_STORE='\(setting.line ?? report.to.shown)'\n")
      }
    }
    return lines.isEmpty ? "" : "\n" + lines.joined(separator: "\n")
  }
}

extension StoreRows {
  package var words: String { "\(Spans.count(records, "record")) and \(Spans.count(values, "value"))" }
}

extension StoreSetting {
  /// The line to write in the manifest.
  package var instruction: String {
    guard let line else { return "Next: remove `store` from \(file): this is the default.\n" }
    let instead = replacesLine ? ", replacing its current `store`" : ""
    return "Next: add this line to \(file)\(instead):\n\n  store: \(line)\n"
  }
}

extension Page {
  /// Labels with their values, one to a line.
  package mutating func rows(_ rows: [(String, String)]) {
    for (word, text) in rows {
      move(to: 2)
      put(word, .strong)
      move(to: 9)
      prose(text, indent: 9)
      end()
    }
  }
}
