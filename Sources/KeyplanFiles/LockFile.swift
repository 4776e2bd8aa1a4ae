#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that one process at a time holds the lock of, and that is never deleted.
///
/// The lock is the kernel's (`flock`), not the file's being there: it ends with its holder, however that ends, so there is no
/// stale lock to clear. Children do not inherit it. On NFS it holds between machines as far as the server locks.
package final class LockFile: Sendable {
  private let file: Descriptor
  private let path: String

  /// Opens the file, or makes it with mode 0600 whatever the umask. Takes no lock yet.
  ///
  /// - Throws: ``FileError`` also for a link, and for a file that is not this user's alone: whoever can open it can hold its lock.
  package init(_ path: String) throws(FileError) {
    let opened = try LockFile.open(path)
    let status = try opened.status(path)
    try status.requireRegular(path)
    try status.requirePrivate(path)
    // Only now: from here on `deinit` runs, which writes to the file.
    file = opened
    self.path = path
  }

  // Closing alone would not do: a child that another thread is just starting has a copy until it runs its program.
  deinit { unlock() }

  /// Takes the lock without waiting.
  ///
  /// - Parameter details: who holds it, for people: host, process, since when, doing what. Nothing is ever decided by it.
  /// - Returns: `false` if somebody else holds it.
  /// - Throws: ``FileError/Code/replaced`` if the file was deleted or exchanged since it was opened: a lock of
  ///   that one would not be seen by who opens the new one.
  package func tryLock(details: String) throws(FileError) -> Bool {
    guard try file.tryLock(path) else { return false }
    do throws(FileError) {
      let found = try Status.ofName(path, path: path)
      guard let found, try file.status(path).isSameFile(as: found) else { throw FileError(.replaced, path) }
      try file.truncate(path)
      try file.write(Array(details.utf8.prefix(LockFile.detailsLimit)), path)
    } catch {
      unlock()
      throw error
    }
    return true
  }

  /// Gives the lock back, and takes the details out of the file. Does nothing while somebody else holds it.
  package func unlock() {
    // Only the holder may empty the file, and asking for a lock that is held already grants it again.
    guard (try? file.tryLock(path)) == true else { return }
    try? file.truncate(path)
    flock(file.number, LOCK_UN)
  }

  /// What the holder wrote of itself, control characters replaced; `nil` if it wrote nothing. Needs no lock.
  ///
  /// Only true while somebody holds the lock: who was killed could not clear it. Ask after `tryLock` said `false`.
  package func details() throws(FileError) -> String? { try LockFile.details(at: path) }

  /// What the holder of the lock wrote of itself, empty if nothing; `nil` if nobody holds it or there is no such file.
  /// Writes nothing, the file's times included.
  package static func holder(at path: String) throws(FileError) -> String? {
    let file: Descriptor
    do throws(FileError) {
      file = try SafeFile.openAny(path, in: Descriptor.workingDirectory, O_RDONLY | O_NOFOLLOW, path: path)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
    try file.status(path).requireRegular(path)
    return try file.isLocked(path) ? try details(at: path) ?? "" : nil
  }

  private static func details(at path: String) throws(FileError) -> String? {
    let bytes = try SafeFile.readPrivate(path, limit: detailsLimit)
    let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? " " : Character(scalar)
    }
    return text.isEmpty ? nil : String(text)
  }

  private static let detailsLimit = 4096

  private static func open(_ path: String) throws(FileError) -> Descriptor {
    do throws(FileError) {
      let made = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, path: path)
      try made.setMode(0o600, path)
      return made
    } catch {
      guard error.code == .exists else { throw error }
      return try SafeFile.openAny(path, in: Descriptor.workingDirectory, O_RDWR | O_NOFOLLOW, path: path)
    }
  }
}
