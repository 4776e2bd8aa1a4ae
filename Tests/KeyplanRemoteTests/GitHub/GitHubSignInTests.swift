import Foundation
import KeyplanModel
import KeyplanPorts
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Credentials for GitHub, and what its answers mean.
@Suite(.enabled(if: FakeGitHubs.isHere, "SKIPPED: run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct GitHubSignInTests {
  private let fake: FakeGitHub

  init() throws { fake = try FakeGitHub() }

  @Test(
    "a missing right, single sign-on, a hidden repository and a rejected token are distinguished",
    arguments: [
      ("hidden", AccessFailure.Kind.denied, "does not exist, or the token is not allowed", "permission \"Secrets\""),
      ("workflow", .denied, "denied access", "The GITHUB_TOKEN of a workflow cannot"),
      ("sso", .denied, "single sign-on", "https://github.com/settings"), ("wrong", .unauthenticated, "rejected", nil),
    ] as [(String, AccessFailure.Kind, String, String?)])
  func tokens(token: String, kind: AccessFailure.Kind, reason: String, hint: String?) async throws {
    let failure = try #require(await (try fake.at(["repository": "acme/shop"], token)).failure("A"))
    #expect(failure.kind == kind)
    #expect(failure.reason.contains(reason), "\(failure.reason)")
    if let hint { #expect(failure.hint?.contains(hint) == true, "\(failure.hint ?? "")") }
    #expect(!"\(failure)".contains("canary"))
    #expect(try await fake.at(["repository": "acme/shop"], token).write(["A": "1"]) == ["A": .notAtAll(kind)])
  }

  @Test("a token that may only read changes nothing, and does not try every name")
  func reader() async throws {
    let names = (0..<20).map { "KEY_\($0)" }
    let written = try await fake.at(["repository": "acme/shop"], "reader").write(
      Dictionary(uniqueKeysWithValues: names.map { ($0, "1") }))
    #expect(written.values.allSatisfy { $0 == .refused(.denied) } && written.count == 20)
    #expect(try await fake.seen().count { $0.method == "PUT" } == 1)
  }

  @Test("the token of a variable goes to github.com only; that of a workflow is refused at once")
  func variables() async throws {
    func failure(_ variables: [String: String], address: String?) async throws -> AccessFailure? {
      var world = try RemoteWorld()
      world.variables.merge(variables) { $1 }
      let values: [String: Connection.Value] = address.map { ["address": .text($0)] } ?? [:]
      let backend = GitHubBackend(try world.context(GitHubBackend.backend, values))
      guard case .failed(let failure) = await backend.signedInAs() else { return nil }
      return failure
    }
    let token = ["GH_TOKEN": "good.\(fake.name)", "GITHUB_TOKEN": "good.\(fake.name)"]
    let other = try #require(try await failure(token, address: fake.address))
    #expect(other.kind == .unauthenticated && other.hint?.contains("GH_ENTERPRISE_TOKEN") == true)
    #expect(try await failure(["GH_ENTERPRISE_TOKEN": "good.\(fake.name)"], address: fake.address) == nil)
    let workflow = try #require(try await failure(["GITHUB_TOKEN": "ghs_canary"], address: nil))
    #expect(workflow.kind == .denied && workflow.reason.contains("does not allow to access secrets"))
    #expect(try await failure([:], address: nil)?.hint?.contains("GH_TOKEN") == true)
  }

  @Test(
    "limits on requests are waited for within the patience, and reported with their end beyond it",
    arguments: [
      (429, ["Retry-After": "7"], #"{"message":"x"}"#, 7), (403, ["Retry-After": "7"], #"{"message":"x"}"#, 7),
      (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000009"], #"{"message":"x"}"#, 9),
    ] as [(Int, [String: String], String, Int64)])
  func limits(status: Int, headers: [String: String], body: String, seconds: Int64) async throws {
    let world = try RemoteWorld()
    try await fake.fail(.init(status: status, headers: headers, body: body, times: 1))
    #expect(await (try fake.at(world: world)).marks("A") == [:])
    #expect(world.pauses.list == [.seconds(seconds)])
    let long = headers.mapValues { $0 == "7" ? "700" : $0 == "1800000009" ? "1800000700" : $0 }
    try await fake.fail(.init(status: status, headers: long, body: body))
    let failure = try #require(await (try fake.at()).failure("A"))
    #expect(failure.kind == .throttled && failure.retryAfter == Interval(seconds: 700))
  }

  @Test("a secondary limit without a time is a minute, and ends a write with what is done")
  func secondary() async throws {
    #expect(try await fake.at().write(["A": "1"]) == ["A": .done])
    let body = #"{"message":"You have exceeded a secondary rate limit. Please wait."}"#
    try await fake.fail(.init(status: 403, body: body, methods: ["PUT"], path: "/B"))
    let world = try RemoteWorld()
    let run = try fake.at(world: world)
    guard case .success(let results) = await run.results(["A": "2", "B": "2", "C": "2"]) else {
      Issue.record("not written")
      return
    }
    guard case .done = results["A"], case .refused(let failure) = results["B"], case .refused = results["C"] else {
      Issue.record("\(results)")
      return
    }
    #expect(failure.kind == .throttled && failure.retryAfter == Interval(seconds: 60))
    #expect(try await fake.seen().count { $0.path.hasSuffix("/C") } == 0)
    #expect(world.pauses.list == [])
  }

  @Test(
    "what is not an answer of GitHub is not an empty list",
    arguments: [
      (FakeGitHub.Fault(status: 200, body: "<html>"), AccessFailure.Kind.unreadable),
      (.init(status: 200, body: "{}"), .unreadable), (.init(status: 404, body: "<html>"), .unreadable),
      (.init(status: 403, body: "<html>"), .unreadable), (.init(status: 500, body: "{}"), .unreachable),
      (.init(), .unreachable), (.init(status: 200, body: #"{"secrets":[{"name":"A"}]}"#), .unreadable),
      (
        .init(
          status: 200, headers: ["Link": "<https://elsewhere.example/x>; rel=\"next\""], body: #"{"secrets":[]}"#),
        .unreadable
      ),
    ])
  func strange(fault: FakeGitHub.Fault, kind: AccessFailure.Kind) async throws {
    var fault = fault
    fault.path = "/secrets"
    try await fake.fail(fault)
    #expect(await (try fake.at()).failure("A")?.kind == kind)
  }

  @Test("a write whose answer is lost is unknown, because its mark could be somebody else's")
  func lost() async throws {
    #expect(try await fake.at().write(["A": "1"]) == ["A": .done])
    try await fake.fail(.init(methods: ["PUT"], after: true, times: 1))
    #expect(try await fake.at().write(["A": "2", "B": "2"]) == ["A": .unknown, "B": .done])
    try await fake.fail(.init(status: 502, body: "<html>", methods: ["PUT"], times: 1))
    #expect(try await fake.at().write(["A": "3"]) == ["A": .unknown])
    try await fake.fail(.init(methods: ["DELETE"], after: true, times: 1))
    #expect(try await fake.at().write([:], removing: ["A", "NEVER"]) == ["A": .done, "NEVER": .done])
  }

  /// A GitHub App that is known to the fake.
  private struct App {
    var world: RemoteWorld
    let values: [String: Connection.Value]

    init(_ fake: FakeGitHub, id: String, address: String) async throws {
      world = try RemoteWorld()
      let key = world.home["app.pem"]
      try #require(try Child.run(["openssl", "genrsa", "-out", key, "2048"]) == 0)
      let publicKey = try Child.answer(["openssl", "rsa", "-in", key, "-pubout"]).text
      let installation = Int.random(in: 1...1_000_000_000)
      let facts = ["id": id, "installation": String(installation), "key": publicKey]
      try await fake.control("app", JSONEncoder().encode(facts))
      world.variables["APP_KEY"] = try world.home.text("app.pem")
      values = [
        "address": .text(address), "appId": .text(id), "installation": .text(String(installation)),
        "privateKey": .secret(Reference(scheme: "env", location: "APP_KEY", isLocal: true)),
      ]
    }

    func backend(_ more: [String: Connection.Value] = [:]) throws -> GitHubBackend {
      GitHubBackend(try world.context(GitHubBackend.backend, values.merging(more) { $1 }))
    }
  }

  @Test("a GitHub App gets a token for each scope with no other right, and gives it back")
  func app() async throws {
    let app = try await App(fake, id: "Iv1.\(Int.random(in: 0...999_999))", address: fake.address)
    let backend = try app.backend()
    let target = try #require(backend.target)
    func write(_ fields: [String: String]) async throws -> [String: ServiceRun.Wrote] {
      let location = try #require(GitHubBackend.backend.target).location(of: fields, through: nil)
      return await PortRun(world: app.world, target: target, destination: Destination(type: "test", location: location))
        .write(["A": "1"])
    }
    #expect(await backend.signedInAs() == .known("app keyplan-bot"))
    for fields in [
      ["repository": "acme/shop"], ["repository": "acme/app"],
      ["repository": "acme/shop", "environment": "production"],
      ["repository": "acme/shop", "kind": "codespaces"], ["organization": "acme"],
      ["organization": "acme", "kind": "dependabot"],
    ] {
      #expect(try await write(fields) == ["A": .done], "\(fields)")
      #expect(try await write(fields) == ["A": .done])
    }
    #expect(try await write(["repository": "acme/nope"]) == ["A": .notAtAll(.unauthenticated)])
    #expect(try await fake.seen().count { $0.path.hasSuffix("/access_tokens") } == 7)
    await backend.signOut()
    await backend.signOut()
    let revoked = try JSONDecoder().decode([[String: String]].self, from: await fake.control("revoked", nil))
    #expect(revoked.count == 6 && revoked.contains(["environments": "write"]))
  }

  @Test("an app with another key, or an incomplete one, is not signed in")
  func wrongApp() async throws {
    let app = try await App(fake, id: "Iv1.\(Int.random(in: 0...999_999))", address: fake.address)
    var other = try await App(fake, id: "Iv1.other", address: fake.address)
    other.world.variables["APP_KEY"] = app.world.variables["APP_KEY"]
    func failure(_ backend: GitHubBackend) async -> AccessFailure? {
      guard case .failed(let failure) = await backend.signedInAs() else { return nil }
      return failure
    }
    #expect(await failure(try other.backend())?.kind == .unauthenticated)
    var broken = app
    broken.world.variables["APP_KEY"] = "canary"
    let reason = try #require(await failure(try broken.backend())).reason
    #expect(reason.contains("RSA") && !reason.contains("canary"))
    var values = app.values
    values["installation"] = nil
    let incomplete = GitHubBackend(try app.world.context(GitHubBackend.backend, values))
    #expect(await failure(incomplete)?.reason.contains("installation") == true)
    let both = try app.backend(["token": .secret(Reference(scheme: "env", location: "APP_KEY", isLocal: true))])
    #expect(await failure(both)?.reason.contains("both") == true)
  }
}
