internal import KeyplanModel

extension RecordHistory.Version {
  /// The reasons that no command uses the value; empty for a usable one.
  var standing: [Run] {
    (revocation.map { [.apart($0.words, .error)] } ?? []) + (isRejected ? [.apart("rejected", .warning)] : [])
  }
}

/// The history of records for people: each with its versions or names, values left out.
package enum HistoryText {
  package static func render(_ history: RecordHistory, style: Style) -> String {
    var page = Page(style: style, reserving: 256 + 256 * history.entries.count)
    if history.entries.isEmpty, history.runs.isEmpty {
      page.prose(
        style.commands(in: "Nothing is recorded yet. keyplan apply records what the manifest declares."), indent: 0)
      page.end()
    }
    for (index, entry) in history.entries.enumerated() {
      if index > 0 { page.end() }
      put(entry, on: &page)
    }
    if !history.runs.isEmpty {
      if !history.entries.isEmpty { page.end() }
      put(history.runs, on: &page)
    }
    return page.text
  }

  /// The number of plans that are shown; JSON has all.
  private static let runLimit = 10

  private static func put(_ runs: [AppliedPlan], on page: inout Page) {
    let hidden = runs.count - runLimit
    page.flow(
      [Run("applied", .strong)] + (hidden > 0 ? [.apart("\(hidden) earlier ones: --json", .faint)] : []), indent: 2)
    page.end()
    let shown = runs.prefix(runLimit)
    let style = page.style
    let rows = Rows(shown.lazy.map { (style.time($0.at), $0.byWhom ?? "") }, width: page.width)
    for run in shown {
      var details = run.isIncomplete ? [Run.apart(AppliedPlan.notCompleted, .warning)] : []
      if let invocation = run.invocation {
        details += [.apart("with \(invocation.command)"), .apart(run.sum)]
        if let job = invocation.job { details.append(.apart(job.words, .faint)) }
      }
      details.append(.apart(run.id, .faint))
      rows.set(
        style.text(.dot), run.isIncomplete ? .warning : .faint, style.time(run.at), run.byWhom ?? "", details, on: &page
      )
    }
  }

  private static func put(_ entry: RecordHistory.Entry, on page: inout Page) {
    switch entry {
    case .key(let id, let record):
      let retired = record.retiredAt.map { [Run.apart("retired \(page.style.time($0))", .warning)] } ?? []
      put(.key(id), [written(record.revision)] + retired, on: &page)
      putVersions(of: record, isInUse: true, on: &page)
    case .forgotten(let forgotten):
      let words = "forgotten \(page.style.time(forgotten.at)) at serial \(forgotten.serial)"
      put(.key(forgotten.key), [.apart(words), .apart("kept until \(forgotten.end.date)", .faint)], on: &page)
      putVersions(of: forgotten.record, isInUse: false, on: &page)
    case .slot(let id, let record):
      put(.slot(id), [written(record.revision)], on: &page)
      let rows = Rows([(record.key.name, "")], width: page.width)
      rows.set(
        page.style.text(.active), .add, record.key.name, "since \(page.style.time(record.since))", [], on: &page)
    case .target(let id, let record):
      put(.target(id), [written(record.revision), .apart(record.destination.words)], on: &page)
      let entries = record.entries.sorted { $0.key < $1.key }
      let rows = Rows(entries.lazy.map { ($0.key, $0.value.key.name) }, width: page.width)
      for (name, entry) in entries {
        rows.set(
          page.style.text(.dot), .faint, name, entry.key.name, [.apart("synced \(page.style.time(entry.syncedAt))")],
          on: &page)
      }
    case .account(let id, let record):
      put(.calendar(id), [written(record.revision)], on: &page)
      let times = [("signed in", record.signIn?.signedInAt), ("refreshed", record.signIn?.refreshedAt)]
      let known = times.compactMap { words, time in time.map { (words, page.style.time($0)) } }
      let rows = Rows(known.lazy.map { ($0.0, $0.1) }, width: page.width)
      for (words, time) in known { rows.set(page.style.text(.dot), .faint, words, time, [], on: &page) }
    }
  }

  private static func written(_ revision: Int64) -> Run { .apart("written at serial \(revision)", .faint) }

  private static func put(_ address: Address, _ particulars: [Run], on page: inout Page) {
    page.flow([Run(address.description, .strong)] + particulars, indent: 2)
    page.end()
  }

  private static func putVersions(of record: KeyRecord, isInUse: Bool, on page: inout Page) {
    let (versions, style) = (RecordHistory.versions(of: record), page.style)
    let rows = Rows(
      versions.lazy.map { ("\($0.version.number)", style.time($0.version.storedAt)) }, width: page.width)
    for version in versions {
      let isActive = isInUse && version.isCurrent
      let origin = version.version.origin
      var details = [Run.apart(origin.flatMap(Composition.init(canonical:))?.words ?? origin ?? "by hand")]
      if let equal = version.equals { details.append(.apart("same value as \(equal)", .faint)) }
      details += version.standing
      rows.set(
        page.style.text(isActive ? .active : .inactive), isActive ? .add : .faint, "\(version.version.number)",
        style.time(version.version.storedAt), details, on: &page)
    }
  }
}
