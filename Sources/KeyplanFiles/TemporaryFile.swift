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
    name = target + FileExchange.suffix
    let path = Self.path(of: name, in: directoryPath)
    let create = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    while true {
      do throws(FileError) {
        let file = try Descriptor(opening: name, in: directory.number, create, mode: 0o600, path: path)
        // Before it is locked, another writer may take it for a leftover and remove it.
        if try TemporaryFile.own(file, name, in: directory, path) {
          try file.setMode(0o600, path)
          // One that was left is about another file.
          FileExchange.forget(target, in: directory.number)
          self.file = file
          return
        }
      } catch {
        switch error.code {
        case .exists: try TemporaryFile.removeLeftOver(of: target, in: directory, directoryPath)
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

  /// Removes it, unless its name belongs to another file by now.
  func discard(in directory: borrowing Descriptor) {
    guard let found = try? Status.ofName(name, in: directory.number, path: name),
      (try? file.status(name).isSameFile(as: found)) == true
    else { return }
    unlinkat(directory.number, name, 0)
  }

  static func path(of name: String, in directory: String) -> String {
    directory == "/" ? "/" + name : directory + "/" + name
  }

  /// Removes a file that a killed process left under the temporary name of a file.
  /// - Throws: `FileError`; *setAside* if that is another program's change of the file.
  static func removeLeftOver(
    of target: String, in directory: borrowing Descriptor, _ directoryPath: String
  ) throws(FileError) {
    let name = target + FileExchange.suffix
    let path = path(of: name, in: directoryPath)
    guard let found = try Status.ofName(name, in: directory.number, path: path) else {
      return FileExchange.forget(target, in: directory.number)
    }
    try found.requireRegular(path)
    let file = try SafeFile.openAny(name, in: directory.number, O_RDWR | O_NOFOLLOW, path: path)
    guard try own(file, name, in: directory, path) else { return }
    guard !FileExchange.isChange(found, of: target, in: directory.number) else { throw FileError(.setAside, path) }
    FileExchange.forget(target, in: directory.number)
    try retrying(path) { unlinkat(directory.number, name, 0) }
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
