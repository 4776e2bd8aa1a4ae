#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces whole files atomically: at any moment, even across a power failure, the file has either the old or the new
/// content.
package enum AtomicFile {
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
    try replace(path, with: bytes, mode: nil, within: root) { _ throws(FileError) in }
  }

  /// The same, but only if the file still has its previous content; `nil` means that the file does not exist.
  ///
  /// The comparison is done after all slow disk operations, directly before the rename, so that a change made while the
  /// temporary file is written and synchronized is detected. A short window remains: a change of a part that has been
  /// compared already, or between the comparison and the rename, is lost, as is what a process writes later through a
  /// descriptor that it still has open. Exchanging the two names (`renameat2`) would detect some of these changes
  /// afterwards, but a crash before they are exchanged back would leave the other process's file under the temporary
  /// name, which the next writer removes.
  ///
  /// - Parameters:
  ///   - old: the previous content, from which the new one was made; nil for no file.
  ///   - mode: the file's new mode; nil to keep that of an existing file.
  ///   - root: the directory that must contain the file after links are followed; `nil` for no restriction.
  package static func replace(
    _ path: String, with bytes: [UInt8], expecting old: [UInt8]?, mode: UInt32? = nil, within root: String? = nil
  ) throws(FileError) {
    try replace(path, with: bytes, mode: mode, within: root) { place throws(FileError) in
      try require(old, at: place, path)
    }
  }

  /// Throws the error that `replace` would throw before it writes anything: the file cannot be replaced, or its
  /// directory is missing or not writable.
  package static func requireReplaceable(_ path: String, within root: String? = nil) throws(FileError) {
    let place = try ResolvedFile(of: path, within: root)
    try place.directory.status(place.directoryPath).requireWritable(place.directoryPath)
    if let status = place.status { try requireReplaceable(status, at: place, path) }
    try retrying(place.directoryPath) { faccessat(place.directory.number, ".", W_OK | X_OK, AT_EACCESS) }
  }

  static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32? = nil, within root: String?,
    justBefore check: (borrowing ResolvedFile) throws(FileError) -> Void
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
      try check(place)
      try retrying(path) { renameat(directory.number, draft.name, directory.number, place.name) }
    } catch {
      unlinkat(directory.number, draft.name, 0)
      throw error
    }
    try directory.synchronize(place.directoryPath)
  }

  /// Deletes a file under the same conditions as `replace`. A missing file is not an error.
  ///
  /// - Parameters:
  ///   - old: the expected content, compared just before the deletion, with the same short window as in `replace`;
  ///     `nil` for any content.
  ///   - root: the directory that must contain the file after links are followed; `nil` for no restriction.
  package static func remove(
    _ path: String, expecting old: [UInt8]? = nil, within root: String? = nil
  ) throws(FileError) {
    let place = try ResolvedFile(of: path, within: root)
    guard let status = place.status else { return }
    try requireReplaceable(status, at: place, path)
    let directory = try Descriptor(opening: ".", in: place.directory.number, O_RDONLY, path: place.directoryPath)
    try directory.status(place.directoryPath).requireWritable(place.directoryPath)
    if let old { try require(old, at: place, path) }
    try retrying(path) { unlinkat(directory.number, place.name, 0) }
    try directory.synchronize(place.directoryPath)
  }

  private static func require(_ old: [UInt8]?, at place: borrowing ResolvedFile, _ path: String) throws(FileError) {
    let found: [UInt8]?
    do throws(FileError) {
      let file = try SafeFile.openAny(place.name, in: place.directory.number, O_RDONLY | O_NOFOLLOW, path: path)
      found = try file.readAll(expecting: old?.count ?? 0, limit: old?.count ?? 0, path)
    } catch {
      switch error.code {
      case .notFound: found = nil
      case .tooLarge: throw FileError(.changed, path)
      default: throw error
      }
    }
    guard found == old else { throw FileError(.changed, path) }
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
