#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is never deleted and whose lock one process at a time can hold.
///
/// The lock is the kernel's (`flock`), not the existence of the file: it ends when its holder does, however that
/// happens, so there are no stale locks. Child processes do not inherit it. On NFS it works across machines if the
/// server supports it.
package final class LockFile: Sendable {
  private let file: Descriptor
  private let path: String

  /// Opens the file, or creates it with mode 0600 whatever the umask. Does not take the lock.
  ///
  /// - Throws: ``FileError``, also for a link, and for a file that is accessible to other users: they could hold its
  ///   lock.
  package init(_ path: String) throws(FileError) {
    let opened = try LockFile.open(path)
    let status = try opened.status(path)
    try status.requireRegular(path)
    try status.requirePrivate(path)
    // Assigned only now: from here on `deinit` runs, which writes to the file.
    file = opened
    self.path = path
  }

  // Closing alone is not enough: a child process that another thread is just starting has a copy until it calls exec.
  deinit { unlock() }

  /// Tries to take the lock without waiting.
  ///
  /// - Parameter details: describes the holder to people: host, process, start, command. Never used for decisions.
  /// - Returns: `false` if another process holds the lock.
  /// - Throws: ``FileError/Code/replaced`` if the file was deleted or replaced since it was opened: a lock on the old
  ///   file does not exclude processes that open the new one.
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

  /// Releases the lock and removes the details from the file. Does nothing if another process holds the lock.
  package func unlock() {
    // Only the holder may empty the file. Asking again for a lock that is held already succeeds.
    guard (try? file.tryLock(path)) == true else { return }
    try? file.truncate(path)
    flock(file.number, LOCK_UN)
  }

  /// The details that the holder wrote, with control characters replaced; `nil` if empty. Needs no lock.
  ///
  /// Valid only while the lock is held, because a killed process cannot clear its details. Call it after `tryLock`
  /// returned `false`.
  package func details() throws(FileError) -> String? { try LockFile.details(at: path) }

  /// The details of the lock's holder, empty if it wrote none; `nil` if nothing holds the lock or the file does not
  /// exist. Writes nothing, not even the access time.
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
