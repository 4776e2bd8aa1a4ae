import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A copy of a store's file and of the journal beside it, in memory, on which SQLite rolls the journal back without touching either.
final class MemoryCopy: Sendable {
  let path: String
  private static let count = Atomic(0)

  init(_ store: [UInt8], journal: [UInt8]?) {
    path = "/keyplan-copy-\(Self.count.add(1, ordering: .relaxed).newValue)"
    MemoryFile.all.withLock { [path] all in
      all[path] = MemoryFile(store)
      if let journal { all[path + "-journal"] = MemoryFile(journal) }
    }
  }

  /// Whether SQLite has left the journal there, and so has not rolled it back.
  var hasJournal: Bool { MemoryFile.all.withLock { [path] in $0[path + "-journal"] != nil } }

  deinit {
    MemoryFile.all.withLock { [path] all in
      all[path] = nil
      all[path + "-journal"] = nil
    }
  }
}

/// A file for SQLite that consists of bytes in memory.
final class MemoryFile: Sendable {
  fileprivate static let all = Mutex<[String: MemoryFile]>([:])
  private let bytes: Mutex<[UInt8]>

  fileprivate init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

  /// The name for SQLite of the file system that has these files only.
  static let fileSystem: String? = register()

  /// SQLite's own beginning of an open file, and the file.
  private struct Handle {
    var base: sqlite3_file
    let file: Unmanaged<MemoryFile>
  }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> MemoryFile? {
    file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Handle.self).pointee.file.takeUnretainedValue() }
  }

  private static func found(_ path: UnsafePointer<CChar>?) -> MemoryFile? {
    guard let path = path.map({ String(cString: $0) }) else { return nil }
    return all.withLock { $0[path] }
  }

  private func read(_ buffer: UnsafeMutableRawPointer?, _ count: Int, at offset: Int) -> Int32 {
    bytes.withLock { bytes in
      let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: count)
      let part = bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)]
      buffer.copyBytes(from: part)
      guard part.count < count else { return SQLITE_OK }
      // As SQLite requires of a read beyond the end.
      for index in part.count..<count { buffer[index] = 0 }
      return Self.shortRead
    }
  }

  private func write(_ buffer: UnsafeRawPointer?, _ count: Int, at offset: Int) {
    bytes.withLock { bytes in
      if bytes.count < offset + count {
        bytes.append(contentsOf: repeatElement(0, count: offset + count - bytes.count))
      }
      bytes.withUnsafeMutableBytes { memory in
        UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + count])
          .copyMemory(from: UnsafeRawBufferPointer(start: buffer, count: count))
      }
    }
  }

  private var size: Int { bytes.withLock { $0.count } }

  private func truncate(to size: Int) {
    bytes.withLock { if size < $0.count { $0.removeLast($0.count - size) } }
  }

  private static func register() -> String? {
    let name = "keyplan-memory"
    guard let system = sqlite3_vfs_find(nil), let own = strdup(name) else { return nil }
    // All three stay for as long as the process, because SQLite keeps their addresses.
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: operations())
    let files = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // Time and random numbers are the system's.
    files.initialize(to: system.pointee)
    files.pointee.pNext = nil
    files.pointee.zName = UnsafePointer(own)
    files.pointee.szOsFile = Int32(MemoryLayout<Handle>.size)
    files.pointee.pAppData = UnsafeMutableRawPointer(methods)
    files.pointee.xOpen = { files, path, file, flags, opened in
      file?.pointee.pMethods = nil
      guard let file, let methods = files?.pointee.pAppData, let found = MemoryFile.found(path) else {
        return SQLITE_CANTOPEN
      }
      UnsafeMutableRawPointer(file).bindMemory(to: Handle.self, capacity: 1).initialize(
        to: Handle(
          base: sqlite3_file(pMethods: UnsafePointer(methods.assumingMemoryBound(to: sqlite3_io_methods.self))),
          file: .passRetained(found)))
      opened?.pointee = flags
      return SQLITE_OK
    }
    files.pointee.xAccess = { _, path, _, result in
      result?.pointee = MemoryFile.found(path) == nil ? 0 : 1
      return SQLITE_OK
    }
    files.pointee.xDelete = { _, path, _ in
      guard let path = path.map({ String(cString: $0) }) else { return SQLITE_OK }
      MemoryFile.all.withLock { $0[path] = nil }
      return SQLITE_OK
    }
    files.pointee.xFullPathname = { _, path, limit, result in
      guard let path, let result, strlen(path) < Int(limit) else { return SQLITE_CANTOPEN }
      strcpy(result, path)
      return SQLITE_OK
    }
    return sqlite3_vfs_register(files, 0) == SQLITE_OK ? name : nil
  }

  private static func operations() -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    methods.xClose = { file in
      guard let file else { return SQLITE_OK }
      UnsafeMutableRawPointer(file).assumingMemoryBound(to: Handle.self).pointee.file.release()
      return SQLITE_OK
    }
    methods.xRead = { file, buffer, count, offset in
      MemoryFile.of(file)?.read(buffer, Int(count), at: Int(offset)) ?? SQLITE_IOERR
    }
    methods.xWrite = { file, buffer, count, offset in
      MemoryFile.of(file)?.write(buffer, Int(count), at: Int(offset))
      return SQLITE_OK
    }
    methods.xTruncate = { file, size in
      MemoryFile.of(file)?.truncate(to: Int(size))
      return SQLITE_OK
    }
    methods.xFileSize = { file, size in
      size?.pointee = Int64(MemoryFile.of(file)?.size ?? 0)
      return SQLITE_OK
    }
    methods.xSync = { _, _ in SQLITE_OK }
    // No one else has these files.
    methods.xLock = { _, _ in SQLITE_OK }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, isReserved in
      isReserved?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, question, answer in
      guard question == SQLITE_FCNTL_MMAP_SIZE else { return SQLITE_NOTFOUND }
      answer?.storeBytes(of: 0, as: sqlite3_int64.self)
      return SQLITE_OK
    }
    // As of files on the disk: where the first header of a journal ends depends on them.
    methods.xSectorSize = { _ in 512 }
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    return methods
  }

  /// SQLITE_IOERR_SHORT_READ, a macro that Swift does not import.
  private static let shortRead = SQLITE_IOERR | 2 << 8
}
