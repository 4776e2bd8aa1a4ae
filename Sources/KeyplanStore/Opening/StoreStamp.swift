package import KeyplanPorts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Shows whether a store may have changed since it was read, without opening it: of a file its status, on a server one column of
/// one row. It is not authenticated, and decides only whether to read again.
package struct StoreStamp: Equatable, Sendable {
  private enum Content: Hashable, Sendable {
    case file(device: UInt64, inode: UInt64, size: Int64, changed: Int64)
    case root([UInt8])
  }

  private let content: Content
  /// Whether a later change is certain to have another stamp.
  package let isSettled: Bool

  /// The kernel takes the time of a change from a clock that ticks every few milliseconds, so that two changes can have the same
  /// one. Network file systems, and file systems of other machines, are coarser.
  private static let tick: Int64 = 2_000_000_000

  package static func == (one: Self, other: Self) -> Bool { one.content == other.content }

  /// The present stamp.
  /// - Throws: `noStore` if there is none.
  package init(of location: StoreLocation) throws(StoreError) {
    switch location {
    case .file(let path): try self.init(file: path)
    case .shared(let shared): self.init(.root(try PostgresRows.root(shared.session)), isSettled: true)
    }
  }

  private init(_ content: Content, isSettled: Bool) { (self.content, self.isSettled) = (content, isSettled) }

  /// The file is not opened: closing it would release SQLite's own locks on it (POSIX, `fcntl`).
  private init(file path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == ENOENT
        ? StoreError(.noStore, "The store at \(path) does not exist.", hint: "keyplan init")
        : StoreError(.io, "\(path) cannot be inspected: \(String(cString: strerror(errno))).")
    }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    #if canImport(Glibc)
    let changed = Self.nanoseconds(status.st_ctim)
    #else
    let changed = Self.nanoseconds(status.st_ctimespec)
    #endif
    self.init(
      .file(
        device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
        size: Int64(status.st_size), changed: changed),
      isSettled: Self.nanoseconds(now) &- changed > Self.tick)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
