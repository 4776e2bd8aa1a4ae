import CFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Puts a draft in the place of a file, or takes the file away, so that the previous file comes out under the temporary name and can be examined.
/// A change that another program made in the last moment is put back.
///
/// Meanwhile a symbolic link beside the file, which leads nowhere, names the two files that take part. If this process is killed, the next writer
/// sees by it whether the file under the temporary name is one of them, and removes it, or another program's change, and keeps it.
struct FileExchange {
  /// An open directory, in which all names are.
  let directory: Int32
  let name: String
  /// The file as the user knows it.
  let path: String
  /// The temporary name with its directory.
  let temporaryPath: String

  /// Exchanges the draft and the file.
  /// - Parameters:
  ///   - file: the file, opened and compared with `content`. It is locked meanwhile, so that no other writer takes it for a leftover.
  ///   - justAfter: called before the file that came out is examined; for tests.
  /// - Returns: false, with nothing done, where the system cannot exchange files.
  /// - Throws: *changed* if something else came out. It was put back.
  func replace(
    _ file: borrowing Descriptor, holding content: [UInt8], by draft: borrowing Descriptor, justAfter: () -> Void = {}
  ) throws(FileError) -> Bool {
    let new = try draft.status(path)
    guard try begin(file, new), try move(temporary, name, .exchanging) else { return false }
    justAfter()
    guard holds(content) else {
      try putBack(insteadOf: new)
      throw FileError(.changed, path)
    }
    do throws(FileError) {
      try end()
    } catch {
      // Otherwise the old values would stay under the temporary name, and nothing would look for them there.
      try? putBack(insteadOf: new)
      throw error
    }
    return true
  }

  /// Takes the file away. The parameters and the result are those of `replace`.
  func remove(
    _ file: borrowing Descriptor, holding content: [UInt8], justAfter: () -> Void = {}
  ) throws(FileError) -> Bool {
    guard try begin(file, nil), try move(name, temporary, .toFreeName) else { return false }
    justAfter()
    guard holds(content) else {
      guard (try? rename(temporary, name, .toFreeName)) == true else { throw FileError(.setAside, temporaryPath) }
      Self.forget(name, in: directory)
      throw FileError(.changed, path)
    }
    do throws(FileError) {
      try end()
    } catch {
      _ = try? rename(temporary, name, .toFreeName)
      throw error
    }
    return true
  }

  /// Renames the draft to the name of a file that must not exist.
  /// - Returns: false, with nothing done, where the system cannot exclude that.
  func create() throws(FileError) -> Bool {
    do throws(FileError) {
      return try rename(temporary, name, .toFreeName)
    } catch {
      throw error.code == .exists ? FileError(.changed, path) : error
    }
  }

  /// The suffix of a draft's name.
  static let suffix = ".keyplan-new"
  static let noteSuffix = ".keyplan-was"
  private var temporary: String { name + Self.suffix }
  private var note: String { name + Self.noteSuffix }

  private func begin(_ file: borrowing Descriptor, _ new: Status?) throws(FileError) -> Bool {
    // A file system without locks for files that are open for reading has no exchange, either. If another program holds the lock, the file is
    // not taken for a leftover, either.
    guard (try? file.tryLock(path)) != nil else { return false }
    let text = Self.number(of: new) + " " + Self.state(of: try file.status(path))
    Self.forget(name, in: directory)
    return (try? retrying(path) { symlinkat(text, directory, note) }) != nil
  }

  private func end() throws(FileError) {
    // The note first: without it the other one is a mere leftover, while a note alone would be about later drafts.
    do throws(FileError) {
      try retrying(path) { unlinkat(directory, note, 0) }
    } catch {
      if error.code != .notFound { throw error }
    }
    try retrying(path) { unlinkat(directory, temporary, 0) }
  }

  private func holds(_ content: [UInt8]) -> Bool {
    guard let file = try? SafeFile.openAny(temporary, in: directory, O_RDONLY | O_NOFOLLOW, path: path),
      (try? file.status(path).kind) == .regular
    else { return false }
    return (try? file.readAll(expecting: content.count, limit: content.count, path)) == content
  }

  private func putBack(insteadOf new: Status) throws(FileError) {
    guard (try? rename(temporary, name, .exchanging)) == true else {
      // Another program has removed the new file.
      guard (try? rename(temporary, name, .toFreeName)) == true else {
        throw FileError(.setAside, temporaryPath)
      }
      Self.forget(name, in: directory)
      return
    }
    guard let out = try? Status.ofName(temporary, in: directory, path: path), out.isSameFile(as: new) else {
      // Another program has already replaced the new file. Its file stays, and so does the change before it.
      _ = try? rename(temporary, name, .exchanging)
      throw FileError(.setAside, temporaryPath)
    }
    try end()
  }

  private enum Way { case exchanging, toFreeName }

  /// The same at the beginning: without a call of this kind, and after an error, nothing is left of it.
  private func move(_ old: String, _ new: String, _ way: Way) throws(FileError) -> Bool {
    do throws(FileError) {
      if try rename(old, new, way) { return true }
    } catch {
      Self.forget(name, in: directory)
      switch error.code {
      case .notFound: throw FileError(.changed, path)
      case .exists: throw FileError(.busy, temporaryPath)
      default: throw error
      }
    }
    Self.forget(name, in: directory)
    return false
  }

  /// - Returns: false if the system or the file system has no such call.
  private func rename(_ old: String, _ new: String, _ way: Way) throws(FileError) -> Bool {
    do throws(FileError) {
      try retrying(path) { keyplan_rename(directory, old, new, way == .exchanging ? 1 : 0) }
      return true
    } catch {
      switch error.code {
      // Darwin has two numbers for an operation that is not supported.
      case .io(EINVAL), .io(ENOSYS), .io(EOPNOTSUPP), .io(ENOTSUP): return false
      default: throw error
      }
    }
  }
}

extension FileExchange {
  /// Removes a note that nothing is left of.
  static func forget(_ name: String, in directory: Int32) {
    _ = try? retrying(name) { unlinkat(directory, name + noteSuffix, 0) }
  }

  /// Whether a file that was left under the temporary name of a file is another program's change, and neither a draft nor the replaced file.
  static func isChange(_ left: Status, of name: String, in directory: Int32) -> Bool {
    var bytes = [CChar](repeating: 0, count: 256)
    let count = readlinkat(directory, name + noteSuffix, &bytes, bytes.count)
    guard count > 0 else { return false }
    let note = String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let known = note.split(separator: " ").map(String.init)
    return known.first != number(of: left) && known.last != state(of: left)
  }

  /// A draft is recognized by its number alone: another file cannot get it while the draft is there.
  private static func number(of status: Status?) -> String { status.map { "\($0.inode)" } ?? "-" }

  private static func state(of status: Status) -> String {
    "\(status.inode)/\(status.size)/\(status.modifiedSeconds).\(status.modifiedNanoseconds)"
  }
}
