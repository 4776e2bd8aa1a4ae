#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces a file's content as a whole: at any moment, power cuts included, there are the old bytes or the new ones.
package enum AtomicFile {
  /// Writes `bytes` beside the file and renames them over it.
  ///
  /// A new file has mode 0600 whatever the umask; an existing one keeps mode, owner and group (not its access control
  /// list or extended attributes). A symbolic link stays one: what it leads to is replaced. The file is left as it was if it is
  /// read-only, has a second name (which would keep the old bytes), is not this user's to write, or is no regular
  /// file. After a throw the old bytes are in place, with one exception: if the directory cannot be synchronized at the very
  /// end, the new ones are, and may not outlast a power cut.
  ///
  /// The bytes pass through `NAME.keyplan-new`. One that a killed process left behind is removed.
  ///
  /// - Parameter root: the directory that the file, links followed, must lie in; anywhere if `nil`.
  package static func replace(_ path: String, with bytes: [UInt8], within root: String? = nil) throws(FileError) {
    try replace(path, with: bytes, mode: nil, within: root) { _ throws(FileError) in }
  }

  /// The same, if the file still holds what it was read to hold; nil stands for no file.
  ///
  /// The comparison stands after all that waits for the disk, next to the rename: who changes the file while the draft is
  /// written and synchronized is noticed. What remains is the time of reading it once more, for changes of parts that have
  /// been read, and of closing and renaming: who makes, replaces or writes the file just then loses his change, as does who
  /// holds it open and writes later. An exchange of the two names (`renameat2`) would tell of some of these afterwards, but
  /// a death between it and the way back would leave somebody's file under the draft's name, which the next writer removes.
  ///
  /// - Parameters:
  ///   - old: what it held when the new bytes were made of it; nil for no file.
  ///   - mode: the mode that it gets; nil to keep that of an existing file.
  ///   - root: the directory that the file, links followed, must lie in; anywhere if `nil`.
  package static func replace(
    _ path: String, with bytes: [UInt8], expecting old: [UInt8]?, mode: UInt32? = nil, within root: String? = nil
  ) throws(FileError) {
    try replace(path, with: bytes, mode: mode, within: root) { place throws(FileError) in
      try require(old, at: place, path)
    }
  }

  /// Throws what `replace` would throw before it writes a byte: the file cannot be replaced, or its directory is missing, or
  /// takes no new file.
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

  /// Takes a file away, under the conditions under which it could be replaced. One that is not there is no error.
  ///
  /// - Parameters:
  ///   - old: what it must still hold, compared just before, with the same gap as in `replace`; anything if `nil`.
  ///   - root: the directory that the file, links followed, must lie in; anywhere if `nil`.
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
    // Whoever may write the directory could replace the file of another user that he may not write. Not here.
    try retrying(path) { faccessat(place.directory.number, place.name, W_OK, AT_EACCESS) }
  }
}
