import KeyplanApply
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// How requests are paced and repeated, against answers that a test makes up.
@Suite struct SessionTests {
  /// Answers in order, and what was asked.
  private final class Script: Sendable {
    private let answers: Mutex<[HTTPResponse]>
    private let asked = Mutex<[String]>([])
    private let sent = Mutex<[String]>([])
    let pauses = Pauses()

    init(_ answers: [HTTPResponse]) { self.answers = Mutex(answers) }

    var requests: [String] { asked.withLock { $0 } }
    /// The bodies that were sent.
    var bodies: [String] { sent.withLock { $0 } }

    var transport: RemoteTransport {
      RemoteTransport(
        send: { request in
          self.asked.withLock { $0.append("\(request.method.rawValue) \(request.address.text)") }
          if let body = request.body { self.sent.withLock { $0.append(body.bytes.text) } }
          return self.answers.withLock { $0.isEmpty ? HTTPResponse(status: 500) : $0.removeFirst() }
        },
        pause: { self.pauses.add($0) }, now: { 0 })
    }

    func run(_ api: SecretAPI) -> ServiceRun {
      let fields: [String: FieldInput] = ["token": .secret(SecretBox(Array("t".utf8)))]
      let place = RemotePlace(connection: RemoteConnection(name: "test", fields: fields), fields: ["project": "p"])
      return ServiceRun(service: RemoteService(api, transport), pauses: pauses, place: place)
    }
  }

  private static func response(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: SecretBox(Array(body.utf8)))
  }

  private static func api(_ change: (inout SecretAPI) -> Void = { _ in }) throws -> SecretAPI {
    var api = try SecretAPI.read(Array(DescriptionTests.sound.utf8), name: "sound")
    change(&api)
    return api
  }

  private static let list = #"[{"name": "A", "value": "one", "version": 3}]"#

  @Test("a reading request is repeated after a server error, at most five times, and with growing pauses")
  func repeating() async throws {
    let works = Script([Self.response(500), Self.response(503), Self.response(200, Self.list)])
    #expect(await works.run(try Self.api()).look("A") == [.value("one")])
    #expect(works.requests == Array(repeating: "GET https://service.example/v1/p/list", count: 3))
    let fails = Script([])
    #expect(await fails.run(try Self.api()).look("A") == [.failed(.unreachable)])
    #expect(fails.requests.count == 5)
    let pauses = fails.pauses.list
    #expect(pauses.count == 4 && pauses.reduce(.zero, +) <= .seconds(30) && pauses.allSatisfy { $0 > .zero })
  }

  @Test("a rule can ask for more tries, and for a pause until a moment")
  func rules() async throws {
    var rule = OutcomeRule(then: .denied)
    rule.status = [.exactly(403)]
    rule.retry = 2
    let api = try Self.api { $0.outcomes = [rule] }
    let script = Script([Self.response(403), Self.response(403), Self.response(200, Self.list)])
    #expect(await script.run(api).look("A") == [.value("one")])
    let denied = Script(Array(repeating: Self.response(403), count: 9))
    #expect(await denied.run(api).look("A") == [.failed(.denied)] && denied.requests.count == 3)
  }

  @Test("a list has a hundred pages at most")
  func pages() async throws {
    let api = try Self.api { api in
      // Names of the samples have letters only.
      api.names = nil
      if let next = try? AnswerPointer("/*/next") {
        api.list?.pages = SecretAPI.Pages(next: .pointer(next, query: "after"))
      }
    }
    func answers(_ count: Int) -> [HTTPResponse] {
      (1...count).map { page in
        let next = page < count ? "\(page)" : ""
        return Self.response(200, "[{\"name\": \"P\(page)\", \"value\": \"v\", \"next\": \"\(next)\"}]")
      }
    }
    let most = Script(answers(100))
    #expect(await most.run(api).look("P99", "P100") == [.value("v"), .value("v")])
    #expect(most.requests.last == "GET https://service.example/v1/p/list?after=99")
    let more = Script(answers(101))
    #expect(await more.run(api).look("P1") == [.failed(.unreadable)])
    #expect(more.requests.count == 100)
  }

  @Test("writes have a gap after so many, and readings have none")
  func pace() async throws {
    let key = Self.response(200, #"{"id": "k"}"#)
    let api = try Self.api { $0.pace = SecretAPI.Pace(concurrency: 1, after: 2, gap: 3, patience: 0) }
    let done = [Self.response(200, "[]"), key] + Array(repeating: Self.response(204), count: 4)
    let script = Script(done + [Self.response(200, "[]")])
    let results = await script.run(api).write(["A": "1", "B": "2", "C": "3", "D": "4"])
    // The list after the write does not have them.
    #expect(results.values.allSatisfy { $0 == .stale })
    #expect(script.pauses.list == [.seconds(3), .seconds(3)])
    #expect(script.requests.filter { $0.hasPrefix("PUT") }.count == 4)
  }

  @Test("what is looked up is asked for once, and only if it is needed")
  func lookups() async throws {
    let key = Self.response(200, #"{"id": "k"}"#)
    let script = Script([
      Self.response(200, "[]"), Self.response(200, "[]"), key, Self.response(204), Self.response(204),
      Self.response(200, Self.list),
    ])
    let run = script.run(try Self.api())
    #expect(await run.look("A") == [.missing])
    _ = await run.write(["A": "one", "B": "two"])
    #expect(script.requests.filter { $0.hasSuffix("/key") }.count == 1)
    #expect(script.requests.count == 6)
  }

  @Test("a lookup without its value is unreadable, and nothing is written")
  func lookupFails() async throws {
    let script = Script([Self.response(200, "[]"), Self.response(200, "{}"), Self.response(200, "[]")])
    #expect(await script.run(try Self.api()).write(["A": "one"]) == ["A": .refused(.unreadable)])
    #expect(!script.requests.contains { $0.hasPrefix("PUT") })
  }

  @Test(
    "a list in another form is unreadable",
    arguments: [
      "{}", "[1]", "[{}]", "[{\"name\": 1}, {\"name\": null}]", "[[]]", "\"x\"", "[{\"name\": {}}]", "true",
    ])
  func shapes(body: String) async throws {
    let script = Script([Self.response(200, body)])
    #expect(await script.run(try Self.api()).look("A") == [.failed(.unreadable)])
  }

  @Test("a name that is listed twice is unreadable, and so is the place of a target; a value that is not text is other")
  func oddEntries() async throws {
    let twice = #"[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "B", "value": "3"}]"#
    let script = Script([Self.response(200, twice), Self.response(200, twice), Self.response(200, twice)])
    let run = script.run(try Self.api())
    #expect(await run.look("A") == [.failed(.unreadable)])
    #expect(await run.look("B") == [.value("3")])
    #expect(await run.read("A", "B") == [.failed(.unreadable), .value("3")])
    let number = #"[{"name": "A", "value": 7}, {"name": "B", "value": null}, {"name": "C", "value": "a\u0000b"}]"#
    let odd = Script([Self.response(200, number), Self.response(200, number)])
    let other = odd.run(try Self.api())
    #expect(await other.look("A", "B", "C", "D") == [.other, .other, .other, .missing])
    #expect(await other.read("A", "B", "C") == Array(repeating: .failed(.unreadable), count: 3))
  }

  private static func object() throws -> SecretAPI {
    let text = """
      summary: An object that is replaced as a whole
      base: https://service.example
      target: {project: {type: name}}
      names: {}
      absentVersion: 0
      list:
        get: /object
        entries: {each: /data, name: "@key", value: "", common: {version: /version}, writeOnlyIf: {/hidden: true}}
      putMany:
        put: /object
        json: {cas: "{version}", data: {$map: all, value: "{value}"}}
        whenEmpty: {delete: /object}
        outcomes: [{status: 409, then: stale}]
      """
    return try SecretAPI.read(Array(text.utf8), name: "object")
  }

  @Test("an object that is replaced keeps what does not change, to the last byte")
  func replacing() async throws {
    let before = #"{"version": 4, "data": {"N": 7.50, "S":  "a\u0062", "O": {"x": [ 1 ]}, "A": "old"}}"#
    let after = #"{"version": 5, "data": {"N": 7.50, "S": "ab", "O": {"x": [1]}, "A": "new"}}"#
    let script = Script([Self.response(200, before), Self.response(204), Self.response(200, after)])
    #expect(await script.run(try Self.object()).write(["A": "new"]) == ["A": .done])
    #expect(script.bodies == [#"{"cas":4,"data":{"A":"new","N":7.50,"O":{"x": [ 1 ]},"S":"a\u0062"}}"#])
  }

  @Test("an object without a member is deleted, a new one has the version of what is absent")
  func emptied() async throws {
    let one = Self.response(200, #"{"version": 4, "data": {"A": "old"}}"#)
    let none = Self.response(200, #"{"version": 5, "data": {}}"#)
    let script = Script([one, Self.response(204), none])
    #expect(await script.run(try Self.object()).write([:], removing: ["A"]) == ["A": .done])
    #expect(script.requests[1] == "DELETE https://service.example/object" && script.bodies == [])
    let first = Script([Self.response(200, #"{"data": {}}"#), Self.response(204), one])
    #expect(await first.run(try Self.object()).write(["A": "old"]) == ["A": .done])
    #expect(first.bodies == [#"{"cas":0,"data":{"A":"old"}}"#])
  }

  @Test("an object with a value that is not shown is not replaced, nor one that changed meanwhile")
  func hidden() async throws {
    let hidden = #"{"version": 4, "data": {"A": "old", "H": {"hidden": true}}}"#
    let script = Script([Self.response(200, hidden)])
    #expect(await script.run(try Self.object()).write(["A": "new"]) == ["A": .refused(.unreadable)])
    #expect(script.requests.count == 1)
    let plain = Self.response(200, #"{"version": 4, "data": {"A": "old"}}"#)
    let changed = Script([plain, Self.response(409), plain])
    #expect(await changed.run(try Self.object()).write(["A": "new"]) == ["A": .stale])
  }

  @Test("what the description's rules do not allow is not asked for")
  func names() async throws {
    let script = Script([])
    let run = script.run(try Self.api())
    #expect(await run.look("lower") == [.missing])
    #expect(await run.read("lower") == [.failed(.unreadable)])
    #expect(await run.write(["lower": "1", "TOOLONGNAME": "2"]).values.allSatisfy { $0 == .refused(.unreadable) })
    #expect(await run.write([:], removing: ["lower"]) == ["lower": .done])
    #expect(script.requests == [])
  }

  @Test("what is in the way of writing is seen without writing")
  func blockers() async throws {
    let script = Script([Self.response(200, Self.list)])
    let api = try Self.api { $0.delete = nil }
    let intent = TargetQuestion.Intent(setting: ["lower", "B"], removing: ["A", "GONE"])
    let sight = await script.run(api).sight(TargetQuestion(names: ["A", "B"], intent: intent))
    #expect(Set(sight.writeBlockers.setting.keys) == ["lower"] && Set(sight.writeBlockers.removing.keys) == ["A"])
    #expect(sight.writeBlockers.place == nil)
  }

  @Test(
    "a field that is missing or has another form is reported before anything is sent",
    arguments: [
      ("address", "http://service.example"), ("address", "https://user@service.example"), ("address", "https://x/../y"),
      ("address", "https://x?y"), ("address", "ftp://x"), ("address", "https://x#y"), ("project", ".."),
      ("project", ""),
      ("project", "a\nb"), ("zone", "a.b"), ("zone", "-a"), ("zone", ""),
    ])
  func fields(name: String, value: String) async throws {
    let script = Script([])
    var fields: [String: FieldInput] = ["token": .text("t")]
    var place = ["project": "p"]
    if name == "project" { place[name] = value } else { fields[name] = .text(value) }
    let remote = RemotePlace(connection: RemoteConnection(name: "test", fields: fields), fields: place)
    let run = ServiceRun(service: RemoteService(try Self.api(), script.transport), pauses: script.pauses, place: remote)
    #expect(await run.look("A") == [.failed(.unreadable)])
    #expect(script.requests == [])
  }

  @Test("a token that cannot be in a header is not sent, and not shown")
  func token() async throws {
    let script = Script([])
    let secret = "tok\r\nX-Evil: 1"
    let connection = RemoteConnection(name: "test", fields: ["token": .secret(SecretBox(Array(secret.utf8)))])
    let run = ServiceRun(
      service: RemoteService(try Self.api(), script.transport), pauses: script.pauses,
      place: RemotePlace(connection: connection, fields: ["project": "p"]))
    guard case .failed(let failure) = await run.sight(TargetQuestion(names: ["A"])).answer else {
      Issue.record("sent")
      return
    }
    #expect(failure.kind == .unreadable && !failure.reason.contains("tok") && script.requests == [])
  }

  @Test("the hosts that get a credential are known before anything is sent")
  func hosts() throws {
    let gcp = try #require(try BuiltInServices.api("gcp"))
    let inputs = ["audience": "a", "account": "b", "jwt": "c", "address": "https://Own.example:8443/x"]
    let script = Script([])
    func hosts(_ api: SecretAPI, _ fields: [String: String]) throws -> Set<String> {
      let connection = RemoteConnection(name: "\(fields)", fields: fields.mapValues { .text($0) })
      let place = RemotePlace(connection: connection, fields: ["project": "p"])
      return try RemoteService(api, script.transport).hosts(of: place)
    }
    #expect(try hosts(gcp, ["token": "t"]) == ["secretmanager.googleapis.com"])
    let federated: Set<String> = ["own.example:8443", "sts.googleapis.com", "iamcredentials.googleapis.com"]
    #expect(try hosts(gcp, inputs) == federated)
    #expect(throws: AccessFailure.self) { try hosts(gcp, ["address": "http://own.example"]) }
    #expect(script.requests == [])
  }

  @Test("a lane lets through as many as it should")
  func lane() async {
    let lane = Lane(width: 2)
    let meter = Meter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await lane.pass {
            meter.change(by: 1)
            await Task.yield()
            meter.change(by: -1)
          }
        }
      }
    }
    #expect(meter.most <= 2 && meter.now == 0)
  }

  private final class Meter: Sendable {
    private let state = Mutex((now: 0, most: 0))

    func change(by difference: Int) {
      state.withLock { state in
        state.now += difference
        state.most = max(state.most, state.now)
      }
    }

    var now: Int { state.withLock { $0.now } }
    var most: Int { state.withLock { $0.most } }
  }
}
