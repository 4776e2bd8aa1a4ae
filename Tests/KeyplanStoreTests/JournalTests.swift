import CSQLite
import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

/// To SQLite a journal beside a file is an order: to write the pages in it, and to delete a file that it names.
@Suite("A journal beside a store", .serialized)
struct JournalTests {
  private let scratch: Scratch
  private var journal: String { scratch.path + "-journal" }

  init() throws {
    scratch = try Scratch()
    try scratch.create().put(["a": "1", "b": "2"])
  }

  /// What SQLite takes for the end of a journal that belongs to a commit to several files.
  private static func naming(_ victim: String) -> [UInt8] {
    let name = Array(victim.utf8)
    let sum = name.reduce(0) { $0 + UInt32($1) }
    // The page with the lock byte, at 1 GiB.
    return number(UInt32(0x4000_0000 / 4096 + 1)) + name + number(UInt32(name.count)) + number(sum) + magic
  }

  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  private static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  /// A journal with pages of zeros, whose checksums are zero too.
  /// - Parameter size: of the file to which it goes back, in pages.
  private static func forged(size: Int, zeroing pages: [UInt32] = []) -> [UInt8] {
    var bytes = magic + number(UInt32(pages.count)) + number(0) + number(UInt32(size)) + number(512) + number(4096)
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
    for page in pages { bytes += number(page) + [UInt8](repeating: 0, count: 4096) + number(0) }
    return bytes
  }

  private func write(_ bytes: [UInt8], _ mode: mode_t = 0o600) throws {
    try Data(bytes).write(to: URL(filePath: journal))
    chmod(journal, mode)
  }

  private func pages() throws -> Int { try scratch.bytes().count / 4096 }

  /// File and journal as a kill in the middle of a commit leaves them.
  private func interrupt() throws {
    let store = try scratch.open(.writing)
    try store.put(Dictionary(uniqueKeysWithValues: (0..<200).map { ("key-\($0)", "\($0)") }))
    var database = try Database(scratch.path, writing: true)
    try database.set("journal_mode", to: .text("DELETE"), reading: .text("delete"))
    try database.run("PRAGMA cache_size = 1")
    try database.run("BEGIN IMMEDIATE")
    try database.run("UPDATE records SET sealed = zeroblob(900)")
    let torn = try scratch.bytes()
    let left = try Data(contentsOf: URL(filePath: journal))
    try database.run("ROLLBACK")
    try #require(try scratch.bytes() != torn)
    try scratch.write(torn)
    try write([UInt8](left))
  }

  private func open(
    _ access: SealedStore.Access, lastSeen: LastSeen = { _ in nil }
  ) throws -> SealedStore {
    try SealedStore.open(
      at: scratch.location, identities: [scratch.identity], access: access, lastSeen: lastSeen)
  }

  /// Neither the store nor what is beside it is touched, whoever opens it.
  private func expectRefusal(_ codes: Set<StoreError.Code>, _ what: String, lastSeen: LastSeen = { _ in nil }) throws {
    let (store, left) = (try scratch.bytes(), try? Data(contentsOf: URL(filePath: journal)))
    for access in [SealedStore.Access.reading, .writing] {
      let found = code { _ = try open(access, lastSeen: lastSeen) }
      #expect(found.map(codes.contains) == true, "\(what), \(access): \(String(describing: found))")
      #expect(try scratch.bytes() == store, "\(what), \(access)")
      #expect((try? Data(contentsOf: URL(filePath: journal))) == left, "\(what), \(access)")
    }
  }

  @Test("that names another file deletes nothing, whatever its mode")
  func superJournal() throws {
    let victim = scratch.directory + "/identity.txt"
    for pages in [[], [UInt32(2)]] {
      for mode: mode_t in [0o600, 0o644, 0o755] {
        try Data("AGE-SECRET-KEY".utf8).write(to: URL(filePath: victim))
        try write(Self.forged(size: try self.pages(), zeroing: pages) + Self.naming(victim), mode)
        try expectRefusal([.refused, .tooOpen], "mode \(String(mode, radix: 8)), pages \(pages)")
        #expect(FileManager.default.fileExists(atPath: victim))
      }
    }
    // The same journal in SQLite's own hands shows that it is what it should be.
    var plain: OpaquePointer?
    defer { sqlite3_close(plain) }
    try write(Self.forged(size: try pages()) + Self.naming(victim))
    try #require(sqlite3_open(scratch.path, &plain) == SQLITE_OK)
    sqlite3_exec(plain, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
    #expect(!FileManager.default.fileExists(atPath: victim))
  }

  @Test("that comes after the store was opened is not rolled back by reading or committing, and deletes nothing")
  func afterwards() throws {
    let victim = scratch.directory + "/identity.txt"
    try Data("AGE-SECRET-KEY".utf8).write(to: URL(filePath: victim))
    for access in [SealedStore.Access.reading, .writing] {
      let store = try open(access)
      let before = try scratch.bytes()
      try write(Self.forged(size: try pages(), zeroing: [2]) + Self.naming(victim))
      #expect(code { _ = try store.recorded() } == .io)
      if access == .writing {
        #expect(code { try store.put(["c": "3"]) } != nil)
      }
      #expect(try scratch.bytes() == before && FileManager.default.fileExists(atPath: victim))
      unlink(journal)
      #expect(try store.recorded().keys.count == 2)
    }
  }

  @Test("that would leave anything but the store's last commit is not rolled back")
  func forged() throws {
    let count = try pages()
    let whole = try scratch.bytes()
    // A page that is free and zeroed already loses nothing.
    for page in 1...count where whole[4096 * (page - 1)..<4096 * page].contains(where: { $0 != 0 }) {
      try write(Self.forged(size: count, zeroing: [UInt32(page)]))
      try expectRefusal([.tampered], "page \(page) of zeros")
    }
    for size in 1..<count {
      try write(Self.forged(size: size))
      try expectRefusal([.tampered], "cut to \(size) pages")
    }
    unlink(journal)
    let seen = try open(.reading).facts()
    try write(Self.forged(size: 0))
    try expectRefusal([.tampered], "emptied") { $0 == seen.id ? (seen.epoch, seen.serial) : nil }
    unlink(journal)
    #expect(try open(.reading).recorded().keys.count == 2)
  }

  @Test("is rolled back by a reader and by a writer, and not to less than this machine has seen")
  func genuine() throws {
    for access in [SealedStore.Access.reading, .writing] {
      try interrupt()
      try expectRefusal([.tampered], "older than seen") { _ in (1, 100_000) }
      let serial = try open(access) { _ in (1, 3) }.facts().serial
      #expect(serial >= 3)
      #expect(try scratch.files() == ["store.db"])
      #expect(try open(.reading).text("key-7") == "7")
    }
  }

  @Test("of another identity's store is not rolled back by who cannot open it")
  func stranger() throws {
    try interrupt()
    let (store, left) = (try scratch.bytes(), try Data(contentsOf: URL(filePath: journal)))
    #expect(
      code { _ = try SealedStore.open(at: scratch.location, identities: [.generate()], access: .reading) }
        == .wrongIdentity)
    #expect(try scratch.bytes() == store && Data(contentsOf: URL(filePath: journal)) == left)
  }

  @Test("is read around in a folder in which it cannot be removed")
  func readOnly() throws {
    try interrupt()
    let left = try Data(contentsOf: URL(filePath: journal))
    // Root may write everywhere, so that the folder has to be one that nobody may change.
    let folder = scratch.directory + "/.keyplan"
    try #require(chattr("+i", folder) || getuid() != 0 && chmod(folder, 0o500) == 0)
    defer {
      _ = chattr("-i", folder)
      chmod(folder, 0o700)
    }
    #expect(try open(.reading).text("key-7") == "7")
    #expect(code { _ = try open(.writing) } == .io)
    // SQLite may have restored the file, and could not remove the journal, which is then there for the next command.
    #expect(try Data(contentsOf: URL(filePath: journal)) == left)
  }

  private func chattr(_ change: String, _ path: String) -> Bool { run(["chattr", change, path]) }

  private func run(_ words: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("that git tracks, or may track, is not rolled back, though it is the right one")
  func tracked() throws {
    try interrupt()
    func git(_ words: String...) throws {
      try #require(run(["git", "-C", scratch.directory, "-c", "user.name=t", "-c", "user.email=t@t"] + words))
    }
    try git("init", "-q")
    try git("add", "-f", ".keyplan/store.db-journal")
    try expectRefusal([.refused], "tracked")
    let index = scratch.directory + "/.git/index"
    try git("update-index", "--force-remove", ".keyplan/store.db-journal")
    let good = try Data(contentsOf: URL(filePath: index))
    try Data("DIRC????".utf8).write(to: URL(filePath: index))
    try expectRefusal([.refused], "an index that says nothing")
    try good.write(to: URL(filePath: index))
    #expect(try open(.reading).text("key-7") == "7")
  }

  @Test(
    "of write-ahead logging is refused, also an empty one, and before a store is made", arguments: ["-wal", "-shm"])
  func writeAhead(ending: String) throws {
    for content in ["", "x"] {
      try Data(content.utf8).write(to: URL(filePath: scratch.path + ending))
      chmod(scratch.path + ending, 0o600)
      try expectRefusal([.refused], "\(ending) \"\(content)\"")
      #expect(FileManager.default.fileExists(atPath: scratch.path + ending))
    }
    unlink(scratch.path)
    #expect(code { _ = try scratch.create() } == .refused)
    #expect(mode(scratch.path) == 0)
  }

  @Test("with another name, or of another user, is refused")
  func links() throws {
    try interrupt()
    try #require(link(journal, scratch.directory + "/other") == 0)
    try expectRefusal([.tooOpen], "a hard link")
    unlink(scratch.directory + "/other")
    guard getuid() == 0 else { return }
    try #require(chown(journal, 65534, 65534) == 0)
    try expectRefusal([.tooOpen], "another user's")
  }

  @Test("that holds nothing, or that SQLite ignores, is no obstacle")
  func cold() throws {
    for bytes in [[], [UInt8](repeating: 0, count: 512)] {
      try write(bytes)
      #expect(try open(.reading).recorded().keys.count == 2)
      try open(.writing).put(["a": "again \(bytes.count)"])
      #expect(try scratch.files() == ["store.db"])
    }
  }

  @Test("of a commit that another connection is making is waited for, not looked at")
  func live() throws {
    var database = try Database(scratch.path, writing: true)
    try database.run("BEGIN IMMEDIATE")
    try database.run("UPDATE store SET serial = serial + 1")
    try #require(FileManager.default.fileExists(atPath: journal))
    #expect(try open(.reading).recorded().keys.count == 2)
    try database.run("ROLLBACK")
  }
}
