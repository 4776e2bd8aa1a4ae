import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanStore

/// The second implementation of the format, by Python and `cryptography`: it must give back what this one sealed.
@Suite("The restore script", .enabled(if: RestoreScript.missing == nil || RestoreScript.isCI, RestoreScript.comment))
struct RestoreScriptTests {
  @Test("gives back every value without keyplan, in the first epoch and under a fresh root", arguments: [false, true])
  func everyValue(freshRoot: Bool) throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    var texts = ["empty": "", "short": "x", "unicode": "schlüssel 🔑", "long": String(repeating: "long-", count: 4000)]
    for number in 0..<60 { texts["key-\(number)"] = "sk-\(number)-" + String(repeating: "a", count: number * 11) }
    try store.put(texts)
    try store.put(["short": "y", "gone": "forgotten value"])
    try store.put(["short": "z"])
    try store.commit([.forget(name("gone"))])
    try store.put(["back": "b1"])
    try store.put(["back": "b2"])
    try store.commit([.forget(name("back"))])
    let serial = try #require(try store.recorded().forgotten.first { $0.key == name("back") }?.serial)
    try store.commit([.restore(name("back"), forgotten: serial)])
    let back = try #require(try store.recorded().keys[name("back")])
    let rollback = KeyRollback(to: 1, was: 2, rejected: back.version.fingerprint)
    try store.commit([.key(name("back"), try #require(back.rolledBack(rollback, revision: 1)), value: nil)])
    try store.put(["before": "moved value"])
    try store.commit([.move(name("before"), to: name("moved")), .migrated("move before moved")])
    let facts = AccountFacts(service: .google, account: "ada@example.com", endpoints: [.token: "https://t.example/"])
    let signIn = SignInRecord(
      signedInAt: Moment(seconds: 5), access: .until(Moment(seconds: 6)), isRefreshable: true, missing: ["x"],
      refreshBegan: Moment(seconds: 7), ended: AccountEnd(.ended, code: "invalid_grant", at: Moment(seconds: 8)),
      adopted: store.fingerprint(secret("r"), of: name("home") as Identifier<Account>))
    let record = AccountRecord(
      revision: 1, facts: facts, calendar: AccountCalendar(id: "c", name: "Tëam"), signIn: signIn)
    let tokens = AccountTokens(access: secret("access"), refresh: secret("refresh"))
    try store.commit([.account(name("home"), record, tokens: tokens)])
    let bare = AccountRecord(revision: 1, facts: AccountFacts(service: .caldav, account: "b", url: "https://dav/"))
    try store.commit([.account(name("bare"), bare, tokens: nil)])
    let moved = try #require(try store.recorded().keys[name("moved")])
    try store.commit([
      .key(name("moved"), moved.revoking(reason: "leaked", revision: 1, at: Moment(seconds: 9)), value: nil)
    ])
    let short = try #require(try store.recorded().keys[name("short")])
    let check = KeyCheck(.noCredit, at: Moment(seconds: 10), expires: Moment(seconds: 11))
    try store.commit([.key(name("short"), short.checked(check, revision: 1), value: nil)])
    if freshRoot { try store.commit([.recipients(scratch.recipients, freshRoot: true, leaving: [name("anna")])]) }

    let restored = try RestoreScript.run(scratch)
    let found = Dictionary(uniqueKeysWithValues: restored.keys.map { ($0.name, $0.versions.map(\.value)) })
    var wanted = texts.mapValues { [$0] }
    wanted["moved"] = ["moved value"]
    wanted["short"] = ["z", "y", "x"]
    wanted["back"] = ["b1", "b2"]
    #expect(found == wanted)
    #expect(restored.keys.filter { !$0.revoked.isEmpty }.map(\.name) == ["moved"])
    #expect(restored.keys.flatMap(\.revoked).map(\.reason) == ["leaked"])
    #expect(Set(restored.keys.flatMap(\.versions).map { $0.exposed.map(\.recipient) }) == [freshRoot ? ["anna"] : []])
    let checks = restored.keys.flatMap(\.versions).compactMap(\.check)
    #expect(checks.map(\.outcome) == ["noCredit"] && checks.map(\.at) == [10] && checks.map(\.expires) == [11])
    #expect(restored.forgotten.map(\.name) == ["gone"])
    #expect(restored.forgotten.flatMap(\.versions).map(\.value) == ["forgotten value"])
    #expect(restored.accounts.map(\.name) == ["bare", "home"])
    #expect(restored.accounts.map(\.tokens) == [nil, ["access_token": "access", "refresh_token": "refresh"]])
    #expect(restored.accounts.map { $0.calendar?.name } == [nil, "Tëam"])
    let place = try store.facts()
    #expect(restored.store == place.id)
    #expect(restored.root_id == place.rootID)
    #expect(restored.serial == place.serial)
    #expect(restored.keys.first { $0.name == "short" }?.versions.first?.origin == "env://short")
  }

  @Test("reads a store that came from another place, and what was left there")
  func moved() async throws {
    let scratch = try Scratch()
    try scratch.create().put(["one": "value"])
    let other = try Scratch(.file, identity: scratch.identity)
    let move = StoreMove(
      from: scratch.location, to: other.location, identities: [scratch.identity], names: ("the old place", "the new"))
    _ = try await move.carryOut(command: "store move", job: nil, since: Moment(seconds: 3000), timeout: .zero)
    for place in [scratch, other] {
      let restored = try RestoreScript.run(place)
      #expect(restored.keys.map { $0.versions.map(\.value) } == [["value"]])
    }
  }

  @Test("refuses a store that was changed")
  func tampered() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["one": "value"])
    var rows = try Database(scratch.path, writing: true)
    try rows.run("UPDATE store SET serial = serial - 1")
    let failure = try #require(throws: RestoreScript.Failed.self) { try RestoreScript.run(scratch) }
    #expect(failure.words.contains("does not authenticate"))
  }
}

enum RestoreScript {
  struct Restored: Decodable {
    let store: String
    let root_id: String
    let serial: Int64
    let keys: [Key]
    let forgotten: [Key]
    let accounts: [Account]

    struct Account: Decodable {
      let name: String
      let calendar: Calendar?
      let tokens: [String: String]?

      struct Calendar: Decodable { let name: String }
    }

    struct Key: Decodable {
      let name: String
      let versions: [Version]
      let revoked: [Revocation]
    }

    struct Revocation: Decodable {
      let version: Int64
      let reason: String?
    }

    struct Exposure: Decodable { let recipient: String }

    struct Version: Decodable {
      let number: Int64
      let origin: String?
      let value: String?
      let exposed: [Exposure]
      let check: Check?
    }

    struct Check: Decodable {
      let outcome: String
      let at: Int64
      let expires: Int64?
    }
  }

  struct Failed: Error {
    let words: String
  }

  static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] ?? "python3"
  static let comment = Comment(rawValue: "SKIPPED, the format has no second witness in this run: \(missing ?? "")")

  /// In CI nothing is skipped: what is missing fails.
  static let isCI = ProcessInfo.processInfo.environment["CI"] != nil

  /// What the script needs and this machine does not have.
  static let missing: String? = {
    if (try? launch(["age", "--version"])) == nil { return "the program age is not installed" }
    let needed = ["-c", "import sqlite3, cryptography.hazmat.primitives.ciphers.aead"]
    if (try? launch([python] + needed)) == nil {
      return "\(python) has no cryptography; name one that has in KEYPLAN_TEST_PYTHON"
    }
    return nil
  }()

  /// - Parameter reader: nil for the store's own identity.
  static func run(_ scratch: Scratch, as reader: Identity? = nil) throws -> Restored {
    let identity = scratch.directory + "/identity.txt"
    try Data(try (reader ?? scratch.identity).exported().withBytes { Array($0) }).write(
      to: URL(fileURLWithPath: identity))
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../scripts/restore.py").standardized.path
    return try JSONDecoder().decode(Restored.self, from: launch([python, script, scratch.path, identity]))
  }

  static func launch(_ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(words: words) }
    return data
  }
}
