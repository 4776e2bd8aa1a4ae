extension FileError: CustomStringConvertible {
  /// The error in one sentence, without a full stop, so that it can follow a colon. Begins with the path where there is
  /// one.
  package var description: String {
    switch code {
    case .notFound: "\(path) does not exist"
    case .permission: "\(path) cannot be accessed: permission denied"
    case .invalidPath: path.isEmpty ? "The path is empty" : "The path contains a NUL character"
    case .isDirectory: "\(path) is a directory"
    case .notDirectory: "\(path) or a part of its path is not a directory"
    case .notRegular(let kind): "\(path) is not a regular file, but a \(kind.rawValue)"
    case .symlink: "\(path) is a symbolic link"
    case .brokenLink: "\(path) is a broken symbolic link"
    case .tooOpen(let mode): "\(path) is accessible to group or others (mode \(octal(mode)))"
    case .providedTooOpen(let mode): "\(path) belongs to root and is accessible to others (mode \(octal(mode)))"
    case .otherOwner(let user): "\(path) belongs to another user (id \(user))"
    case .hardLinked: "\(path) has another name (a hard link)"
    case .tooLarge(let limit): "\(path) is larger than \(size(limit))"
    case .outsideTree(let root): "\(path) leads outside of \(root)"
    case .readOnly: "\(path) is read-only"
    case .readOnlyFileSystem: "\(path) is on a read-only file system"
    case .exists: "\(path) already exists"
    case .busy: "\(path) is in use by another process"
    case .replaced: "\(path) was replaced by another file while in use"
    case .changed: "\(path) was changed by another program at the same time and is left as it is"
    case .setAside: "\(path) has a change that another program made while the file was being replaced"
    case .noSpace: "\(path) cannot be written: the disk is full or a quota is exceeded"
    case .io(let number): "\(path): \(Status.message(for: number))"
    }
  }

  /// The hint for the user; nil if nothing helps. A hint that begins with a command is displayed on one line.
  package var hint: String? {
    switch code {
    case .tooOpen(let mode): "chmod \(octal(mode & 0o700)) \(quoted)"
    case .providedTooOpen: "As root: chmod 440 \(quoted), with a group of this process."
    case .readOnly: "chmod u+w \(quoted) (if the file may be changed)"
    case .readOnlyFileSystem: "Mount the file system writable, or use another directory."
    case .otherOwner: "Change its owner with chown, or run keyplan as its owner."
    case .symlink: "Name the file itself instead of the link."
    case .brokenLink: "Remove the link, or create its destination."
    case .hardLinked: "find / -xdev -samefile \(quoted) (lists its names)"
    case .outsideTree: "Name a file inside that directory, or point the link to one."
    case .exists: "Choose another name. Nothing was overwritten."
    case .setAside: "Compare it with the file without the suffix, keep what you need, and delete it."
    case .busy: "Try again when the other process has ended."
    case .noSpace: "Free some space and try again. The previous content is unchanged."
    case .permission: "ls -ld \(quoted) (check owner and mode, also of the directories above)"
    case .notFound, .invalidPath, .isDirectory, .notDirectory, .notRegular, .tooLarge, .replaced, .changed, .io: nil
    }
  }

  /// The path as one word for a POSIX shell, written so that no command reads it as an option.
  private var quoted: String {
    let word = path.hasPrefix("-") ? "./" + path : path
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  /// In the largest unit that needs no fraction.
  private func size(_ bytes: Int) -> String {
    if bytes > 0, bytes % (1 << 20) == 0 { return "\(bytes >> 20) MiB" }
    return bytes > 0 && bytes % (1 << 10) == 0 ? "\(bytes >> 10) KiB" : "\(bytes) bytes"
  }

  private func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
  }
}
