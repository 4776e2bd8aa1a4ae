/// The reason that a file could not be read, created, replaced or locked.
///
/// Contains names and modes, never any of a file's content.
package struct FileError: Error, Equatable, Sendable {
  /// The reason, for the caller to act on.
  package enum Code: Equatable, Sendable {
    /// The file does not exist.
    case notFound
    /// The system denies access to this user.
    case permission
    /// The path is empty, or contains a NUL, at which libc would end it.
    case invalidPath
    /// It is a directory, not a file.
    case isDirectory
    /// It, or a part of its path, is not a directory.
    case notDirectory
    /// It is neither a regular file nor a directory.
    case notRegular(FileKind)
    /// It is a symbolic link where none is allowed.
    case symlink
    /// It is a symbolic link whose destination does not exist, or part of a loop of links.
    case brokenLink
    /// Group or others have access to a file that must be private; `mode` is its current mode.
    case tooOpen(mode: UInt32)
    /// Root provides it, and others can write it, or all users of this machine can read it.
    case providedTooOpen(mode: UInt32)
    /// It belongs to the user with this id.
    case otherOwner(UInt32)
    /// The file has more than one hard link, so that its content can be reached (or would remain) under another name.
    case hardLinked
    /// The file is larger than the caller's limit, in bytes.
    case tooLarge(limit: Int)
    /// The file is outside of this directory.
    case outsideTree(root: String)
    /// The file has no write permission, not even for its owner.
    case readOnly
    /// The file system is mounted read-only.
    case readOnlyFileSystem
    /// The file exists and must not be overwritten.
    case exists
    /// Another process is writing the file or holds its lock.
    case busy
    /// The name now belongs to another file than the one that was opened.
    case replaced
    /// The file no longer has the content from which the new one was made.
    case changed
    /// The file has a change that another program made to the file without the suffix while it was replaced.
    case setAside
    /// The disk is full, or a quota or file size limit is exceeded.
    case noSpace
    /// Any other failure, by its `errno`.
    case io(errno: Int32)
  }

  /// The reason.
  package let code: Code
  /// The file or directory that the error is about, as the caller wrote it if it came from the caller.
  package let path: String

  package init(_ code: Code, _ path: String) {
    self.code = code
    self.path = path
  }
}

/// The kind of a directory entry.
package enum FileKind: String, Equatable, Sendable {
  /// Bytes on a disk.
  case regular = "regular file"
  /// A directory.
  case directory
  /// A symbolic link itself, not its destination.
  case symlink = "symbolic link"
  /// A named pipe: reading it can block forever.
  case fifo = "named pipe"
  /// A Unix domain socket.
  case socket
  /// A character or block device: reading it may never end, and may have side effects.
  case device
}
