/// Why a file could not be read, made, replaced or locked.
///
/// It names files and modes, never a byte of what a file holds.
package struct FileError: Error, Equatable, Sendable {
  /// The reason, to act on.
  package enum Code: Equatable, Sendable {
    /// Nothing has this name.
    case notFound
    /// The system denies it to this user.
    case permission
    /// The path cannot name a file: it is empty or holds a NUL, at which libc would cut it short.
    case invalidPath
    /// A directory stands where a file is expected.
    case isDirectory
    /// Something that is not a directory stands where one is expected.
    case notDirectory
    /// Something that is neither a file nor a directory stands there.
    case notRegular(FileKind)
    /// A symbolic link stands where none is allowed.
    case symlink
    /// A symbolic link leads to nothing, or in a circle.
    case brokenLink
    /// Group or others have access to what must be private; `mode` is what it has now.
    case tooOpen(mode: UInt32)
    /// It belongs to the user with this id.
    case otherOwner(UInt32)
    /// The file has more than one name, so that its bytes can be reached (or would stay behind) elsewhere.
    case hardLinked
    /// More bytes than the caller's limit.
    case tooLarge(limit: Int)
    /// The path leads out of this directory.
    case outsideTree(root: String)
    /// Nobody may write it: its mode says so.
    case readOnly
    /// The file system is mounted read-only.
    case readOnlyFileSystem
    /// It is there already, and is not overwritten.
    case exists
    /// Another process is writing it, or its lock is held.
    case busy
    /// The name stands for another file than the one that was opened.
    case replaced
    /// It no longer holds the bytes that it was to be changed from.
    case changed
    /// The disk, a quota or a file size limit is full.
    case noSpace
    /// Any other failure, by its `errno`.
    case io(errno: Int32)
  }

  /// The reason.
  package let code: Code
  /// The file or directory that is at fault, as the caller wrote it where it was the caller's.
  package let path: String

  init(_ code: Code, _ path: String) {
    self.code = code
    self.path = path
  }
}

/// What a name in a directory stands for.
package enum FileKind: String, Equatable, Sendable {
  /// Bytes on a disk.
  case regular = "regular file"
  /// A directory.
  case directory
  /// A symbolic link, itself.
  case symlink = "symbolic link"
  /// A named pipe: reading one can block for ever.
  case fifo = "named pipe"
  /// A Unix domain socket.
  case socket
  /// A character or block device: reading one may never end, and may have effects.
  case device
}
