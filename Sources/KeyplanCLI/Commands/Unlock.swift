internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanStore

/// Who holds the locks, and taking one from its holder.
struct Unlock: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Show who holds the store's lock and those of accounts, where, and since when.",
    usage: "keyplan unlock [<id> [--account <name>]] [<options>]",
    discussion: """
      A local lock ends with its holder, however that ends, so there is nothing to break: a dead holder is no holder, and \
      a hung one is ended by ending its process.

      The lock of a store on a server ends 15 seconds after its holder was last heard of. With the id that is shown it is \
      taken from a holder who is still heard of: his next write to the store is refused, and nothing is lost.

      Each calendar account has a lock of its own, for refreshing its token; with --account it is taken in the same way. \
      If its holder has just sent its token to the service, the answer is lost: the account may then want a new sign-in.

      Exit code 5 says that the store is locked. Locks of accounts do not count.

      For example:
        keyplan unlock
        keyplan unlock 42
        keyplan unlock 7 --account work
      """
  )
  .parsedAlone

  @Argument(help: ArgumentHelp("The lock to break, by the id that is shown.", valueName: "id"))
  var id: Int64?

  @Option(
    help: ArgumentHelp("The account whose lock it is, instead of the store's.", valueName: "name"),
    completion: DeclaredNames.accounts)
  var account: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let place = try ResolvedStore(in: world)
    if let id { return try end(id, try account.map(Self.identifier), place, on: terminal) }
    guard account == nil else {
      throw Failure(
        .usage, "Which lock?", "--account says whose lock is to be broken, and an id which one.",
        hint: "`keyplan unlock` shows who holds which.")
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

  /// Also where the manifest is not in order, or cannot be read: then none has a name.
  private func declared(in world: World) -> [Identifier<Account>] {
    (try? Project(in: world))?.reading.manifest.map { Array($0.accounts.keys) } ?? []
  }

  private static func identifier(_ text: String) throws(Failure) -> Identifier<Account> {
    guard let account = Identifier<Account>(text.hasPrefix("calendar.") ? text.dropFirst("calendar.".count) : text[...])
    else { throw Failure(.usage, "Not a name", Failure.nameRule("An account")) }
    return account
  }

  private func end(
    _ id: Int64, _ account: Identifier<Account>?, _ place: ResolvedStore, on terminal: Terminal
  ) throws -> Int32 {
    guard case .shared(let shared) = place.location else {
      throw Failure(
        .usage, "Nothing to break", "The lock of a store in a file ends with its holder.",
        hint: "`keyplan unlock` says who that is: end the process.")
    }
    let isBroken = try Failure.from { () throws(StoreError) in
      try StoreLock.breakLease(id, of: shared, account: account)
    }
    let what = account.map { "calendar.\($0)" }
    guard isBroken else {
      throw Failure(
        .failed, "No such lock", "Nobody holds a lock\(what.map { " of \($0)" } ?? "") with the id \(id).",
        hint: "`keyplan unlock` shows who holds which.")
    }
    guard !terminal.isJSON else {
      terminal.out.write(try Document.text(LockDocument()))
      return ExitStatus.done.rawValue
    }
    terminal.out.write("The lock \(id) of \(what ?? place.shown) is broken: its holder writes nothing more.\n")
    return ExitStatus.done.rawValue
  }
}
