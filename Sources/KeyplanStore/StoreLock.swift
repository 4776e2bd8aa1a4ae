public import KeyplanApply
public import KeyplanCore
import KeyplanFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// One run at a time: the lock on `STORE.lock`, a file that is never deleted. It ends with its holder, however that ends, so a
/// dead holder is no holder; a living one is never robbed.
public final class StoreLock: Sendable {
  private let file: LockFile

  private init(_ file: LockFile) { self.file = file }

  deinit { file.unlock() }

  /// Who holds a lock, in its own words; for people only, nothing is ever decided by it.
  public struct Holder: Hashable, Sendable {
    /// The machine's name.
    public let host: String
    /// The process there.
    public let process: Int32
    /// Since when.
    public let since: Moment
    /// What it runs.
    public let command: String
  }

  /// Takes the lock, waiting up to `timeout` for whoever holds it.
  /// - Throws: `locked`, naming the holder.
  public static func acquire(
    for store: String, command: String, since now: Moment, timeout: Duration = .zero
  ) async throws(StoreError) -> StoreLock {
    try await acquire(lockPath(store), "The store", command: command, since: now, timeout: timeout)
  }

  /// Takes the lock of one account of a store: whoever refreshes its tokens holds it from before they are read until the
  /// next ones are stored. The store's own lock is taken after it, never before, so that nobody waits in a circle.
  /// - Throws: `locked`, naming the holder.
  public static func acquire(
    account: Identifier<Account>, of store: String, command: String, since now: Moment, timeout: Duration = .zero
  ) async throws(StoreError) -> StoreLock {
    let path = "\(store).calendar-\(account).lock"
    return try await acquire(path, "calendar.\(account)", command: command, since: now, timeout: timeout)
  }

  private static func acquire(
    _ path: String, _ what: String, command: String, since now: Moment, timeout: Duration
  ) async throws(StoreError) -> StoreLock {
    let clock = ContinuousClock()
    // Who only looks at the lock holds it for an instant: that is waited for, asked or not.
    let deadline = clock.now.advanced(by: max(timeout, .milliseconds(50)))
    var pause = Duration.milliseconds(10)
    let file = try open(path, what)
    let details = Self.details(of: command, since: now)
    while true {
      do throws(FileError) {
        if try file.tryLock(details: details) { return StoreLock(file) }
      } catch {
        throw StoreError(StorePlace.code(error), "\(what) cannot be locked: \(error).", hint: error.hint)
      }
      let left = clock.now.duration(to: deadline)
      guard left > .zero, (try? await clock.sleep(for: min(pause, left))) != nil else {
        throw held(what, by: holder(from: (try? file.details()).flatMap { $0 } ?? ""))
      }
      pause = min(pause * 2, .milliseconds(250))
    }
  }

  /// Who holds the lock now; nil if nobody does. Makes no file and changes none.
  public static func holder(of store: String) throws(StoreError) -> Holder? {
    do throws(FileError) {
      return try LockFile.holder(at: lockPath(store)).map(holder(from:))
    } catch {
      throw StoreError(StorePlace.code(error), "The lock cannot be looked at: \(error).", hint: error.hint)
    }
  }

  private static func lockPath(_ store: String) -> String { store + ".lock" }

  private static func open(_ path: String, _ what: String) throws(StoreError) -> LockFile {
    do throws(FileError) {
      return try LockFile(path)
    } catch {
      throw StoreError(StorePlace.code(error), "\(what) cannot be locked: \(error).", hint: error.hint)
    }
  }

  /// `PID SECONDS HOST COMMAND`.
  private static func details(of command: String, since: Moment) -> String {
    var name = [CChar](repeating: 0, count: 256)
    let host = gethostname(&name, name.count - 1) == 0 ? name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } : []
    let word = String(decoding: host, as: UTF8.self)
    return "\(getpid()) \(since.seconds) \(word.isEmpty ? "unknown" : word) \(command)"
  }

  private static func holder(from text: String) -> Holder {
    let words = text.split(separator: " ", maxSplits: 3)
    guard words.count == 4, let process = Int32(words[0]), let since = Int64(words[1]) else {
      return Holder(host: "unknown", process: 0, since: Moment(seconds: 0), command: "unknown")
    }
    return Holder(
      host: String(words[2]), process: process, since: Moment(seconds: since), command: String(words[3]))
  }

  private static func held(_ what: String, by holder: Holder) -> StoreError {
    StoreError(
      .locked,
      "\(what) is locked by process \(holder.process) on \(holder.host) since \(holder.since): \(holder.command).",
      hint: "Wait for it to end, or give --lock-timeout 30s.")
  }
}
