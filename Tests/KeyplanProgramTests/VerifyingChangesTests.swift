import Foundation
import TestTools
import Testing

/// Live checks as a part of plans, applies and drift, against the fake of providers.
@Suite("--verify") struct VerifyingChangesTests {
  private typealias Project = VerifyTests.Project
  /// Accepts one key of each provider, and rejects any other.
  private static let byKey = "  openai: { address: ROOT/openai/by-key }\n  deepseek: { address: ROOT/deepseek/0 }"
  private static let other = "sk-another-made-up-value"

  /// All that was written, as one line.
  private func words(_ answer: ProgramRun.Answer) -> String {
    (answer.out + answer.err).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func serial(_ sandbox: ProgramSandbox) throws -> String {
    let shown = try sandbox.keyplan("show", "--json").out
    return String(try #require(shown.firstMatch(of: /"serial":(\d+)/)?.output.1))
  }

  @Test func `drift finds a key that its provider rejects, and the plan after it moves the slot`() throws {
    let project = try Project("  openai: { address: ROOT/openai/1 }\n  deepseek: { address: ROOT/deepseek/0 }")
    let sandbox = project.sandbox
    #expect(try sandbox.keyplan("drift").code == 0)
    let drift = try sandbox.keyplan("drift", "--verify")
    #expect(drift.code == 2 && drift.out.contains("was rejected by its provider on "), "\(drift.out)\(drift.err)")
    #expect(try sandbox.keyplan("plan").out.contains("rejected by its provider"))
  }

  @Test func `a plan made with it moves the slot at once`() throws {
    let project = try Project("  openai: { address: ROOT/openai/1 }\n  deepseek: { address: ROOT/deepseek/0 }")
    let plan = try project.sandbox.keyplan("plan", "--verify", "--detailed-exitcode")
    #expect(plan.code == 2 && plan.out.contains("rejected by its provider"), "\(plan.out)\(plan.err)")
    #expect(try project.sandbox.keyplan("apply", "--verify", "--yes").code == 0)
    #expect(try project.sandbox.keyplan("get", "active.api").out == VerifyTests.deepseek)
  }

  @Test func `drift asks by itself when answers are too old, in silence as long as an outage is short`() throws {
    let project = try Project(
      "  openai: { address: ROOT/openai/0 }\n  deepseek: { address: \"http://127.0.0.1:1\" }",
      more: "verify: { every: 24h }")
    let sandbox = project.sandbox
    let before = try serial(sandbox)
    let first = try sandbox.keyplan("drift")
    #expect(first.code == 0 && first.err.isEmpty, "\(first.err)")
    let after = try serial(sandbox)
    #expect(after != before)
    #expect(try sandbox.keyplan("drift").code == 0)
    #expect(try serial(sandbox) == after)
    let asked = try sandbox.keyplan("drift", "--verify")
    #expect(asked.code == 0 && asked.out.contains("Key was not checked"), "\(asked.out)\(asked.err)")
    #expect(asked.out.contains("\"spare\" was not checked"), "\(asked.out)")
    let last = try serial(sandbox)
    // A pull request cannot have keys checked.
    try project.write("  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }")
    sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    _ = try sandbox.keyplan("drift")
    #expect(try serial(sandbox) == last)
  }

  @Test func `a new value that its provider rejects is not stored, nor by a later apply`()
    throws
  {
    let project = try Project(Self.byKey)
    let sandbox = project.sandbox
    sandbox.variables["MAIN"] = Self.other
    let plan = try sandbox.keyplan("plan", "--verify")
    #expect(plan.out.contains("checked at openai first"), "\(plan.out)\(plan.err)")
    let applied = try sandbox.keyplan("apply", "--verify", "--yes")
    #expect(applied.code == 1, "\(applied.code) \(applied.out)\(applied.err)")
    #expect(
      words(applied).contains("rejected the key") && words(applied).contains("not stored"),
      "\(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "active.api").out == VerifyTests.openai)

    // Remembered: an apply that does not check leaves it, and warns.
    let plain = try sandbox.keyplan("apply", "--yes")
    #expect(plain.code == 0 && words(plain).contains("which was rejected by its provider"), "\(plain.out)\(plain.err)")
    #expect(try sandbox.keyplan("get", "active.api").out == VerifyTests.openai)
    let drift = try sandbox.keyplan("drift")
    #expect(drift.code == 2 && words(drift).contains("has a new value, which was rejected"), "\(drift.out)")

    // Asked again where that is wanted, and the answer may be another one by then.
    #expect(try sandbox.keyplan("apply", "--verify", "--yes").code == 1)
    try project.write("  openai: { address: ROOT/openai/0 }\n  deepseek: { address: ROOT/deepseek/0 }")
    sandbox.variables["MAIN"] = VerifyTests.openai
    let back = try sandbox.keyplan("apply", "--verify", "--yes")
    #expect(back.code == 0, "\(back.out)\(back.err)")
    #expect(try sandbox.keyplan("drift").code == 0)
    for answer in [plan, applied, plain, drift, back] {
      #expect(
        !(answer.out + answer.err).contains(Self.other) && !(answer.out + answer.err).contains(VerifyTests.openai))
    }
  }

  /// A provider whose built-in check is a preview and has an address, and the key that the fake accepts.
  private func preview() throws -> (name: String, key: String) {
    struct Entry: Decodable {
      struct Request: Decodable { let key: String }
      let request: Request
    }
    let listed = try ProgramSandbox().keyplan("providers", "--json").out
    let names = listed.matches(of: /"isCheckPreview":true,"isChecked":true,"name":"([\w-]+)"/).map { String($0.1) }
    let name = try #require(names.first { $0 != "azure-openai" })
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let table = try JSONDecoder().decode(
      [String: Entry].self, from: Data(contentsOf: tests.appending(path: "KeyplanRemoteTests/Fixtures/checks.json")))
    return (name, try #require(table[name]).request.key)
  }

  @Test func `a check that is a preview is named by its permission, and by each verify`() throws {
    let (name, key) = try preview()
    let project = try Project(
      "  \(name): { address: ROOT/\(name)/0 }\n  openai: { address: ROOT/openai/0 }",
      keys: "  main: { provider: openai, source: env://MAIN }\n  spare: { provider: \(name), source: env://OWN }",
      apply: false)
    let sandbox = project.sandbox
    sandbox.variables["OWN"] = key
    let plan = try sandbox.keyplan("plan", "--verify")
    #expect(words(plan).contains("with the preview check of \(name)"), "\(plan.out)\(plan.err)")
    #expect(!words(plan).contains("preview check of openai") && plan.err.isEmpty, "\(plan.out)\(plan.err)")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try !words(sandbox.keyplan("plan", "--verify")).contains("preview"))
    let verified = try sandbox.keyplan("verify")
    #expect(verified.code == 0, "\(verified.out)\(verified.err)")
    #expect(words(verified).contains("The check of \(name) is a preview:"), "\(verified.out)")
    #expect(try sandbox.keyplan("verify", "--json").out.contains(#""previews":["\#(name)"]"#))
    #expect(try !words(sandbox.keyplan("verify", "main")).contains("preview"))
  }

  @Test func `a preview without a permission is named by plans until its provider has answered`() throws {
    let (name, key) = try preview()
    let project = try Project(
      "  openai: { address: ROOT/openai/0 }",
      keys: "  main: { provider: openai, source: env://MAIN }\n  spare: { provider: \(name), source: env://OWN }",
      apply: false)
    let sandbox = project.sandbox
    sandbox.variables["OWN"] = key
    // Nothing leaves the machine.
    sandbox.variables["HTTPS_PROXY"] = project.root
    let sentence = "warning: Check is a preview The check of \(name) is a preview:"
    let plan = try sandbox.keyplan("plan", "--verify")
    #expect(words(plan).contains(sentence), "\(plan.out)\(plan.err)")
    #expect(try !words(sandbox.keyplan("plan")).contains("preview"))
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    let again = try sandbox.keyplan("plan", "--verify")
    #expect(words(again).matches(of: /Check is a preview/).count == 1, "\(again.out)\(again.err)")
    // An answer that the store has: the provider was asked before.
    try project.write(
      "  openai: { address: ROOT/openai/0 }\n  \(name): { address: ROOT/\(name)/0 }",
      keys: "  main: { provider: openai, source: env://MAIN }\n  spare: { provider: \(name), source: env://OWN }")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("verify", "spare").code == 0)
    try project.write(
      "  openai: { address: ROOT/openai/0 }",
      keys: "  main: { provider: openai, source: env://MAIN }\n  spare: { provider: \(name), source: env://OWN }")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try !words(sandbox.keyplan("plan", "--verify")).contains("Check is a preview"))
  }

  @Test func `a key keeps its value while its provider does not answer`()
    throws
  {
    let project = try Project("  openai: { address: \"http://127.0.0.1:1\" }\n  deepseek: { address: ROOT/deepseek/0 }")
    let sandbox = project.sandbox
    sandbox.variables["MAIN"] = Self.other
    let applied = try sandbox.keyplan("apply", "--verify", "--yes")
    #expect(
      applied.code == 8 && words(applied).contains("without --verify"), "\(applied.code) \(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "main").out == VerifyTests.openai)
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "main").out == Self.other)
  }

  @Test func `a first value is checked too, and the slot goes to a key that is accepted`() throws {
    let project = try Project(Self.byKey, apply: false)
    let sandbox = project.sandbox
    sandbox.variables["MAIN"] = Self.other
    let plan = try sandbox.keyplan("plan", "--verify")
    #expect(words(plan).contains("checked at openai first (review)"), "\(plan.out)")
    let applied = try sandbox.keyplan("apply", "--verify", "--yes")
    #expect(applied.code == 3, "\(applied.code) \(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "main").code != 0)
    sandbox.variables["MAIN"] = VerifyTests.openai
    #expect(try sandbox.keyplan("apply", "--verify", "--yes").code == 0)
    #expect(try sandbox.keyplan("get", "active.api").out == VerifyTests.openai)
    let verified = try sandbox.keyplan("show", "key.main", "--json")
    #expect(verified.out.contains("\"valid\""), "\(verified.out)")
  }

  @Test func `a saved plan says that values are checked, and cannot be given that later`() throws {
    let project = try Project(Self.byKey)
    let sandbox = project.sandbox
    sandbox.variables["MAIN"] = Self.other
    #expect(try sandbox.keyplan("plan", "--out", "plain.kp").code == 0)
    #expect(try sandbox.keyplan("plan", "--verify", "--out", "checked.kp").code == 0)
    let refused = try sandbox.keyplan("apply", "checked.kp", "--verify")
    #expect(refused.code == 64 && refused.err.contains("--verify"), "\(refused.code) \(refused.err)")
    let applied = try sandbox.keyplan("apply", "checked.kp")
    #expect(applied.code == 1 && words(applied).contains("rejected the key"), "\(applied.code) \(applied.err)")
    #expect(try sandbox.keyplan("get", "main").out == VerifyTests.openai)
  }

  @Test func `a value goes to no other provider than the one that is recorded with its key`() throws {
    let project = try Project(Self.byKey)
    let sandbox = project.sandbox
    sandbox.variables["HTTPS_PROXY"] = project.root
    sandbox.variables["MAIN"] = Self.other
    try project.write(
      Self.byKey,
      keys: "  main: { provider: mistral, source: env://MAIN }\n  spare: { provider: deepseek, source: env://SPARE }")
    let plan = try sandbox.keyplan("plan", "--verify")
    #expect(plan.out.contains("key.main") && !plan.out.contains("checked at mistral"), "\(plan.out)\(plan.err)")
  }
}
