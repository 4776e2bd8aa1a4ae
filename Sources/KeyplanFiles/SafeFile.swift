#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads whole files and can neither hang, nor be led elsewhere, nor be made to swallow more than was agreed.
///
/// Everything is asked of the opened descriptor, never of the name, so that nothing can change between check and use.
package enum SafeFile {
  /// Reads a regular file; symbolic links are followed.
  ///
  /// - Parameters:
  ///   - limit: the most bytes to accept.
  ///   - root: the directory that the file, links followed, must lie in; anywhere if `nil`.
  package static func read(_ path: String, limit: Int, within root: String? = nil) throws(FileError) -> [UInt8] {
    guard let root else { return try read(path, in: Descriptor.workingDirectory, path: path, limit: limit) }
    let place = try ResolvedFile(of: path, within: root)
    return try read(place.name, in: place.directory.number, O_NOFOLLOW, path: path, limit: limit)
  }

  /// Reads a regular file, but not by a symbolic link in its place.
  static func readItself(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try read(path, in: Descriptor.workingDirectory, O_NOFOLLOW, path: path, limit: limit)
  }

  /// Reads a regular file that holds a secret: an identity, a store.
  ///
  /// Refused are symbolic links, files with a second name, files of another user, and files that group or others
  /// have any access to (``FileError/hint`` is then the `chmod` to run).
  package static func readPrivate(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try read(path, in: Descriptor.workingDirectory, O_NOFOLLOW, path: path, limit: limit) {
      status throws(FileError) in try status.requirePrivate(path)
    }
  }

  /// The first byte of a regular file; nil where there is none.
  package static func firstByte(of path: String) -> UInt8? {
    guard let file = try? openAny(path, in: Descriptor.workingDirectory, O_RDONLY, path: path),
      (try? file.status(path).requireRegular(path)) != nil
    else { return nil }
    var byte: UInt8 = 0
    return pread(file.number, &byte, 1, 0) == 1 ? byte : nil
  }

  /// Refuses a name that stands for anything but a regular file; nothing need be there. It opens nothing.
  package static func requireRegularIfPresent(_ path: String) throws(FileError) {
    try Status.ofName(path, path: path)?.requireRegular(path)
  }

  private static func read(
    _ name: String, in directory: Int32, _ flags: Int32 = 0, path: String, limit: Int,
    demanding demand: (Status) throws(FileError) -> Void = { _ in }
  ) throws(FileError) -> [UInt8] {
    let file = try openAny(name, in: directory, O_RDONLY | flags, path: path)
    let status = try file.status(path)
    try status.requireRegular(path)
    try demand(status)
    return try file.readAll(expecting: status.size, limit: limit, path)
  }

  /// Opens without waiting (a named pipe without a writer would) and without taking a terminal for its own.
  static func openAny(_ name: String, in directory: Int32, _ flags: Int32, path: String) throws(FileError) -> Descriptor
  {
    do throws(FileError) {
      return try Descriptor(opening: name, in: directory, flags | O_NONBLOCK | O_NOCTTY, path: path)
    } catch {
      // What the system would not open, it says in `errno` words of its own; the kind says it better.
      let found = try? Status.ofName(name, in: directory, path: path)
      switch (error.code, found?.kind) {
      case (.brokenLink, .symlink) where flags & O_NOFOLLOW != 0: throw FileError(.symlink, path)
      case (.notFound, .symlink): throw FileError(.brokenLink, path)
      case (.io(ENXIO), .socket), (.io(ENXIO), .device), (.io(ENXIO), .fifo): try found?.requireRegular(path)
      default: break
      }
      throw error
    }
  }
}
