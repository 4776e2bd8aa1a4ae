internal import ArgumentParser
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPorts
internal import KeyplanReporting
internal import KeyplanStore

/// Shows the holders of locks, and breaks locks.
struct Unlock: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Show who holds the locks of the store and of accounts, or break a lock.",
    usage: "keyplan unlock [<id> [--account <name>]] [<options>]",
    discussion: """
      A local lock is released when its holder exits, for whatever reason, so it never has to be broken. If the \
      holder hangs, end its process.

      The lock of a store on a server expires 15 seconds after its holder's last heartbeat. Pass its id to break \
      the lock of a holder that is still running: the holder's next write to the store is refused, and nothing is \
      lost.

      Each calendar account has its own lock, for refreshing its token; break it with --account. If the holder has \
      just sent its token to the service, the response is lost, and the account may require a new sign-in.

      Exits with 5 if the store is locked. Locks of accounts do not count.

      For example:
        keyplan unlock
        keyplan unlock 42
        keyplan unlock 7 --account work
      """
  )
  .parsedAlone

  @Argument(help: ArgumentHelp("The id of the lock to break.", valueName: "id"))
  var id: Int64?

  @Option(
    help: ArgumentHelp("Break this account's lock instead of the store's.", valueName: "name"),
    completion: DeclaredNames.accounts)
  var account: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let place = try ResolvedStore(in: world)
    if let id { return try end(id, try account.map(Self.identifier), place, on: terminal) }
    guard account == nil else {
      throw Failure(
        .usage, "Lock not specified", "--account requires the id of the lock to break.",
        hint: "List the locks with `keyplan unlock`.")
    }
    let declared = declared(in: world)
    let locks = try await place.waiting(in: world) { () throws(Failure) in
      try Failure.from { () throws(StoreError) in
        (
          store: try StoreLock.holder(of: place.location),
          accounts: try StoreLock.accountHolders(of: place.location, among: declared)
        )
      }
    }
    let report = LockReport(
      place: place.shown, store: locks.store.map { LockHolder($0) },
      accounts: locks.accounts.map { LockHolder($0.holder, of: $0.account) })
    terminal.out.write(
      terminal.isJSON
        ? try Document.text(LockDocument(report))
        : LockText.render(report, style: terminal.style(for: terminal.out)))
    return (locks.store == nil ? ExitStatus.done : .locked).rawValue
  }

  /// If the manifest is invalid or unreadable, accounts have no names.
  private func declared(in world: World) -> [Identifier<Account>] {
    (try? Project(in: world))?.reading.manifest.map { Array($0.accounts.keys) } ?? []
  }

  private static func identifier(_ text: String) throws(Failure) -> Identifier<Account> {
    guard let account = Identifier<Account>(text.hasPrefix("calendar.") ? text.dropFirst("calendar.".count) : text[...])
    else { throw Failure(.usage, "Invalid name", Failure.nameRule("An account")) }
    return account
  }

  private func end(
    _ id: Int64, _ account: Identifier<Account>?, _ place: ResolvedStore, on terminal: Terminal
  ) throws -> Int32 {
    guard case .shared(let shared) = place.location else {
      throw Failure(
        .usage, "Nothing to break", "The lock of a store in a file is released when its holder exits.",
        hint: "Find the process with `keyplan unlock` and end it.")
    }
    let isBroken = try Failure.from { () throws(StoreError) in
      try StoreLock.breakLease(id, of: shared, account: account)
    }
    let what = account.map { "calendar.\($0)" }
    guard isBroken else {
      throw Failure(
        .failed, "Lock not found", "There is no lock\(what.map { " of \($0)" } ?? "") with the id \(id).",
        hint: "List the locks with `keyplan unlock`.")
    }
    guard !terminal.isJSON else {
      terminal.out.write(try Document.text(LockDocument()))
      return ExitStatus.done.rawValue
    }
    terminal.out.write(
      "The lock \(id) of \(what ?? Glyphs.visible(place.shown)) is broken: its holder can no longer write.\n")
    return ExitStatus.done.rawValue
  }
}
