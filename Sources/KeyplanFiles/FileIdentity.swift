#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file to which a path leads after links are followed. Two paths with equal identities name the same file.
package struct FileIdentity: Hashable, Sendable {
  package let kind: FileKind
  /// Permission bits only.
  package let mode: UInt32
  private let device: Int
  private let inode: UInt64

  /// Nil if the file does not exist or cannot be inspected.
  package init?(_ path: String) {
    var raw = stat()
    guard !path.utf8.contains(0), stat(path, &raw) == 0 else { return nil }
    let status = Status(raw)
    (kind, mode) = (status.kind, status.mode)
    device = Int(truncatingIfNeeded: raw.st_dev)
    inode = UInt64(raw.st_ino)
  }

  /// Whether the path itself is a symbolic link.
  package static func isLink(_ path: String) -> Bool {
    var raw = stat()
    return !path.utf8.contains(0) && lstat(path, &raw) == 0 && Status(raw).kind == .symlink
  }

  /// For files that keyplan writes by itself under a fixed name.
  package static func requireNoLink(_ path: String) throws(FileError) {
    if isLink(path) { throw FileError(.symlink, path) }
  }

  package static func == (left: Self, right: Self) -> Bool { left.device == right.device && left.inode == right.inode }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(device)
    hasher.combine(inode)
  }
}
