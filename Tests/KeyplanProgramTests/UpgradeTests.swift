import Foundation
import Testing

/// A store that an earlier version made, which every later version opens.
@Suite("A store in an earlier format")
struct UpgradeTests {
  /// The kept store with every kind of record, and a manifest that declares a part of it.
  private static func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    let fixture = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../KeyplanStoreTests/Fixtures/format-1")
    for folder in [sandbox.project + "/.keyplan", sandbox.home + "/.config/keyplan"] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    for (name, path) in [("store.db", sandbox.store), ("identity.txt", sandbox.identity)] {
      try Data(contentsOf: fixture.appending(path: name)).write(to: URL(filePath: path))
      chmod(path, 0o600)
    }
    try sandbox.write(
      """
      version: 1
      keys:
        plain: { provider: generic }
        empty: { provider: generic, source: { command: [op, read, "op://team/key"], variables: [OP_TOKEN] } }

      """, to: "keyplan.yaml")
    let listing = try String(contentsOf: fixture.appending(path: "listing.txt"), encoding: .utf8)
    let words = listing.split(separator: "\n").prefix(2).map { String($0.split(separator: " ")[1]) }
    try #require(sandbox.keyplan("trust", "--store-id", words[0], "--root", words[1]).code == 0)
    return sandbox
  }

  @Test("is read as it is, and a plan announces the upgrade")
  func announced() throws {
    let sandbox = try Self.sandbox()
    #expect(try sandbox.keyplan("get", "plain").out == "x")
    let before = try Data(contentsOf: URL(filePath: sandbox.store))
    let plan = try sandbox.keyplan("plan")
    #expect((plan.out + plan.err).contains("Store has an earlier format"), "\(plan.out)\(plan.err)")
    #expect(plan.out.contains("op read op://team/key"), "\(plan.out)\(plan.err)")
    #expect(try Data(contentsOf: URL(filePath: sandbox.store)) == before)
    // No apply upgrades it.
    let applied = try sandbox.keyplan("apply", "--yes", "--only", "key.plain")
    #expect(try sandbox.keyplan("show", "store").out.contains("format  1"), "\(applied.out)\(applied.err)")
  }

  @Test("is upgraded by a command of its own, which fills in what was allowed and does nothing else")
  func upgraded() throws {
    let sandbox = try Self.sandbox()
    let history = try sandbox.keyplan("state", "history", "long-history").out
    let upgrade = try sandbox.keyplan("store", "upgrade", "--yes")
    #expect(upgrade.code == 0, "\(upgrade.out)\(upgrade.err)")
    #expect(upgrade.out.contains("with variable OP_TOKEN"), "\(upgrade.out)")
    #expect(try sandbox.keyplan("show", "store").out.contains("format  3"))
    #expect(try sandbox.keyplan("get", "plain").out == "x")
    #expect(try sandbox.keyplan("state", "history", "long-history").out == history)
    let plan = try sandbox.keyplan("plan")
    #expect(!(plan.out + plan.err).contains("earlier format") && !plan.out.contains("may run"), "\(plan.out)")
    let again = try sandbox.keyplan("store", "upgrade", "--yes")
    #expect(again.code == 0 && again.out.contains("No changes"), "\(again.out)\(again.err)")
  }

  @Test("is not upgraded in a checkout that nobody vouches for")
  func untrusted() throws {
    let sandbox = try Self.sandbox()
    sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    let upgrade = try sandbox.keyplan("store", "upgrade", "--yes")
    #expect(upgrade.code == 7, "\(upgrade.out)\(upgrade.err)")
    #expect(try sandbox.keyplan("show", "store").out.contains("format  1"))
  }
}
