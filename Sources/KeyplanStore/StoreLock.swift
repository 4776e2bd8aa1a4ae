import KeyplanFiles
package import KeyplanModel
package import KeyplanPorts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Allows one run at a time. Locks are never taken from a live process; locks of dead processes are released.
///
/// For a store in a file it is the lock on `STORE.lock`, a file that is never deleted. For a shared store it is a
/// lease, which expires without renewal, or earlier if its holder's connection is gone.
package final class StoreLock: Sendable {
  private let kind: Kind

  private enum Kind {
    case file(LockFile)
    case lease(PostgresLease)
  }

  private init(_ kind: Kind) { self.kind = kind }

  deinit {
    if case .file(let file) = kind { file.unlock() }
  }

  /// The lease that commits to a shared store must contain.
  var lease: PostgresLease? {
    if case .lease(let lease) = kind { lease } else { nil }
  }

  /// The holder of a lock, as it describes itself; for display only, never for decisions.
  package struct Holder: Hashable, Sendable {
    package let host: String
    package let process: Int32
    /// The time at which it took the lock.
    package let since: Moment
    /// Its command.
    package let command: String
    /// The lease's id, for breaking it; nil for a lock that ends with its holder.
    package var id: Int64?
    /// The URL of its CI job.
    package var job: String?
    /// The seconds since the last renewal.
    package var silence: Int64?

    /// Whether it recorded its details. Another program can hold the lock of the file, or the disk was full.
    package var isKnown: Bool { process != 0 }
  }

  /// Takes the lock, waiting up to `timeout`, or until the task is cancelled.
  /// - Parameter job: the URL of the CI job.
  /// - Throws: `locked`, naming the holder; `interrupted` if the task was cancelled.
  package static func acquire(
    for store: StoreLocation, command: String, job: String? = nil, since now: Moment, timeout: Duration = .zero,
    clock: WaitingClock = .system
  ) async throws(StoreError) -> StoreLock {
    let mine = Holder(host: hostName(), process: getpid(), since: now, command: command, job: job)
    switch store {
    case .file(let path): return try await acquire(lockPath(path), "The store", for: mine, timeout, clock)
    case .shared(let shared):
      return try await acquire(shared, .store, "The store", for: mine, timeout, clock)
    }
  }

  private static func acquire(
    _ shared: SharedStore, _ subject: PostgresLease.Subject, _ what: String, for mine: Holder, _ timeout: Duration,
    _ clock: WaitingClock
  ) async throws(StoreError) -> StoreLock {
    let session = shared.session
    var watch = HolderWatch(subject, session, clock: clock)
    return try await waiting(what, timeout, clock) { () throws(StoreError) in
      if let lease = try PostgresLease.take(subject, shared, for: mine) { return StoreLock(.lease(lease)) }
      guard watch.ends() else { return nil }
      return try PostgresLease.take(subject, shared, for: mine).map { StoreLock(.lease($0)) }
    } isEnding: {
      watch.hasSign
    } holder: { () throws(StoreError) in
      try PostgresLease.holder(subject, session)
    }
  }

  /// Takes the lock of one account of a store: a refresh holds it from before it reads the tokens until the new ones
  /// are stored. The store's own lock is taken after it, never before, to avoid deadlocks.
  /// - Throws: `locked`, naming the holder.
  package static func acquire(
    account: Identifier<Account>, of store: StoreLocation, command: String, job: String? = nil, since now: Moment,
    timeout: Duration = .zero
  ) async throws(StoreError) -> StoreLock {
    let mine = Holder(host: hostName(), process: getpid(), since: now, command: command, job: job)
    let what = "calendar.\(account)"
    switch store {
    case .file(let path):
      return try await acquire(accountPath(path, account), what, for: mine, timeout, .system)
    case .shared(let shared):
      return try await acquire(shared, .account(account), what, for: mine, timeout, .system)
    }
  }

  private static func acquire(
    _ path: String, _ what: String, for mine: Holder, _ timeout: Duration, _ clock: WaitingClock
  ) async throws(StoreError) -> StoreLock {
    let file = try open(path, what)
    let details = details(of: mine)
    return try await waiting(what, timeout, clock) { () throws(StoreError) in
      do throws(FileError) {
        return try file.tryLock(details: details) ? StoreLock(.file(file)) : nil
      } catch {
        throw StoreError(StoreFile.code(error), "\(what) cannot be locked: \(error).", hint: error.hint)
      }
    } holder: { () throws(StoreError) in
      holder(from: (try? file.details()).flatMap { $0 } ?? "")
    }
  }

  private static func waiting(
    _ what: String, _ timeout: Duration, _ clock: WaitingClock, _ attempt: () throws(StoreError) -> StoreLock?,
    isEnding: () -> Bool = { false }, holder: () throws(StoreError) -> Holder?
  ) async throws(StoreError) -> StoreLock {
    // Inspecting a lock holds it for a moment, so acquiring one always waits for that.
    let deadline = clock.now() + max(timeout, .milliseconds(50))
    var pause = Duration.milliseconds(10)
    while true {
      if let lock = try attempt() { return lock }
      let left = deadline - clock.now()
      // It becomes clear within half a second whether the holder is dead, so acquiring waits for that, too.
      guard left > .zero || isEnding() else { throw held(what, by: try holder() ?? unknown) }
      guard (try? await clock.sleep(left > .zero ? min(pause, left) : pause)) != nil else {
        throw StoreError(.interrupted, "\(what) was still locked when the run was interrupted.")
      }
      pause = min(pause * 2, .milliseconds(250))
    }
  }

  /// The current holder of the lock; nil if there is none. Does not create or change any file.
  package static func holder(of store: StoreLocation) throws(StoreError) -> Holder? {
    switch store {
    case .file(let path):
      return try holder(ofLock: lockPath(path))
    case .shared(let shared): return try PostgresLease.holder(.store, shared.session)
    }
  }

  private static func holder(ofLock path: String) throws(StoreError) -> Holder? {
    do throws(FileError) {
      return try LockFile.holder(at: path).map(holder(from:))
    } catch {
      throw StoreError(StoreFile.code(error), "The lock cannot be inspected: \(error).", hint: error.hint)
    }
  }

  /// The holder of an account's lock.
  package struct AccountHolder: Hashable, Sendable {
    /// Nil for an unknown account: a server does not store the names.
    package let account: Identifier<Account>?
    package let holder: Holder
  }

  /// The current holders of accounts' locks. For a file, these accounts are checked; on a server, all locks are listed,
  /// with the names of these accounts. Sorted by name, those without a name last.
  package static func accountHolders(
    of store: StoreLocation, among accounts: some Sequence<Identifier<Account>>
  ) throws(StoreError) -> [AccountHolder] {
    switch store {
    case .file(let path):
      var found: [AccountHolder] = []
      for account in accounts.sorted() {
        if let holder = try holder(ofLock: accountPath(path, account)) {
          found.append(AccountHolder(account: account, holder: holder))
        }
      }
      return found
    case .shared(let shared):
      let names = Dictionary(accounts.map { (PostgresLease.Subject.account($0).name, $0) }) { first, _ in first }
      let found = try PostgresLease.accountHolders(shared.session)
        .map { AccountHolder(account: names[$0.name], holder: $0.holder) }
      return found.filter { $0.account != nil }.sorted { ($0.account?.name ?? "") < ($1.account?.name ?? "") }
        + found.filter { $0.account == nil }
    }
  }

  /// Breaks the lock of a shared store, or of one of its accounts. The holder's next commit is then rejected.
  /// - Returns: false if the lease with this id is not held.
  package static func breakLease(
    _ id: Int64, of store: SharedStore, account: Identifier<Account>? = nil
  ) throws(StoreError) -> Bool {
    try PostgresLease.end(account.map { .account($0) } ?? .store, id, store.session)
  }

  private static func accountPath(_ store: String, _ account: Identifier<Account>) -> String {
    "\(store).calendar-\(account).lock"
  }

  private static func lockPath(_ store: String) -> String { store + ".lock" }

  private static func open(_ path: String, _ what: String) throws(StoreError) -> LockFile {
    do throws(FileError) {
      return try LockFile(path)
    } catch {
      throw StoreError(StoreFile.code(error), "\(what) cannot be locked: \(error).", hint: error.hint)
    }
  }

  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    let host = gethostname(&name, name.count - 1) == 0 ? name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } : []
    return host.isEmpty ? "unknown" : String(decoding: host, as: UTF8.self)
  }

  /// `PID SECONDS HOST COMMAND`.
  private static func details(of holder: Holder) -> String {
    "\(holder.process) \(holder.since.seconds) \(holder.host) \(holder.command)"
  }

  private static let unknown = Holder(host: "unknown", process: 0, since: Moment(seconds: 0), command: "unknown")

  private static func holder(from text: String) -> Holder {
    let words = text.split(separator: " ", maxSplits: 3)
    guard words.count == 4, let process = Int32(words[0]), let since = Int64(words[1]) else { return unknown }
    return Holder(
      host: String(words[2]), process: process, since: Moment(seconds: since), command: String(words[3]))
  }

  static func held(_ what: String, by holder: Holder) -> StoreError {
    let job = holder.job.map { " (\($0))" } ?? ""
    return StoreError(
      .locked,
      holder.isKnown
        ? "\(what) is locked by process \(holder.process) on \(holder.host) since \(holder.since): \(holder.command)\(job)."
        : "\(what) is locked by a process that left no record of itself.",
      hint: holder.id == nil
        ? "Wait for it to end, or use --lock-timeout 30s."
        : "Wait for it to end, or use --lock-timeout 30s. A lock expires 15 seconds after its last renewal.")
  }
}
