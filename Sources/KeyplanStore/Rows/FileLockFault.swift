import KeyplanPorts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Determines why SQLite reported a store's file as busy: another process is writing, or the file system does not
/// support locks.
enum FileLockFault {
  static func find(at path: String) -> StoreError {
    // A writing process holds the store's own lock, whose file describes it; unless it is this process, blocked by a
    // reader.
    if let holder = try? StoreLock.holder(of: .file(path)), holder.process != getpid() {
      return StoreLock.held("The store", by: holder)
    }
    switch probe(path) {
    case .process(let number):
      return StoreError(
        .locked, "Process \(number) is using \(path).", hint: "Wait for it to end, or use --lock-timeout 30s.")
    case .unsupported(let reason):
      return StoreError(
        .io, "\(path) cannot be locked: \(reason).",
        hint: "Keep the store on a file system that supports locks; on NFS, the lock service must be running.")
    case .unknown:
      return StoreError(.locked, "Another process is writing to \(path).", hint: "Try again.")
    }
  }

  private enum Answer {
    case process(Int32)
    case unsupported(String)
    case unknown
  }

  /// Queries the system for the holder of a conflicting lock.
  private static func probe(_ path: String) -> Answer {
    // Never closed: closing any descriptor of the file would release SQLite's own locks on it (POSIX), and the run is
    // about to end.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return .unknown }
    // The lock bytes of SQLite's file format.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 512
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return unsupported() }
    if lock.l_type != Int16(F_UNLCK) { return lock.l_pid > 0 ? .process(lock.l_pid) : .unknown }
    // No conflict now. A lock after SQLite's bytes, and after the file's end, blocks nothing.
    lock.l_type = Int16(F_RDLCK)
    lock.l_start = 0x4000_0000 + 512
    lock.l_len = 1
    return fcntl(descriptor, F_SETLK, &lock) == 0 ? .unknown : unsupported()
  }

  private static func unsupported() -> Answer {
    [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL].contains(errno) ? .unsupported(String(cString: strerror(errno))) : .unknown
  }
}
