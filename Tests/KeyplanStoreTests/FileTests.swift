import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

@Suite("The store's file", .serialized)
struct FileTests {
  @Test("is 0600 in a directory of 0700 whatever the umask, and nothing lies beside it")
  func modes() throws {
    let before = umask(0)
    defer { umask(before) }
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["a": "1"])
    #expect(mode(scratch.path) == 0o600)
    #expect(mode(scratch.directory + "/.keyplan") == 0o700)
    #expect(try scratch.files() == ["store.db"])
  }

  @Test("is never made over something that is there")
  func exists() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["a": "1"])
    #expect(code { _ = try scratch.create() } == .exists)
    #expect(try scratch.open().text("a") == "1")
    try scratch.write(Array("no store".utf8))
    #expect(code { _ = try scratch.create() } == .damaged)
    #expect(try scratch.bytes() == Array("no store".utf8))
    let error = #expect(throws: StoreError.self) { _ = try scratch.open() }
    #expect(error?.detail.contains("not an SQLite database (it begins with \"n\")") == true)
  }

  @Test("that an interrupted init left empty is no store, and init finishes it")
  func interruptedInit() throws {
    let scratch = try Scratch()
    _ = try scratch.create()
    try scratch.write([])
    #expect(code { _ = try scratch.open() } == .noStore)
    try scratch.create().put(["a": "1"])
    #expect(try scratch.open().text("a") == "1")
  }

  @Test("has a keyring for nobody in no case")
  func nobody() throws {
    let scratch = try Scratch()
    let planner = Recipient(publicKey: scratch.identity.recipient.description, role: .plan)
    #expect(
      code { _ = try SealedStore.create(at: scratch.location, recipients: [:], now: Moment(seconds: 1)) }
        == .wrongIdentity)
    #expect(
      code {
        _ = try SealedStore.create(at: scratch.location, recipients: [name("ci"): planner], now: Moment(seconds: 1))
      }
        == .wrongIdentity)
    #expect(mode(scratch.path) == 0)
  }

  @Test("that others could read or reach is refused with the chmod to run")
  func tooOpen() throws {
    let scratch = try Scratch()
    _ = try scratch.create()
    for bits in [0o640, 0o620, 0o604, 0o602, 0o610] as [UInt32] {
      chmod(scratch.path, bits)
      let error = #expect(throws: StoreError.self) { _ = try scratch.open() }
      #expect(error?.code == .tooOpen)
      #expect(error?.hint == "chmod go-rwx -- '\(scratch.path)'")
    }
    chmod(scratch.path, 0o600)
    chmod(scratch.directory + "/.keyplan", 0o750)
    #expect(code { _ = try scratch.open() } == .tooOpen)
    chmod(scratch.directory + "/.keyplan", 0o700)
    #expect(code { _ = try scratch.open() } == nil)
    link(scratch.path, scratch.directory + "/hard.db")
    #expect(code { _ = try scratch.open() } == .tooOpen)
    unlink(scratch.directory + "/hard.db")
    symlink(scratch.path, scratch.directory + "/soft.db")
    let soft = scratch.directory + "/soft.db"
    #expect(
      code { _ = try SealedStore.open(at: .file(soft), identities: [scratch.identity], access: .reading) } == .tooOpen)
    symlink(scratch.directory + "/.keyplan", scratch.directory + "/soft")
    let through = scratch.directory + "/soft/store.db"
    #expect(
      code { _ = try SealedStore.open(at: .file(through), identities: [scratch.identity], access: .reading) }
        == .tooOpen)
  }

  @Test(
    "is not opened, nor made, while anything but a file has a name that SQLite would open beside it",
    arguments: ["-journal", "-wal", "-shm"], ["pipe", "directory", "link"])
  func beside(ending: String, kind: String) throws {
    let scratch = try Scratch()
    _ = try scratch.create()
    let path = scratch.path + ending
    switch kind {
    case "pipe": try #require(mkfifo(path, 0o600) == 0)
    case "directory": try #require(mkdir(path, 0o700) == 0)
    default: try #require(symlink("elsewhere", path) == 0)
    }
    let expected: StoreError.Code = kind == "link" ? .tooOpen : .refused
    for access in [SealedStore.Access.reading, .writing] { #expect(code { _ = try scratch.open(access) } == expected) }
    try #require(unlink(scratch.path) == 0)
    #expect(code { _ = try scratch.create() } == expected)
    #expect(mode(scratch.path) == 0, "nothing was made")
  }

  @Test("that is not there is no store, and asking makes nothing")
  func missing() throws {
    let scratch = try Scratch()
    for access in [SealedStore.Access.reading, .writing] { #expect(code { _ = try scratch.open(access) } == .noStore) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.directory) == [])
  }

  @Test("can be read, and not written, in a directory that is read-only, without a trace")
  func readOnlyDirectory() throws {
    let scratch = try Scratch()
    try scratch.create().put(["a": "1"])
    let before = try scratch.bytes()
    chmod(scratch.directory + "/.keyplan", 0o500)
    defer { chmod(scratch.directory + "/.keyplan", 0o700) }
    let store = try scratch.open()
    #expect(try store.recorded().keys.count == 1)
    #expect(try store.text("a") == "1")
    #expect(code { try store.commit([.began(.recipients)]) } == .io)
    #expect(try scratch.files() == ["store.db"])
    #expect(try scratch.bytes() == before)
  }

  @Test("is not touched by reading, nor by an empty commit")
  func readingWritesNothing() throws {
    let scratch = try Scratch()
    try scratch.create().put(["a": "1"])
    var before = stat()
    stat(scratch.path, &before)
    let store = try scratch.open(.writing)
    _ = try store.recorded()
    _ = try store.text("a")
    try store.commit([])
    var after = stat()
    stat(scratch.path, &after)
    #expect(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec && before.st_mtim.tv_sec == after.st_mtim.tv_sec)
    #expect(try scratch.files() == ["store.db"])
  }

  @Test("comes back to the last commit when one was killed in the middle, for a reader too")
  func hotJournal() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(Dictionary(uniqueKeysWithValues: (0..<200).map { ("key-\($0)", "\($0)") }))
    let path = scratch.path
    // A copy of file and journal in the middle of a transaction is what a kill leaves.
    var database = try Database(path, writing: true)
    try database.set("journal_mode", to: .text("DELETE"), reading: .text("delete"))
    try database.run("PRAGMA cache_size = 1")
    try database.run("BEGIN IMMEDIATE")
    try database.run("UPDATE records SET sealed = zeroblob(900)")
    let torn = try scratch.bytes()
    let journal = try Data(contentsOf: URL(fileURLWithPath: path + "-journal"))
    try database.run("ROLLBACK")
    let whole = try scratch.bytes()
    #expect(torn != whole, "the cache spilled, so that the file is torn")
    try scratch.write(torn)
    try journal.write(to: URL(fileURLWithPath: path + "-journal"))
    chmod(path + "-journal", 0o600)

    let reader = try scratch.open(.reading)
    #expect(try reader.recorded().keys.count == 200)
    #expect(try reader.text("key-7") == "7")
    #expect(try scratch.files() == ["store.db"])
  }

  @Test("takes over every setting that keeps commits and secrets safe")
  func pragmas() throws {
    let scratch = try Scratch()
    _ = try scratch.create()
    let rows = try SQLiteRows.open(scratch.path, writing: true)
    let wanted: [String: Bound] = [
      "journal_mode": .text("delete"), "synchronous": .integer(3), "secure_delete": .integer(1),
      "trusted_schema": .integer(0), "cell_size_check": .integer(1), "foreign_keys": .integer(1),
      "mmap_size": .integer(0),
      "application_id": .integer(0x6b70_3100), "user_version": .integer(1),
    ]
    for (pragma, value) in wanted { #expect(try rows.setting(pragma) == value, "\(pragma)") }
    let reader = try SQLiteRows.open(scratch.path, writing: false)
    #expect(try reader.setting("query_only") == .integer(1))
    var database = try Database(scratch.path, writing: true)
    #expect(throws: StoreError.self) { try database.set("synchronous", to: .integer(3), reading: .integer(7)) }
  }

  @Test("is whole in SQLite's own eyes, and takes no more than 500 bytes a key")
  func integrityAndSize() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    let count = 2000
    try store.put(
      Dictionary(
        uniqueKeysWithValues: (0..<count).map {
          ("service-\($0)-production", "sk-" + String(repeating: "x", count: 45))
        }))
    var database = try Database(scratch.path, writing: false)
    var found: [String] = []
    try database.run("PRAGMA integrity_check") { row throws(StoreError) in found.append(try row.text(0)) }
    #expect(found == ["ok"])
    #expect(try scratch.bytes().count / count <= 500)
  }

  @Test("gives up the space of revoked rows under a fresh root")
  func compacted() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(Dictionary(uniqueKeysWithValues: (0..<200).map { ("key-\($0)", "\($0)") }))
    let size = try scratch.bytes().count
    var before: [[UInt8]] = []
    var database = try Database(scratch.path, writing: false)
    try database.run("SELECT sealed FROM secrets") { row throws(StoreError) in before.append(try row.blob(0)) }
    try store.commit([.recipients(scratch.recipients, freshRoot: true)])
    let bytes = Data(try scratch.bytes())
    #expect(before.count == 200)
    #expect(before.allSatisfy { bytes.firstRange(of: Data($0.prefix(32))) == nil })
    #expect(bytes.count <= size)
  }
}
