import KeyplanHTTP
import KeyplanModel
import KeyplanTesting
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The contracts of sources and targets, against a real OpenBao.
@Suite(.enabled(if: OpenBao.isHere, "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct VaultContractTests {
  @Test("secrets of both versions are a source like any other", arguments: [1, 2], [false, true])
  func sources(version: Int, isStated: Bool) async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(version)
    try await bao.put(
      mount, "llm/anthropic",
      #"{"key":"first-value","other":"second","number":7355014,"flag":true,"null":null,"object":{"a":"b"},"empty":""}"#)
    try await bao.put(mount, "llm/ünï cödé+%2F", #"{"a b?c/d":"three \" \\ 🔑"}"#)
    try await bao.put(mount, "gone", #"{"key":"four"}"#)
    try await bao.make("\(mount)/\(version == 2 ? "data/" : "")gone", method: .delete)
    let run = VaultRun(bao, isStated ? ["kv": .text("\(version)")] : [:])
    func reference(_ path: String, _ field: String? = nil) -> Reference {
      VaultRun.reference("\(mount)/\(path)", field)
    }
    let contract = SourceContract(
      try #require(run.backend.source),
      present: [
        (reference("llm/anthropic", "key"), "first-value"), (reference("llm/anthropic", "other"), "second"),
        (reference("llm/anthropic", "number"), "7355014"), (reference("llm/anthropic", "flag"), "true"),
        (reference("llm/ünï cödé+%2F", "a b?c/d"), "three \" \\ 🔑"), (reference("llm/ünï cödé+%2F"), "three \" \\ 🔑"),
      ],
      missing: [
        reference("llm/anthropic", "nope"), reference("llm/nope", "key"), reference("gone", "key"),
        reference("llm", "key"),
      ],
      unreadable: [
        reference("llm/anthropic", "null"), reference("llm/anthropic", "object"), reference("llm/anthropic"),
        reference("llm/anthropic", "empty"), reference("llm//anthropic", "key"),
        reference("llm/../llm/anthropic", "key"),
        VaultRun.reference(mount, "key"), VaultRun.reference("", "key"),
      ],
      failing: [(VaultRun.reference("nope/llm/anthropic", "key"), isStated ? .unreadable : .denied)])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("a secret of both versions is a target like any other", arguments: [1, 2], [false, true])
  func targets(version: Int, isStated: Bool) async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(version)
    let run = VaultRun(bao, isStated ? ["kv": .text("\(version)")] : [:])
    let contract = TargetContract(
      try #require(run.backend.target), at: VaultRun.place("\(mount)/team/app"),
      unusable: VaultRun.place("nope/team/app"))
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("without the right to patch, the whole secret is written under the same guard")
  func withoutPatch() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    let token = try await bao.token(
      #"path "\#(mount)/data/app" { capabilities = ["create", "read", "update", "delete"] }"#)
    let run = VaultRun(bao, token: token)
    let contract = TargetContract(try #require(run.backend.target), at: VaultRun.place("\(mount)/app"))
    let violations = await contract.violations()
    #expect(violations == [])
  }
}
