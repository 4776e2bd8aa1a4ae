#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads whole files without blocking on special files, leaving the allowed folder, or exceeding a size limit.
///
/// All checks are made on the opened descriptor, never on the name, so that nothing can change between check and use.
package enum SafeFile {
  /// Reads a regular file; symbolic links are followed.
  ///
  /// - Parameters:
  ///   - limit: the maximum size in bytes.
  ///   - root: the directory that must contain the file after links are followed; `nil` for no restriction.
  package static func read(_ path: String, limit: Int, within root: String? = nil) throws(FileError) -> [UInt8] {
    guard let root else { return try read(path, in: Descriptor.workingDirectory, path: path, limit: limit) }
    let place = try ResolvedFile(of: path, within: root)
    return try read(place.name, in: place.directory.number, O_NOFOLLOW, path: path, limit: limit)
  }

  /// Reads a regular file, but does not follow a symbolic link in its place.
  static func readItself(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try read(path, in: Descriptor.workingDirectory, O_NOFOLLOW, path: path, limit: limit)
  }

  /// Reads a regular file that holds a secret: an identity, a store.
  ///
  /// Refuses symbolic links, files with another hard link, files of another user, and files to which group or others
  /// have any access (``FileError/hint`` is then the `chmod` to run).
  package static func readPrivate(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try read(path, in: Descriptor.workingDirectory, O_NOFOLLOW, path: path, limit: limit) {
      status throws(FileError) in try status.requirePrivate(path)
    }
  }

  /// Reads a file that holds a secret, as ``readPrivate(_:limit:)`` does, or that root provides (``ProvidedFile``).
  /// - Returns: the bytes, and whether all users of this machine can read them.
  package static func readSecret(_ path: String, limit: Int) throws(FileError) -> (bytes: [UInt8], isPublic: Bool) {
    do throws(FileError) {
      return (try readPrivate(path, limit: limit), false)
    } catch {
      switch error.code {
      case .symlink, .otherOwner, .tooOpen: break
      default: throw error
      }
      guard let provided = try ProvidedFile(path) else { throw error }
      let bytes = try read(provided.path, in: Descriptor.workingDirectory, O_NOFOLLOW, path: path, limit: limit) {
        status throws(FileError) in
        guard status.isSameFile(as: provided.status), status.mode == provided.status.mode else {
          throw FileError(.replaced, path)
        }
      }
      return (bytes, provided.isPublic)
    }
  }

  /// The first bytes of a regular file, at most `count`; nil if it cannot be read.
  package static func prefix(of path: String, count: Int) -> [UInt8]? {
    guard let file = try? openAny(path, in: Descriptor.workingDirectory, O_RDONLY, path: path),
      (try? file.status(path).requireRegular(path)) != nil
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, count, 0) }
    return read < 0 ? nil : Array(bytes.prefix(read))
  }

  /// Throws if the name exists and is not a regular file. Does not open it.
  /// - Returns: whether it exists.
  @discardableResult
  package static func requireRegularIfPresent(_ path: String) throws(FileError) -> Bool {
    guard let status = try Status.ofName(path, path: path) else { return false }
    try status.requireRegular(path)
    return true
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

  /// Opens a file without blocking (as for a named pipe without a writer) and without making a terminal the controlling
  /// one.
  static func openAny(_ name: String, in directory: Int32, _ flags: Int32, path: String) throws(FileError) -> Descriptor
  {
    do throws(FileError) {
      return try Descriptor(opening: name, in: directory, flags | O_NONBLOCK | O_NOCTTY, path: path)
    } catch {
      // For some kinds of files the system's error is unspecific; the kind makes a better message.
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
