extension FileError: CustomStringConvertible {
  /// What is wrong and where, in one sentence without a full stop.
  package var description: String {
    switch code {
    case .notFound: "\(path) does not exist"
    case .permission: "access to \(path) is denied"
    case .invalidPath: path.isEmpty ? "the path is empty" : "the path holds a NUL character"
    case .isDirectory: "\(path) is a directory"
    case .notDirectory: "\(path) is not a directory, or a part of its path is not"
    case .notRegular(let kind): "\(path) is not a regular file, but a \(kind.rawValue)"
    case .symlink: "\(path) is a symbolic link"
    case .brokenLink: "\(path) is a symbolic link that leads nowhere"
    case .tooOpen(let mode): "group or others have access to \(path) (mode \(octal(mode)))"
    case .otherOwner(let user): "\(path) belongs to another user (id \(user))"
    case .hardLinked: "\(path) has another name (a hard link)"
    case .tooLarge(let limit): "\(path) is larger than \(limit) bytes"
    case .outsideTree(let root): "\(path) leads out of \(root)"
    case .readOnly: "\(path) is read-only"
    case .readOnlyFileSystem: "\(path) is on a read-only file system"
    case .exists: "\(path) exists already"
    case .busy: "\(path) is in use by another process"
    case .replaced: "\(path) was replaced while it was in use"
    case .changed: "\(path) was changed by somebody else at the same moment, and was left as it is"
    case .noSpace: "there is no room left to write \(path)"
    case .io(let number): "\(path): \(Status.words(for: number))"
    }
  }

  /// What to do about it, where there is something that helps; commands can be pasted into a shell.
  package var hint: String? {
    switch code {
    case .tooOpen(let mode): "chmod \(octal(mode & 0o700)) \(quoted)"
    case .readOnly: "chmod u+w \(quoted), if it is meant to be changed"
    case .readOnlyFileSystem: "mount it writable, or use another place"
    case .otherOwner: "chown it, or run as its owner"
    case .symlink: "name the file itself, not a link to it"
    case .brokenLink: "remove the link, or create what it leads to"
    case .hardLinked: "find the other name with: find / -xdev -samefile \(quoted)"
    case .outsideTree: "name a file inside that directory, or have the link lead to one"
    case .exists: "choose another name; nothing was overwritten"
    case .busy: "wait for the other process to end, then try again"
    case .noSpace: "free some space; what was there before is unchanged"
    case .permission: "check its owner and mode, and those of the directories above: ls -ld \(quoted)"
    case .notFound, .invalidPath, .isDirectory, .notDirectory, .notRegular, .tooLarge, .replaced, .changed, .io: nil
    }
  }

  /// The path as one word of a POSIX shell that no command takes for an option.
  private var quoted: String {
    let word = path.hasPrefix("-") ? "./" + path : path
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  private func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
  }
}
