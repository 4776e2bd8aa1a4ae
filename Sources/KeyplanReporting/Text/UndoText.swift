internal import KeyplanModel

/// The undoing of a move, for people: its costs, and its result.
package struct UndoText {
  private let report: MoveUndoReport
  private let style: Style

  package init(_ report: MoveUndoReport, _ style: Style) { (self.report, self.style) = (report, style) }

  /// The effects of undoing.
  package var before: String {
    var page = Page(style: style)
    Heading.put("store move --undo", environment: report.environment, store: report.store, on: &page)
    page.end()
    page.rows([("here", "\(report.place.shown): \(report.rows.words), as of \(moment)"), ("lost", lost)])
    for paragraph in [consequence, pinned] {
      page.end()
      page.prose(paragraph, indent: 0)
      page.end()
    }
    return page.text
  }

  private var moment: String {
    "serial \(report.store.serial)" + (report.movedAt.map { ", \(style.time($0))" } ?? "") + ", when it was moved"
  }

  private var lost: String {
    let place = report.lostPlace
    return switch report.loss {
    case .unreachable(let reason): "\(place). \(reason)"
    case .absent where place.hasPrefix("/"): "\(place). It is not on this machine, but may be on another."
    case .absent: "\(place). The server responds but has no such store."
    case .anotherStore: "\(place). It contains a different store."
    }
  }

  private var consequence: String {
    let accounts = report.accounts.map { "calendar.\($0)" }.joined(separator: ", ")
    return
      "Everything written there since then is lost: values, versions, tokens, and records of synced targets."
      + (accounts.isEmpty
        ? ""
        : " If tokens of \(accounts) were refreshed there, the ones here may be invalid and require a new sign-in.")
  }

  private var pinned: String {
    report.isPinned
      ? "The store gets a new root key, which is recorded in keyplan.lock: if the other copy reappears, it is rejected. "
        + "Plans saved earlier become invalid."
      : "No keyplan.lock names this store: if the other copy reappears, keyplan cannot detect that there are two."
  }

  /// A statement that it is done, and the setting that names the place of the store.
  package var done: String {
    var lines = ["Undone: \(report.place.shown) is the store again.\n"]
    if report.isPinned { lines.append("Next: commit keyplan.lock, which records the new root key.\n") }
    if !report.setting.isSet { lines.append(report.setting.instruction) }
    if report.setting.isVariableOld {
      lines.append(
        "KEYPLAN_STORE overrides the manifest: wherever keyplan runs, it must not name the lost place.\n")
    }
    lines.append("Then: keyplan plan\n")
    return lines.joined(separator: "\n")
  }
}

extension UndoneMoveReport {
  /// A statement that there is nothing left to do.
  package func text(_ style: Style) -> String {
    "Already undone (\(style.time(undoneAt))): \(place.shown) is the store, and \(lostPlace) is not.\n"
  }
}
