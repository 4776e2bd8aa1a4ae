internal import KeyplanModel

/// The holders of a store's locks, for people.
package enum LockText {
  package static func render(_ report: LockReport, style: Style) -> String {
    var text =
      report.store.map { lines($0, of: report.place, breaking: "", style) }
      ?? "\(Glyphs.visible(report.place)) is not locked.\n"
    for holder in report.accounts {
      // Without its name it cannot be named to the server either.
      text += lines(
        holder, of: holder.account.map { "calendar.\($0)" } ?? "An account that is not in the manifest",
        breaking: holder.account.map { " --account \($0)" }, style)
    }
    return text
  }

  private static func lines(_ holder: LockHolder, of what: String, breaking option: String?, _ style: Style) -> String {
    // A server can report any text about a holder.
    let who =
      holder.process == 0
      ? "a process that left no record of itself"
      : "process \(holder.process) on \(holder.host) since \(style.time(holder.since)): \(holder.command)"
    var text = Glyphs.visible("\(what) is locked by \(who)") + "\n"
    if let job = holder.job { text += "  job         \(Glyphs.visible(job))\n" }
    if let silence = holder.silence { text += "  last seen   \(silence) s ago\n" }
    if let id = holder.id, let option { text += "  break it    keyplan unlock \(id)\(option)\n" }
    return text
  }
}
