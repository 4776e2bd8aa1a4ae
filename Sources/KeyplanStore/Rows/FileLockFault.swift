import KeyplanApply

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Why SQLite found a store's file busy, for which it has one code: somebody writes, or nothing can be locked there at all.
enum FileLockFault {
  static func find(at path: String) -> StoreError {
    // Whoever writes holds the store's own lock, and has said in it who it is; unless that is this process, which a reader is in
    // the way of.
    if let holder = try? StoreLock.holder(of: .file(path)), holder.process != getpid() {
      return StoreLock.held("The store", by: holder)
    }
    switch probe(path) {
    case .process(let number):
      return StoreError(
        .locked, "Process \(number) is using \(path).", hint: "Wait for it to end, or give --lock-timeout 30s.")
    case .unsupported(let reason):
      return StoreError(
        .io, "\(path) cannot be locked: \(reason).",
        hint: "Keep the store on a file system that supports locks; on NFS, its lock service must run.")
    case .unknown:
      return StoreError(.locked, "Another process is writing to \(path).", hint: "Try again.")
    }
  }

  private enum Answer {
    case process(Int32)
    case unsupported(String)
    case unknown
  }

  /// Asks the system who holds a lock that is in the way of a writer.
  private static func probe(_ path: String) -> Answer {
    // It stays open: to close any descriptor of the file would end SQLite's own locks on it (POSIX), and the run is about to end.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return .unknown }
    // SQLite's lock bytes, as its file format has them.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 512
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return unsupported() }
    if lock.l_type != Int16(F_UNLCK) { return lock.l_pid > 0 ? .process(lock.l_pid) : .unknown }
    // Nobody holds one now. A lock beyond SQLite's bytes, and beyond the file's end, keeps nobody from anything.
    lock.l_type = Int16(F_RDLCK)
    lock.l_start = 0x4000_0000 + 512
    lock.l_len = 1
    return fcntl(descriptor, F_SETLK, &lock) == 0 ? .unknown : unsupported()
  }

  private static func unsupported() -> Answer {
    [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL].contains(errno) ? .unsupported(String(cString: strerror(errno))) : .unknown
  }
}
