import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Secrets of GitHub, against the fake, which opens what it gets with libsodium.
@Suite(.enabled(if: FakeGitHubs.isHere, "SKIPPED: run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct GitHubTargetTests {
  @Test(
    "each kind of place is a target like any other",
    arguments: [
      ["repository": "acme/shop"], ["repository": "Acme-Inc/big.repo", "kind": "actions"],
      ["repository": "acme/shop", "environment": "production"], ["repository": "acme/shop", "environment": "a/b"],
      ["repository": "acme/shop", "kind": "dependabot"], ["repository": "acme/shop", "kind": "codespaces"],
      ["organization": "acme"], ["organization": "acme", "kind": "dependabot"],
    ])
  func contract(fields: [String: String]) async throws {
    let fake = try FakeGitHub()
    let run = try fake.at(fields)
    let unusable = try fake.at(["repository": "acme/nope"]).destination
    #expect(await TargetContract(run.target, at: run.destination, unusable: unusable).violations() == [])
  }

  @Test("values arrive sealed for the key of their scope, one list answers for all names, and names are in upper case")
  func scopes() async throws {
    let fake = try FakeGitHub()
    #expect(try await fake.at().write(["claude_key": "sk-1", "OTHER": "two\nlines"]).values.allSatisfy { $0 == .done })
    let environment = ["repository": "acme/shop", "environment": "a/b"]
    #expect(try await fake.at(environment).write(["CLAUDE_KEY": "sk-2"]) == ["CLAUDE_KEY": .done])
    #expect(
      try await fake.values() == [
        "/repos/acme/shop/actions/CLAUDE_KEY": "sk-1", "/repos/acme/shop/actions/OTHER": "two\nlines",
        "/repos/acme/shop/environments/a%2Fb/CLAUDE_KEY": "sk-2",
      ])
    let seen = try await fake.seen()
    #expect(seen.count { $0.path.hasSuffix("/public-key") } == 2)
    #expect(!seen.contains { $0.body.contains("sk-1") || $0.body.contains("sk-2") })
    let marks = try #require(await fake.at().marks("claude_key", "OTHER", "NEW"))
    #expect(Set(marks.keys) == ["claude_key", "OTHER"])
    #expect(try await fake.seen().map(\.path) == ["/repos/acme/shop", "/repos/acme/shop/actions/secrets"])
  }

  @Test("more secrets than a page has are all found")
  func pages() async throws {
    let fake = try FakeGitHub()
    let world = try RemoteWorld()
    let names = (0..<230).map { "KEY_\($0)" }
    let written = try await fake.at(world: world).write(Dictionary(uniqueKeysWithValues: names.map { ($0, "v") }))
    #expect(written.values.allSatisfy { $0 == .done })
    // From the 51st on there is a second between two writes.
    #expect(world.pauses.list == [Duration](repeating: .seconds(1), count: 180))
    let run = try fake.at()
    _ = try await fake.seen()
    guard case .marks(let marks) = await run.target.read(Set(names), at: run.destination) else {
      Issue.record("no marks")
      return
    }
    #expect(Set(marks.keys) == Set(names))
    #expect(try await fake.seen().count == 4)
  }

  @Test("a secret of an organization keeps who may use it")
  func visibility() async throws {
    let fake = try FakeGitHub()
    let organization = ["organization": "acme"]
    #expect(try await fake.at(organization).write(["CLAUDE": "1"]) == ["CLAUDE": .done])
    let body = try #require(try await fake.seen().last { $0.method == "PUT" }?.body)
    #expect(body.contains(#""visibility":"private""#) && !body.contains("selected_repository_ids"))
    try await fake.control("share", Data(#"{"name":"CLAUDE","ids":[1001,1003]}"#.utf8))
    #expect(try await fake.at(organization).write(["CLAUDE": "2"]) == ["CLAUDE": .done])
    let again = try #require(try await fake.seen().last { $0.method == "PUT" }?.body)
    #expect(again.contains(#""visibility":"selected","selected_repository_ids":[1001,1003]"#))
    #expect(try await fake.values()["/orgs/acme/actions/CLAUDE"] == "2")
  }

  @Test("a place has the number of its repository, which stays when it is renamed")
  func identity() async throws {
    let fake = try FakeGitHub()
    for (fields, number) in [
      (["repository": "acme/shop", "environment": "production"], "1001"), (["organization": "acme"], "77"),
    ] {
      let run = try fake.at(fields)
      #expect(await run.target.look(TargetQuestion(names: ["A"]), at: run.destination).placeId == number)
    }
    let failure = try #require(await (try fake.at(["repository": "acme/old"])).failure("A"))
    #expect(failure.kind == .unreadable && failure.reason.contains("renamed"))
  }

  @Test("a public key that was replaced is fetched again, once")
  func rotated() async throws {
    let fake = try FakeGitHub()
    let run = try fake.at()
    #expect(await run.write(["A": "1"]) == ["A": .done])
    try await fake.rotate()
    #expect(await run.write(["A": "2", "B": "2"]).values.allSatisfy { $0 == .done })
    #expect(try await fake.values()["/repos/acme/shop/actions/A"] == "2")
    #expect(try await fake.seen().count { $0.path.hasSuffix("/public-key") } >= 2)
    try await fake.fail(.init(status: 422, body: #"{"message":"canary"}"#, methods: ["PUT"]))
    #expect(await run.write(["A": "3"]) == ["A": .refused(.unreadable)])
  }

  @Test("invalid places, names and values are refused before anything is sent")
  func invalid() async throws {
    let fake = try FakeGitHub()
    for fields in [
      [:], ["repository": "acme/shop", "organization": "acme"], ["organization": "acme", "environment": "production"],
      ["repository": "acme/shop", "environment": "production", "kind": "dependabot"], ["repository": "acme"],
      ["repository": "acme/.."], ["repository": "acme/shop", "environment": ".."],
    ] {
      #expect(await (try fake.at(fields)).failure("A")?.kind == .unreadable, "\(fields)")
    }
    let names = ["GITHUB_A", "github_a", "1A", "A-B", "Ä", ""]
    let written = try await fake.at().write(Dictionary(uniqueKeysWithValues: names.map { ($0, "1") }))
    #expect(written == Dictionary(uniqueKeysWithValues: names.map { ($0, .refused(.unreadable)) }))
    let large = String(repeating: "x", count: 48 << 10)
    #expect(try await fake.at().write(["A": large + "x", "B": large]) == ["A": .refused(.unreadable), "B": .done])
  }
}

/// The fake, held against GitHub's own client.
@Suite(
  .enabled(
    if: Peer.path("gh") != nil && FakeGitHubs.isHere, "SKIPPED: gh is not installed; run scripts/setup-judges.sh"))
struct GitHubClientTests {
  private static let repository = "github.localhost/acme/shop"

  @Test("what gh sets is found, and a change by gh is seen", arguments: [nil, "production"] as [String?])
  func together(environment: String?) async throws {
    let fake = try FakeGitHub()
    var fields = ["repository": "acme/shop"]
    fields["environment"] = environment
    func gh(_ verb: String, _ more: String...) throws -> (status: Int32, text: String) {
      let scope = environment.map { ["--env", $0] } ?? []
      return try fake.gh(["secret", verb] + more + ["--repo", Self.repository] + scope)
    }
    let set = try gh("set", "THEIRS", "--body", "by gh")
    #expect(set.status == 0, "\(set.text)")
    #expect(try await fake.at(fields).marks("THEIRS", "OURS")?.keys.sorted() == ["THEIRS"])
    #expect(try await fake.at(fields).write(["OURS": "sk-1"]) == ["OURS": .done])
    let list = try gh("list", "--json", "name")
    #expect(list.text.contains("OURS") && list.text.contains("THEIRS"), "\(list.text)")
    let before = try #require(await fake.at(fields).marks("OURS"))
    #expect(try gh("set", "OURS", "--body", "by gh").status == 0)
    #expect(try await fake.at(fields).marks("OURS") != before)
    #expect(try await fake.at(fields).write(["OURS": "sk-2"], expecting: before) == ["OURS": .stale])
    #expect(try await fake.values().values.sorted() == ["by gh", "by gh"])
    #expect(try gh("delete", "OURS").status == 0)
    #expect(try await fake.at(fields).marks("OURS") == [:])
    #expect(try await fake.at(fields).write(["OURS": "sk-2"], expecting: before) == ["OURS": .stale])
  }

  @Test("gh and keyplan send the same requests")
  func same() async throws {
    let fake = try FakeGitHub()
    #expect(
      try fake.gh("secret", "set", "A", "--body", "1", "--repo", Self.repository, "--app", "dependabot").status == 0)
    let theirs = try await fake.seen().filter { $0.method == "PUT" }
    #expect(try await fake.at(["repository": "acme/shop", "kind": "dependabot"]).write(["A": "2"]) == ["A": .done])
    let ours = try await fake.seen().filter { $0.method == "PUT" }
    #expect(ours.map(\.path) == theirs.map(\.path) && ours.count == 1)
    func fields(_ seen: [FakeGitHub.Seen]) throws -> [String]? {
      (try JSONSerialization.jsonObject(with: Data((seen.first?.body ?? "").utf8)) as? [String: Any])?.keys.sorted()
    }
    #expect(try fields(ours) == ["encrypted_value", "key_id"])
    #expect(try fields(theirs) == fields(ours))
  }
}
