#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces whole files atomically: at any moment, even across a power failure, the file has either the old or the new
/// content.
package enum AtomicFile {
  /// The endings of the names that files beside a file have while it is replaced.
  package static let temporaryEndings = [FileExchange.suffix, FileExchange.noteSuffix]

  /// Writes `bytes` to a temporary file in the same directory and renames it to `path`.
  ///
  /// A new file gets mode 0600 whatever the umask; an existing one keeps its mode, owner and group (not its access
  /// control list or extended attributes). If `path` is a symbolic link, its destination is replaced and the link
  /// stays. A file is not replaced if it is read-only, has another hard link (which would keep the old bytes), is not
  /// writable by this user, or is not a regular file. After an error the old content is in place, with one exception:
  /// if the final synchronization of the directory fails, the new content is in place but may not survive a power
  /// failure.
  ///
  /// The temporary file is `NAME.keyplan-new`. One left by a killed process is removed.
  ///
  /// - Parameter root: the directory that must contain the file after links are followed; `nil` for no restriction.
  package static func replace(_ path: String, with bytes: [UInt8], within root: String? = nil) throws(FileError) {
    try replace(path, with: bytes, mode: nil, within: root, .anything)
  }

  /// The same, but only if the file still has its previous content; `nil` means that the file does not exist.
  ///
  /// The comparison is done after all slow disk operations. A file that others write, too, is then exchanged for the new one if the system
  /// can do that, and the old one is compared again: a change that was made in between is put back, and the error is *changed*. Two changes
  /// can still be lost: what a process writes later through a descriptor that it still has open, and, on a file system without such an
  /// exchange (NFS, some FUSE), what is changed between the comparison and the rename.
  ///
  /// - Parameters:
  ///   - old: the previous content, from which the new one was made; nil for no file.
  ///   - isShared: whether others write the file, too. A process that is killed may then leave the previous content beside it, until the next
  ///     writer or `removeLeftOver`.
  ///   - mode: the file's new mode; nil to keep that of an existing file.
  ///   - root: the directory that must contain the file after links are followed; `nil` for no restriction.
  package static func replace(
    _ path: String, with bytes: [UInt8], expecting old: [UInt8]?, isShared: Bool = false, mode: UInt32? = nil,
    within root: String? = nil
  ) throws(FileError) {
    let expected = old.map { isShared ? Expected.content($0) : .own($0) } ?? .nothing
    try replace(path, with: bytes, mode: mode, within: root, expected)
  }

  /// Throws the error that `replace` would throw before it writes anything: the file cannot be replaced, or its
  /// directory is missing or not writable.
  package static func requireReplaceable(_ path: String, within root: String? = nil) throws(FileError) {
    let place = try ResolvedFile(of: path, within: root)
    try place.directory.status(place.directoryPath).requireWritable(place.directoryPath)
    if let status = place.status { try requireReplaceable(status, at: place, path) }
    try retrying(place.directoryPath) { faccessat(place.directory.number, ".", W_OK | X_OK, AT_EACCESS) }
  }

  /// The expected state of the path.
  enum Expected {
    case anything, nothing
    /// In a file that only this program writes.
    case own([UInt8])
    case content([UInt8])
  }

  /// - Parameters:
  ///   - justBefore: called between the comparison and the exchange; for tests.
  ///   - justAfter: called before the file that came out is examined; for tests.
  static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32? = nil, within root: String? = nil, _ expected: Expected,
    justBefore: () -> Void = {}, justAfter: () -> Void = {}
  ) throws(FileError) {
    let place = try ResolvedFile(of: path, within: root)
    if let status = place.status { try requireReplaceable(status, at: place, path) }
    let directory = try Descriptor(opening: ".", in: place.directory.number, O_RDONLY, path: place.directoryPath)
    try directory.status(place.directoryPath).requireWritable(place.directoryPath)

    let draft = try TemporaryFile(for: place.name, in: directory, directoryPath: place.directoryPath)
    do throws(FileError) {
      try draft.file.write(bytes, path)
      try draft.adopt(place.status, path)
      if let mode { try draft.file.setMode(mode, path) }
      try draft.file.synchronize(path)
      let exchange = FileExchange(
        directory: directory.number, name: place.name, path: path,
        temporaryPath: TemporaryFile.path(of: place.name + FileExchange.suffix, in: place.directoryPath))
      let isReplaced: Bool
      switch expected {
      case .anything: isReplaced = false
      case .nothing:
        try requireMissing(at: place, path)
        justBefore()
        isReplaced = try exchange.create()
      case .own(let old):
        _ = try open(old, at: place, path)
        isReplaced = false
      case .content(let old):
        let file = try open(old, at: place, path)
        justBefore()
        isReplaced = try exchange.replace(file, holding: old, by: draft.file, justAfter: justAfter)
      }
      if !isReplaced {
        try retrying(path) { renameat(directory.number, draft.name, directory.number, place.name) }
      }
    } catch {
      draft.discard(in: directory)
      throw error
    }
    try directory.synchronize(place.directoryPath)
  }

  /// Removes the temporary file of a killed process beside the file that it was replacing.
  package static func removeLeftOver(of path: String, within root: String? = nil) throws(FileError) {
    let place = try ResolvedFile(of: path, within: root)
    try TemporaryFile.removeLeftOver(of: place.name, in: place.directory, place.directoryPath)
  }

  /// Deletes a file under the same conditions as `replace`. A missing file is not an error.
  ///
  /// - Parameters:
  ///   - old: the expected content, compared as in `replace`; `nil` for any content.
  ///   - root: the directory that must contain the file after links are followed; `nil` for no restriction.
  package static func remove(
    _ path: String, expecting old: [UInt8]? = nil, isShared: Bool = false, within root: String? = nil
  ) throws(FileError) {
    try remove(path, within: root, old.map { isShared ? .content($0) : .own($0) } ?? .anything)
  }

  static func remove(
    _ path: String, within root: String? = nil, _ expected: Expected, justBefore: () -> Void = {},
    justAfter: () -> Void = {}
  ) throws(FileError) {
    let place = try ResolvedFile(of: path, within: root)
    guard let status = place.status else { return }
    try requireReplaceable(status, at: place, path)
    let directory = try Descriptor(opening: ".", in: place.directory.number, O_RDONLY, path: place.directoryPath)
    try directory.status(place.directoryPath).requireWritable(place.directoryPath)
    var isRemoved = false
    switch expected {
    case .anything, .nothing: break
    case .own(let old): _ = try open(old, at: place, path)
    case .content(let old):
      let file = try open(old, at: place, path)
      justBefore()
      try TemporaryFile.removeLeftOver(of: place.name, in: directory, place.directoryPath)
      let exchange = FileExchange(
        directory: directory.number, name: place.name, path: path,
        temporaryPath: TemporaryFile.path(of: place.name + FileExchange.suffix, in: place.directoryPath))
      isRemoved = try exchange.remove(file, holding: old, justAfter: justAfter)
    }
    if !isRemoved { try retrying(path) { unlinkat(directory.number, place.name, 0) } }
    try directory.synchronize(place.directoryPath)
  }

  /// The file, if it has this content.
  private static func open(
    _ content: [UInt8], at place: borrowing ResolvedFile, _ path: String
  ) throws(FileError) -> Descriptor {
    do throws(FileError) {
      let file = try SafeFile.openAny(place.name, in: place.directory.number, O_RDONLY | O_NOFOLLOW, path: path)
      if try file.readAll(expecting: content.count, limit: content.count, path) == content { return file }
    } catch {
      switch error.code {
      case .notFound, .tooLarge: break
      default: throw error
      }
    }
    throw FileError(.changed, path)
  }

  private static func requireMissing(at place: borrowing ResolvedFile, _ path: String) throws(FileError) {
    guard try Status.ofName(place.name, in: place.directory.number, path: path) == nil else {
      throw FileError(.changed, path)
    }
  }

  private static func requireReplaceable(
    _ status: Status, at place: borrowing ResolvedFile, _ path: String
  ) throws(FileError) {
    try status.requireRegular(path)
    try status.requireWritable(path)
    guard status.links <= 1 else { throw FileError(.hardLinked, path) }
    // With write access to the directory, a user could replace a file of another user that they may not write. Refuse
    // that.
    try retrying(path) { faccessat(place.directory.number, place.name, W_OK, AT_EACCESS) }
  }
}
