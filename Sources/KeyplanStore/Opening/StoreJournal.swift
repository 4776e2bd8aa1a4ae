import KeyplanFiles
import KeyplanPorts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The journal that a commit leaves beside a store if its process is killed. Rolled back, it restores the last commit.
///
/// Anyone who can put a file there controls the store, and with a second file name in it also any other file of this user. git puts files
/// there: owner and mode of a file that was checked out are those of the user, whose umask may even make it private.
struct StoreJournal {
  let path: String
  let bytes: [UInt8]
  let stamp: FileStamp

  /// Reads the journal beside a store, if it has anything to roll back. It must not belong to a commit that another process is making
  /// now.
  /// - Throws: `refused` or `tooOpen` for one that keyplan did not leave there.
  init?(beside store: String) throws(StoreError) {
    path = Self.path(beside: store)
    guard let stamp = FileStamp(of: path), stamp.size > 0 else { return nil }
    self.stamp = stamp
    do throws(FileError) {
      bytes = try SafeFile.readPrivate(path, limit: Int.max - 1)
    } catch {
      throw StoreError(StoreFile.code(error), "The store cannot be opened: \(error).", hint: Self.advice)
    }
    try Self.requireUntracked(path)
    // SQLite ignores a journal that begins with a zero.
    guard bytes.first != 0 else { return nil }
    // SQLite deletes the file whose name is before this mark (`readSuperJournal` in pager.c). keyplan's commits are to one file, so
    // that their journals name none.
    guard !bytes.suffix(Self.magic.count).elementsEqual(Self.magic) else {
      throw StoreError(
        .refused, "\(path) names another file, which SQLite would delete. A journal of keyplan names none.",
        hint: Self.advice)
    }
  }

  /// Of each header of a journal, and of the end of one that names another file.
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  static func path(beside store: String) -> String { store + "-journal" }

  /// Whether there is one with anything in it. Does not read it.
  static func exists(beside store: String) -> Bool { FileStamp(of: path(beside: store)).map { $0.size > 0 } ?? false }

  /// In a work tree git must say that it does not track the file; where its data cannot be read, it may.
  static func requireUntracked(_ path: String) throws(StoreError) {
    do throws(FileError) {
      guard let tree = try WorkTree(containing: path), try tree.isTracked(path) != .untracked else { return }
    } catch {
      throw StoreError(.io, "The work tree of \(path) cannot be inspected: \(error).", hint: error.hint)
    }
    throw StoreError(
      .refused, "\(path) may come from a branch: git tracks it, or does not say that it does not. It was not used.",
      hint: "If git tracks it, remove it from the branch: git rm -- FILE. Otherwise find out where it comes from.")
  }

  static let advice =
    "Only SQLite's own files may be next to a store. Find out where this one comes from, and remove it."

  /// The error for a journal that would not restore the last commit.
  static func forged(_ path: String, _ reason: String) -> StoreError {
    StoreError(
      .tampered, "\(path) was not used: the store would not be what it was at its last commit. \(reason)",
      hint:
        "Nothing was changed. Find out where this file comes from, and move it away. If a commit was interrupted and "
        + "the store does not open without it, restore a backup.")
  }
}

/// The identity of the file with a name, and the times of its last change.
struct FileStamp: Equatable, Sendable {
  let size: Int64
  private let device: UInt64
  private let inode: UInt64
  private let written: Int64
  private let changed: Int64

  /// Of the name itself; nil if there is none.
  init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    #if canImport(Glibc)
    let (written, changed) = (status.st_mtim, status.st_ctim)
    #else
    let (written, changed) = (status.st_mtimespec, status.st_ctimespec)
    #endif
    func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
    (self.written, self.changed) = (nanoseconds(written), nanoseconds(changed))
    (size, device) = (Int64(status.st_size), UInt64(truncatingIfNeeded: status.st_dev))
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
