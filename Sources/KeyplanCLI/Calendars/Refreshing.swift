internal import KeyplanApply
internal import KeyplanCore

/// Refreshes accounts one after the other, and tells of each. An account that fails stops no other.
struct Refreshing {
  private let accounts: Accounts
  private let timeout: Patience?

  init(_ accounts: Accounts, timeout: Patience?) {
    self.accounts = accounts
    self.timeout = timeout
  }

  /// One account, whatever time its token has left.
  func one(_ id: Identifier<Account>) async throws -> ExitStatus {
    try await told([(id, try await kept(id, isForced: true))])
  }

  /// All that have tokens, as far as these are over or nearly.
  func all() async throws -> ExitStatus {
    let manifest = accounts.surroundings.manifest
    var results: [(Identifier<Account>, Result<KeptToken, Failure>)] = []
    for (id, account) in manifest.accounts.sorted(by: { $0.key < $1.key }) where account.signIn.hasTokens {
      results.append((id, try await kept(id, isForced: false)))
      if Task.isCancelled { break }
    }
    return try await told(results)
  }

  private func kept(_ id: Identifier<Account>, isForced: Bool) async throws -> Result<KeptToken, Failure> {
    do throws(Failure) {
      return .success(try await accounts.keep(id, isForced: isForced, timeout: timeout))
    } catch {
      return .failure(error)
    }
  }

  private func told(_ results: [(Identifier<Account>, Result<KeptToken, Failure>)]) async throws -> ExitStatus {
    let (options, world) = (accounts.surroundings.options, accounts.world)
    let rows = results.map { id, result in
      RefreshRow(id, result, accounts.surroundings.manifest.accounts[id])
    }
    if options.isJSON(in: world) {
      world.out.write(try Document.text(RefreshDocument(rows)))
    } else {
      let shown = options.isQuiet(in: world) ? rows.filter { $0.failure != nil } : rows
      let style = options.style(for: world.out, in: world)
      world.out.write(RefreshText.render(shown, style: style, isQuiet: options.isQuiet(in: world)))
    }
    return ExitStatus.worst(rows.compactMap(\.failure?.status))
  }
}

/// What became of one account.
struct RefreshRow {
  let id: Identifier<Account>
  /// Whether a new token was given.
  let isRefreshed: Bool
  /// Why there is none.
  let failure: Failure?

  init(_ id: Identifier<Account>, _ result: Result<KeptToken, Failure>, _ account: Account?) {
    self.id = id
    switch result {
    case .success(.fresh): (isRefreshed, failure) = (false, nil)
    case .success(.refreshed): (isRefreshed, failure) = (true, nil)
    case .success(let kept): (isRefreshed, failure) = (false, Failure(kept, id, account))
    case .failure(let error): (isRefreshed, failure) = (false, error)
    }
  }
}

/// What `calendar refresh` tells programs; `schemas/calendarRefresh.schema.json`.
struct RefreshDocument: Encodable {
  let formatVersion = 1
  let accounts: [Row]

  struct Row: Encodable {
    let name: Identifier<Account>
    let result: String
    let reason: String?
    let hint: String?
  }

  init(_ rows: [RefreshRow]) {
    accounts = rows.map { row in
      let result =
        switch row.failure?.status {
        case nil: row.isRefreshed ? "refreshed" : "fresh"
        case .personNeeded: "personNeeded"
        case .unreachable: "unreachable"
        case .locked: "locked"
        default: "failed"
        }
      return Row(
        name: row.id, result: result, reason: row.failure?.detail,
        hint: row.failure?.hint)
    }
  }
}

/// What became of refreshing, for people.
enum RefreshText {
  static func render(_ rows: [RefreshRow], style: Style, isQuiet: Bool) -> String {
    var page = Page(style: style)
    if rows.isEmpty, !isQuiet {
      page.prose("No account has tokens to refresh.", indent: 0)
      page.end()
    }
    for row in rows {
      guard let failure = row.failure else {
        page.put("calendar.\(row.id)", .strong)
        page.put(row.isRefreshed ? "   refreshed" : "   still good")
        page.end()
        continue
      }
      page.failure(failure)
    }
    return page.text
  }
}
