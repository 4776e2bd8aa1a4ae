import Foundation
import Testing

/// Keys that a person makes at a fake of a provider which has no request for it, and that keyplan retires there.
@Suite("A key that a person makes")
struct ManualKeyTests {
  private let sandbox: ProgramSandbox
  private let address: String

  init() throws {
    (sandbox, address) = (try ProgramSandbox(), try RotationProject.instance())
    sandbox.variables["MGMT"] = RotationProject.credential
    sandbox.variables["COLUMNS"] = "200"
    try RotationProject.control("token", ["value": RotationProject.credential], at: address)
    try declare()
    try #require(sandbox.keyplan("identity", "new").code == 0)
    try #require(sandbox.keyplan("init").code == 0)
  }

  private func declare(overlap: String = "none", others: String = "") throws {
    try sandbox.write(
      """
      version: 1
      connections:
        admin: { type: anthropic-keys, address: "\(address)", adminKey: env://MGMT }
      policies: { quarterly: { after: 90d, then: rotate, overlap: \(overlap) } }
      keys:
        claude: { provider: generic, source: { mint: admin }, variable: CLAUDE, expires: quarterly }
        webhook: { provider: generic, source: { generate: { bytes: 16 } }, variable: WEBHOOK }
      \(others)
      targets:
        app: { type: json, path: app.json, keys: { CLAUDE: claude } }

      """, to: "keyplan.yaml")
  }

  /// What a person does at the provider.
  private func make() throws -> RotationProject.Key {
    let answer = try RotationProject.control("make", ["provider": "anthropic", "name": "by hand"], at: address)
    let id = try JSONDecoder().decode(String.self, from: answer)
    return try #require(try keys().first { $0.id == id })
  }

  private func keys() throws -> [RotationProject.Key] { try RotationProject.keys(of: "anthropic", at: address) }

  private func give(
    _ key: RotationProject.Key, to name: String = "claude", id: String? = nil, storeOnly: Bool = false
  ) throws -> ProgramRun.Answer {
    try sandbox.write(key.value, to: "value")
    let words = ["keys", "set", name, "--from-file", "value", "--id", id ?? key.id, "--yes"]
    return try sandbox.start([Shell.program] + words + (storeOnly ? ["--store-only"] : [])).wait()
  }

  @Test func `is asked for with its id, and retired at the provider once every target has the next one`() throws {
    let asked = try sandbox.keyplan("plan")
    #expect(asked.out.contains("then keyplan keys set claude --id ID"), "\(asked.out)")

    let first = try make()
    let given = try give(first)
    #expect(given.code == 0 && given.out.contains("\(first.id) at admin"), "\(given.out)\(given.err)")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("show", "key.claude").out.contains(first.id))

    let rotated = try sandbox.keyplan("keys", "rotate", "claude", "--yes")
    #expect(rotated.code == 6 && rotated.out.contains("new key required"), "\(rotated.code) \(rotated.out)")

    // The target has the old one until the apply.
    let second = try make()
    #expect(try give(second, storeOnly: true).code == 0)
    #expect(try keys().allSatisfy { !$0.disabled } && keys().count == 2)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try String(contentsOfFile: sandbox.project + "/app.json", encoding: .utf8).contains(second.value))
    #expect(try keys().filter { !$0.disabled }.map(\.id) == [second.id])
    #expect(try sandbox.keyplan("plan").out.contains("No changes"))

    // Or one command does all of it.
    let third = try make()
    let replaced = try give(third)
    #expect(replaced.code == 0, "\(replaced.out)\(replaced.err)")
    #expect(try String(contentsOfFile: sandbox.project + "/app.json", encoding: .utf8).contains(third.value))
    #expect(try keys().filter { !$0.disabled }.map(\.id) == [third.id])
    #expect(try sandbox.keyplan("plan").out.contains("No changes"))
  }

  @Test func `keeps the old key at the provider while a target could not be written`() throws {
    let (first, second) = (try make(), try make())
    #expect(try give(first).code == 0 && sandbox.keyplan("apply", "--yes").code == 0)
    let file = sandbox.project + "/app.json"
    try FileManager.default.moveItem(atPath: file, toPath: file + ".aside")
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    let given = try give(second)
    #expect(given.code == 3 && given.out.contains("Target keeps an earlier value"), "\(given.out)\(given.err)")
    #expect(try keys().allSatisfy { !$0.disabled })
  }

  @Test func `keeps the old key at the provider while a target waits for an apply`() throws {
    let (first, second) = (try make(), try make())
    #expect(try give(first).code == 0 && sandbox.keyplan("apply", "--yes").code == 0)
    let manifest = try String(contentsOfFile: sandbox.project + "/keyplan.yaml", encoding: .utf8)
    try sandbox.write(manifest.replacingOccurrences(of: "app.json", with: "other.json"), to: "keyplan.yaml")
    let given = try give(second)
    #expect(given.code == 3 && given.out.contains("Target keeps an earlier value"), "\(given.out)\(given.err)")
    #expect(try keys().allSatisfy { !$0.disabled } && keys().count == 2)
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try keys().filter { !$0.disabled }.map(\.id) == [second.id])
  }

  @Test func `is revoked only after its overlap`() throws {
    try declare(overlap: "1d")
    let first = try make()
    #expect(try give(first).code == 0 && sandbox.keyplan("apply", "--yes").code == 0)
    let second = try make()
    #expect(try give(second).code == 0 && sandbox.keyplan("apply", "--yes").code == 0)
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("The replaced key \(first.id) of \"claude\" stays valid"), "\(plan.out)")
    #expect(try keys().count == 2)
  }

  @Test func `can be named later, and corrected`() throws {
    let (key, other) = (try make(), try make())
    try sandbox.write(key.value, to: "value")
    #expect(try sandbox.keyplan("keys", "set", "claude", "--from-file", "value", "--yes").code == 0)
    #expect(try give(key, id: other.id).code == 0)
    let corrected = try give(key)
    #expect(corrected.code == 0 && corrected.out.contains("updated"), "\(corrected.out)\(corrected.err)")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try keys().allSatisfy { !$0.disabled })
    #expect(try give(key).out.contains("No changes"))
  }

  @Test func `with a wrong id is reported when it is to be revoked`() throws {
    let first = try make()
    #expect(try give(first, id: "apikey_typo").code == 0 && sandbox.keyplan("apply", "--yes").code == 0)
    let applied = try give(make())
    #expect(applied.code == 0 && applied.out.contains("admin has no key apikey_typo."), "\(applied.out)\(applied.err)")
    #expect(try keys().allSatisfy { !$0.disabled })
  }

  @Test func `needs a connection that can revoke it, and an id of its own`() throws {
    try declare(others: "  copy: { provider: generic, source: { mint: admin }, variable: COPY }")
    let key = try make()
    #expect(try give(key).code == 0)
    let taken = try give(key, to: "copy")
    #expect(taken.code == 1 && taken.err.contains("is recorded for \"claude\""), "\(taken.err)")
    #expect(try give(key, to: "webhook").code != 0)
    #expect(try give(key, id: "..").code == 64)
    let blank = try give(key, id: "two words")
    #expect(blank.code == 64 && blank.err.contains("Invalid id"), "\(blank.code) \(blank.err)")
    let pasted = try give(key, id: key.value)
    #expect(pasted.code == 64 && pasted.err.contains("Value in an argument"), "\(pasted.err)")
    #expect(!(pasted.out + pasted.err).contains(key.value))
    let random = try sandbox.keyplan("keys", "set", "claude", "--generate", "--id", "a", "--yes")
    #expect(random.code == 64 && random.err.contains("exclude each other"), "\(random.err)")
    try sandbox.write(
      "version: 1\nkeys: { pay: { provider: generic, source: { mint: stripe-keys }, variable: PAY } }\n",
      to: "keyplan.yaml")
    let left = try give(key, to: "pay")
    #expect(left.code == 64 && left.err.contains("cannot revoke keys at stripe-keys"), "\(left.err)")
  }
}
