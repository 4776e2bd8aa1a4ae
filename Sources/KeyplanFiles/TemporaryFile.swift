#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file that receives the new content before it is renamed. It is locked, so that one in use can be distinguished
/// from one left by a killed process.
struct TemporaryFile: ~Copyable {
  let file: Descriptor
  let name: String

  init(for target: String, in directory: borrowing Descriptor, directoryPath: String) throws(FileError) {
    name = target + ".keyplan-new"
    let path = directoryPath == "/" ? "/" + name : directoryPath + "/" + name
    let create = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    while true {
      do throws(FileError) {
        let file = try Descriptor(opening: name, in: directory.number, create, mode: 0o600, path: path)
        // Before it is locked, another writer may take it for a leftover and remove it.
        if try TemporaryFile.own(file, name, in: directory, path) {
          try file.setMode(0o600, path)
          self.file = file
          return
        }
      } catch {
        switch error.code {
        case .exists: try TemporaryFile.removeLeftOver(name, in: directory, path)
        case .permission: throw FileError(.permission, directoryPath)
        default: throw error
        }
      }
    }
  }

  /// Copies mode, owner and group from an existing file; without one, the mode of a new file stays.
  func adopt(_ existing: Status?, _ path: String) throws(FileError) {
    guard let existing else { return }
    let own = try file.status(path)
    if own.owner != existing.owner || own.group != existing.group {
      // With another owner or group, the same mode bits would give access to the wrong people.
      guard fchown(file.number, existing.owner, existing.group) == 0 else {
        throw FileError(.otherOwner(existing.owner), path)
      }
    }
    try file.setMode(existing.mode, path)
  }

  private static func removeLeftOver(
    _ name: String, in directory: borrowing Descriptor, _ path: String
  ) throws(FileError) {
    guard let found = try Status.ofName(name, in: directory.number, path: path) else { return }
    try found.requireRegular(path)
    let file = try SafeFile.openAny(name, in: directory.number, O_RDWR | O_NOFOLLOW, path: path)
    if try own(file, name, in: directory, path) {
      try retrying(path) { unlinkat(directory.number, name, 0) }
    }
  }

  /// Locks the temporary file; `false` if its name now belongs to another file or to none.
  private static func own(
    _ file: borrowing Descriptor, _ name: String, in directory: borrowing Descriptor, _ path: String
  ) throws(FileError) -> Bool {
    guard try file.tryLock(path) else { throw FileError(.busy, path) }
    let found = try Status.ofName(name, in: directory.number, path: path)
    let own = try file.status(path)
    return found.map(own.isSameFile) ?? false
  }
}
