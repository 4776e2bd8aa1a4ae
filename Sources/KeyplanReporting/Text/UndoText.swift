internal import KeyplanCore

/// The undoing of a move, for people: what it costs, and that it is done.
package struct UndoText {
  private let report: MoveUndoReport
  private let style: Style

  package init(_ report: MoveUndoReport, _ style: Style) { (self.report, self.style) = (report, style) }

  /// What it would mean.
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
    "serial \(report.store.serial)" + (report.movedAt.map { ", \(style.time($0))" } ?? "") + ", when it was moved away"
  }

  private var lost: String {
    let place = report.lostPlace
    return switch report.loss {
    case .unreachable(let reason): "\(place). \(reason)"
    case .absent where place.hasPrefix("/"): "\(place). There is none on this machine; on another one it may be."
    case .absent: "\(place). The server answers, and has no such store."
    case .anotherStore: "\(place). What is there is another store."
    }
  }

  private var consequence: String {
    let accounts = report.accounts.map { "calendar.\($0)" }.joined(separator: ", ")
    return
      "Everything that was written there since then is lost: values, versions, tokens, and what targets were given."
      + (accounts.isEmpty
        ? "" : " Tokens of \(accounts) that were refreshed there may be invalid here, and then require a new sign-in.")
  }

  private var pinned: String {
    report.isPinned
      ? "The store gets a fresh root key, which keyplan.lock then names: if the other copy comes back, it is refused. "
        + "Plans that were saved before are refused, too."
      : "No keyplan.lock names this store: if the other copy comes back, keyplan cannot detect that there are two."
  }

  /// That it is done, and how the store is found from now on.
  package var done: String {
    var lines = ["Undone: \(report.place.shown) is the store again.\n"]
    if report.isPinned { lines.append("Next: commit keyplan.lock: it names the fresh root key.\n") }
    if !report.setting.isSet { lines.append(report.setting.instruction) }
    if report.setting.isVariableOld {
      lines.append(
        "KEYPLAN_STORE goes before the manifest: wherever keyplan is run, it must not name the lost place.\n")
    }
    lines.append("Then: keyplan plan\n")
    return lines.joined(separator: "\n")
  }
}
