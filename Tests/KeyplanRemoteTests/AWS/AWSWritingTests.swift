import KeyplanApply
import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What others do at the same time, and what is lost on the way, with two implementations that are not ours.
@Suite(
  "Writing to AWS's services, as moto and MiniStack have them",
  .enabled(if: AWSPeer.python != nil, "SKIPPED: run scripts/setup-aws.sh, which installs moto and MiniStack"))
struct AWSWritingTests: AWSPeerSuite {
  @Test(
    "other members of the object are kept as they are, and what is not a string is not replaced",
    arguments: AWSPeer.Kind.allCases)
  func members(peer: AWSPeer.Kind) async throws {
    let name = Self.fresh()
    let backend = try AWSPeer.run(peer).secretsManager()
    let target = try #require(backend.target)
    let before = #"{"port": 5432.00, "deep":{"a":[1, "ü\u00fc"]}, "A":"old", "flag": true, "gone": null}"#
    try await write(["app": before], target, at: "prefix \(name)")
    let place = Destination(type: "awssm", location: "secret \(name)/app")
    let sight = await target.look(
      TargetQuestion(
        names: ["A", "port", "gone"], intent: .init(setting: ["A", "port"], removing: ["deep", "flag"])),
      at: place)
    #expect(sight.writeBlockers.setting.keys.sorted() == ["port"])
    #expect(sight.writeBlockers.removing.keys.sorted() == ["deep"])
    guard case .values(let values) = sight.answer else { Issue.record("not read"); return }
    #expect(values.keys.sorted() == ["A", "port"])
    guard case .text(let port)? = values["port"] else { Issue.record("a number is not a value"); return }
    #expect(port.text == "5432.00")
    let results = try await target.write(
      TargetChanges(
        set: [("A", SecretBox(Array("new".utf8))), ("port", SecretBox(Array("1".utf8)))], remove: ["deep", "B", "flag"]),
      at: place)
    #expect(results["A"] == .done() && results["B"] == .done() && results["flag"] == .done())
    for name in ["port", "deep"] {
      guard case .refused? = results[name] else {
        Issue.record("\(name): \(String(describing: results[name]))")
        continue
      }
    }
    let whole = try #require(backend.source)
    guard case .value(let text) = await whole.read([Self.reference("\(name)/app")])[0] else {
      Issue.record("not read")
      return
    }
    #expect(text.text == #"{"port":5432.00,"deep":{"a":[1, "ü\u00fc"]},"gone":null,"A":"new"}"#)
  }

  @Test("a secret that someone else changed since it was read is not written", arguments: AWSPeer.Kind.allCases)
  func guarded(peer: AWSPeer.Kind) async throws {
    let name = Self.fresh()
    let admin = try AWSPeer.run(peer)
    let target = try #require(try admin.secretsManager().target)
    let place = Destination(type: "awssm", location: "prefix \(name)")
    try await write(["a": "one"], target, at: "prefix \(name)")
    // Someone else writes between the request that adds the version and the one that makes it current.
    var run = try AWSPeer.run(peer)
    let real = run.environment.transport(run.environment.http)
    let other = target
    run.send = { (request) async throws(HTTPError) in
      if request.headers.contains(where: { $0.value.isOpen("secretsmanager.UpdateSecretVersionStage") }) {
        _ = try? await other.write(
          TargetChanges(set: [("a", SecretBox(Array("theirs".utf8)))], remove: []), at: place)
      }
      return try await real.send(request)
    }
    let ours = try #require(try run.secretsManager().target)
    let results = try await ours.write(
      TargetChanges(set: [("a", SecretBox(Array("ours".utf8)))], remove: []), at: place)
    #expect(results == ["a": .stale])
    let source = try #require(try admin.secretsManager().source)
    guard case .value(let value) = await source.read([Self.reference("\(name)/a")])[0] else {
      Issue.record("not read")
      return
    }
    #expect(value.text == "theirs")
    // What the plan saw is compared too.
    let stale = try await target.write(
      TargetChanges(set: [("a", SecretBox(Array("x".utf8)))], remove: [], expected: ["a": Mark("another")]), at: place)
    #expect(stale == ["a": .stale])
    let appeared = try await target.write(
      TargetChanges(set: [("a", SecretBox(Array("x".utf8)))], remove: ["a"], expected: [:]), at: place)
    #expect(appeared == ["a": .stale])
  }

  @Test("a secret that keyplan did not create is not deleted, and says so before", arguments: AWSPeer.Kind.allCases)
  func withdrawing(peer: AWSPeer.Kind) async throws {
    let name = Self.fresh()
    let run = try AWSPeer.run(peer)
    let signIn = AWSSignIn(now: run.now) { () async throws(RemoteFailure) in
      do { return try await run.credentials() } catch { throw RemoteFailure(.unreadable, "No credential.") }
    }
    let client = AWSClient(
      endpoint: try AWSEndpoint(.secretsManager, in: "eu-central-1", at: run.variables["AWS_ENDPOINT_URL"]),
      transport: run.environment.transport(run.environment.http), lane: Lane(), signIn: signIn)
    _ = try await client.call(
      "CreateSecret", .object([("Name", .text("\(name)/theirs")), ("SecretString", .text("x"))]), .write)
    // As infrastructure as code leaves secrets for others to fill. MiniStack shows them without a value, where AWS
    // and moto have no version.
    if peer == .moto {
      _ = try await client.call("CreateSecret", .object([("Name", .text("\(name)/empty"))]), .write)
    }
    let target = try #require(try run.secretsManager().target)
    let place = Destination(type: "awssm", location: "prefix \(name)")
    let sight = await target.look(
      TargetQuestion(names: ["theirs", "empty"], intent: .init(setting: [], removing: ["theirs"])), at: place)
    #expect(sight.writeBlockers.removing.keys.sorted() == ["theirs"])
    let results = try await target.write(TargetChanges(set: [], remove: ["theirs"]), at: place)
    guard case .refused? = results["theirs"] else { Issue.record("\(results)"); return }
    if peer == .ministack { try await write(["empty": "x"], target, at: "prefix \(name)") }
    try await write(["empty": "filled"], target, at: "prefix \(name)")
    // Ours is scheduled for deletion, and restored when it is wanted again.
    try await write(["ours": "1"], target, at: "prefix \(name)")
    #expect(try await target.write(TargetChanges(set: [], remove: ["ours"]), at: place) == ["ours": .done()])
    try await write(["ours": "2"], target, at: "prefix \(name)")
    let source = try #require(try run.secretsManager().source)
    let answers = await source.read(["theirs", "empty", "ours"].map { Self.reference("\(name)/\($0)") })
    #expect(answers.map { if case .value(let value) = $0 { value.text } else { "-" } } == ["x", "filled", "2"])
  }

  @Test(
    "a write whose answer is lost is found out, and is not made twice",
    arguments: AWSPeer.Kind.allCases, ["awssm", "awsps"])
  func lost(peer: AWSPeer.Kind, type: String) async throws {
    let name = Self.fresh()
    let location = type == "awssm" ? "prefix \(name)" : name
    let place = Destination(type: type, location: location)
    for lostAction in ["CreateSecret", "UpdateSecretVersionStage", "DeleteSecret", "PutParameter", "DeleteParameter"] {
      var run = try AWSPeer.run(peer)
      let real = run.environment.transport(run.environment.http)
      let count = Mutex(0)
      run.send = { (request) async throws(HTTPError) in
        let response = try await real.send(request)
        let isLost = request.headers.contains {
          $0.value.isOpen("secretsmanager.\(lostAction)") || $0.value.isOpen("AmazonSSM.\(lostAction)")
        }
        // It has arrived; the answer has not.
        if isLost { count.withLock { $0 += 1 } }
        return isLost ? HTTPResponse(status: 502) : response
      }
      let target = try #require(type == "awssm" ? try run.secretsManager().target : try run.parameterStore().target)
      for value in ["one", "two"] {
        let results = try await target.write(
          TargetChanges(set: [("A", SecretBox(Array("\(value) \(lostAction)".utf8)))], remove: []), at: place)
        #expect(results == ["A": .done()], "\(lostAction)")
      }
      #expect(try await target.write(TargetChanges(set: [], remove: ["A"]), at: place) == ["A": .done()])
      let sent = ["CreateSecret": 1, "UpdateSecretVersionStage": 2, "DeleteSecret": 1]
      let sentParameters = ["PutParameter": 2, "DeleteParameter": 1]
      #expect(count.withLock { $0 } == (type == "awssm" ? sent : sentParameters)[lostAction] ?? 0, "\(lostAction)")
    }
  }

  @Test(
    "a run that ends between adding a version and making it the current one is completed by the next",
    arguments: AWSPeer.Kind.allCases)
  func interrupted(peer: AWSPeer.Kind) async throws {
    let name = Self.fresh()
    let place = Destination(type: "awssm", location: "secret \(name)")
    var run = try AWSPeer.run(peer)
    try await write(["A": "one", "B": "kept"], try #require(try run.secretsManager().target), at: "secret \(name)")
    let real = run.environment.transport(run.environment.http)
    run.send = { (request) async throws(HTTPError) in
      let isLast = request.headers.contains { $0.value.isOpen("secretsmanager.UpdateSecretVersionStage") }
      return isLast ? HTTPResponse(status: 500) : try await real.send(request)
    }
    let changes = TargetChanges(set: [("A", SecretBox(Array("two".utf8)))], remove: [])
    let broken = try #require(try run.secretsManager().target)
    guard case .unknown? = try await broken.write(changes, at: place)["A"] else {
      Issue.record("known")
      return
    }
    run.send = nil
    let backend = try run.secretsManager()
    let target = try #require(backend.target)
    guard case .values(let before) = await target.read(["A"], at: place), case .text(let old)? = before["A"] else {
      Issue.record("not read")
      return
    }
    #expect(old.text == "one")
    #expect(try await target.write(changes, at: place) == ["A": .done()])
    guard case .value(let whole)? = await backend.source?.read([Self.reference(name)]).first else {
      Issue.record("not read")
      return
    }
    #expect(whole.text == #"{"B":"kept","A":"two"}"#)
  }

  @Test("a parameter that someone else wrote at the same time is reported", arguments: AWSPeer.Kind.allCases)
  func concurrent(peer: AWSPeer.Kind) async throws {
    let path = Self.fresh()
    let place = Destination(type: "awsps", location: path)
    var run = try AWSPeer.run(peer)
    let other = try #require(try run.parameterStore().target)
    try await write(["A": "one"], other, at: path)
    let real = run.environment.transport(run.environment.http)
    run.send = { (request) async throws(HTTPError) in
      if request.headers.contains(where: { $0.value.isOpen("AmazonSSM.PutParameter") }) {
        _ = try? await other.write(
          TargetChanges(set: [("A", SecretBox(Array("theirs".utf8)))], remove: []), at: place)
      }
      return try await real.send(request)
    }
    let target = try #require(try run.parameterStore().target)
    let changes = TargetChanges(set: [("A", SecretBox(Array("two".utf8)))], remove: [])
    let reason = "The parameter was also written by someone else; it is now at version 3."
    #expect(try await target.write(changes, at: place) == ["A": .unknown(reason)])
    #expect(
      try await other.write(
        TargetChanges(set: [("A", SecretBox(Array("x".utf8)))], remove: [], expected: [:]), at: place)
        == ["A": .stale])
    let sight = await other.look(TargetQuestion(names: ["A"]), at: place)
    #expect(sight.placeId == "account \(try AWSPeer.known(peer).account)")
  }
}

extension HTTPValue {
  fileprivate func isOpen(_ text: String) -> Bool { if case .open(text) = self { true } else { false } }
}
