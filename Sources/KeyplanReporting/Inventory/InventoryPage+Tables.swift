internal import KeyplanModel
internal import KeyplanPlanning

extension InventoryPage {
  var keys: String {
    guard !report.keys.rows.isEmpty else { return section("keys", "Keys", "<p>No keys are declared or recorded.") }
    let targets = report.targetsOfKeys
    let rows = report.keys.rows.map { row in
      let model = row.facts.model.map { " <small>\(Markup.escaped($0))</small>" } ?? ""
      let slots = row.slots.map { Markup.escaped($0.name) }.joined(separator: ", ")
      let places = (targets[row.name] ?? []).map { Markup.escaped($0.name) }.joined(separator: ", ")
      return
        "<tr><th scope=row>\(Markup.escaped(row.name.name))\(tags(row))<td>\(Markup.escaped(row.facts.provider))\(model)<td>\(row.version.map { "\($0.number)" } ?? "")<td>\(row.version?.storedAt.date ?? "")\(expiry(row))<td>\(slots)<td>\(places)"
    }
    return section(
      "keys", "Keys",
      """
      <table><thead><tr><th scope=col>Key<th scope=col>Provider<th scope=col>Version<th scope=col>Stored<th scope=col>Expires<th scope=col>Slots<th scope=col>Targets
      <tbody>\(rows.joined(separator: "\n"))</table>
      """,
      beside:
        "<form id=filter role=search hidden><label for=q>Filter</label> <input id=q type=search autocomplete=off spellcheck=false> <output for=q></output></form>"
    )
  }

  private func tags(_ row: KeyListing.Row) -> String {
    // The column of dates shows the end.
    row.standings.filter { $0 != .expired }.map { " <em>\($0.words)</em>" }.joined()
  }

  private func expiry(_ row: KeyListing.Row) -> String {
    switch row.expiry {
    case .fresh(let end): "<td>\(end.date)"
    case .soon(let end): "<td class=soon>\(end.date) <small>\(Spans.relative(end, to: report.now))</small>"
    case .over(let end): "<td class=over>\(end.date) <small>expired</small>"
    case nil: "<td>"
    }
  }

  var map: String {
    guard !report.targets.isEmpty else {
      return section(
        "map", "Where keys go",
        "<p>No targets. Programs read keys with <code>keyplan run</code>, <code>env</code> or <code>get</code>.")
    }
    let cards = report.targets.map { target in
      let entries = target.entries.map { name, entry in
        "<li>\(Markup.escaped(name)) <b>\(Markup.escaped(entry.key.name))</b>"
      }
      let empty = "<p>Nothing was written yet."
      return """
        <article class=target><h3><code>\(Markup.escaped(target.name.name))</code> <span>\(Markup.escaped(target.destination.type)) · \(Markup.escaped(target.destination.words))</span>\(target.isDeclared ? "" : " <em>not declared</em>") <span class=n>\(Spans.number(entries.count))</span></h3>
        \(entries.isEmpty ? empty : "<ul>\(entries.joined(separator: "\n"))</ul>")
        </article>
        """
    }
    return section("map", "Where keys go", cards.joined(separator: "\n"), beside: "<p>name at the target ← key")
  }

  var accounts: String {
    guard !report.accounts.isEmpty else {
      return section("accounts", "Calendar accounts", "<p>No calendar accounts are declared.")
    }
    let rows = report.accounts.map { status in
      let next = status.next
      let action = [next.command.map { "<code>\(Markup.escaped($0))</code>" }, next.hint.map(Markup.escaped)]
      let level =
        switch status.state {
        case .granted: "good"
        case .expired, .heldBack: "idle"
        default: "over"
        }
      return
        "<tr><th scope=row>\(Markup.escaped(status.id.name))<td>\(status.account.facts.service.spoken) <small>\(Markup.escaped(status.account.facts.account))</small><td class=\(level)>\(status.word)<td>\(Markup.escaped(status.reason(style)))<td>\(status.forecast?.end.date ?? "")<td>\(action.compactMap(\.self).joined(separator: " "))"
    }
    return section(
      "accounts", "Calendar accounts",
      """
      <table><thead><tr><th scope=col>Account<th scope=col>Service<th scope=col>State<th scope=col>Reason<th scope=col>Sign-in expires<th scope=col>Next
      <tbody>\(rows.joined(separator: "\n"))</table>
      """)
  }

  var runs: String {
    guard !report.runs.isEmpty else { return section("runs", "Last applies", "<p>Nothing was applied yet.") }
    let rows = report.runs.map { run in
      let mark = run.isIncomplete ? " <em>not completed</em>" : ""
      let invocation = run.invocation
      let done = invocation == nil ? "" : run.sum
      let job = invocation?.job.map { " <small>\(Markup.escaped($0.words))</small>" } ?? ""
      return
        "<tr><th scope=row>\(style.time(run.at))\(mark)<td>\(Markup.escaped(invocation?.who ?? ""))\(job)<td>\(Markup.escaped(invocation?.command ?? ""))<td>\(Markup.escaped(done))<td><code>\(Markup.escaped(run.id))</code>"
    }
    return section(
      "runs", "Last applies",
      """
      <table><thead><tr><th scope=col>Time<th scope=col>By<th scope=col>Command<th scope=col>Done<th scope=col>Plan
      <tbody>\(rows.joined(separator: "\n"))</table>
      """)
  }
}
