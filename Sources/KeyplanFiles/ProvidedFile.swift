#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file with a secret that root provides to processes of other users: as a mounted secret of a container, of Kubernetes or of systemd.
///
/// The reader cannot change its owner or mode, and does not have to: it belongs to root, and only root can write it. Symbolic links to it
/// are followed if only root can replace them: Kubernetes mounts the files of a volume as links, so that it can replace all of them at once.
/// A process of root can correct a mode, except on a read-only mount.
package struct ProvidedFile {
  /// Without symbolic links.
  package let path: String
  /// Whether all users of this machine can read it. Then it is on a mount of its own, which is in memory or read-only.
  package let isPublic: Bool
  let status: Status

  /// Nil if it is not a file of this kind. Opens nothing.
  /// - Throws: ``FileError/Code/providedTooOpen(mode:)`` for a file of root's that others can write, or read although it is on no mount of its own.
  package init?(_ path: String) throws(FileError) {
    let resolved = try ResolvedPath(path)
    for link in resolved.links {
      guard let status = try Status.ofName(link, path: path), status.isRoots, status.links <= 1 else { return nil }
      guard try Self.isClosed(ResolvedPath.parent(of: link), isSticky: true, path) else { return nil }
    }
    guard let status = try Status.ofName(resolved.path, path: path), status.kind == .regular, status.isRoots,
      status.links <= 1
    else { return nil }
    let mount = try Mount(of: resolved.path, status, path)
    guard geteuid() != 0 || mount.isReadOnly else { return nil }
    isPublic = status.mode & 0o004 != 0
    guard status.mode & 0o022 == 0, !isPublic || mount.isOwn && (mount.isReadOnly || mount.isInMemory) else {
      throw FileError(.providedTooOpen(mode: status.mode), path)
    }
    (self.path, self.status) = (resolved.path, status)
  }

  /// Whether only root can create files beside it.
  package func isInClosedFolder() throws(FileError) -> Bool {
    try Self.isClosed(ResolvedPath.parent(of: path), isSticky: false, path)
  }

  /// - Parameter isSticky: whether a folder in which others cannot replace existing files is sufficient.
  private static func isClosed(_ folder: String, isSticky: Bool, _ path: String) throws(FileError) -> Bool {
    guard let status = try Status.ofName(folder, path: path), status.isRoots else { return false }
    let mount = try Mount(of: folder, status, path)
    guard geteuid() != 0 || mount.isReadOnly else { return false }
    return status.mode & 0o022 == 0 || isSticky && status.isSticky || mount.isReadOnly
  }
}
