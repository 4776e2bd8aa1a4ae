import KeyplanApply
import KeyplanHTTP
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A simulation of GitHub in memory, for many runs.
private final class MemoryGitHub: Sendable {
  private let state = Mutex<(marks: [String: Int], tick: Int)>(([:], 0))

  /// A write by anybody; nil removes.
  func write(_ name: String, removing: Bool = false) {
    state.withLock { state in
      state.tick += 1
      state.marks[name] = removing ? nil : state.tick
    }
  }

  var names: [String] { state.withLock { $0.marks.keys.sorted() } }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    func json(_ text: String) -> HTTPResponse { HTTPResponse(status: 200, body: SecretBox(Array(text.utf8))) }
    let path = request.address.text.split(separator: "?")[0].split(separator: "/").dropFirst(2).map(String.init)
    switch (request.method, path.last) {
    case (.put, let name?):
      write(name)
      return HTTPResponse(status: 204)
    case (.delete, let name?):
      write(name, removing: true)
      return HTTPResponse(status: 204)
    case (_, "public-key"):
      let key = SecretBox([9] + [UInt8](repeating: 0, count: 31)).withBytes { SecretBase64.text(of: $0).text }
      return json(#"{"key_id":"1","key":"\#(key)"}"#)
    case (_, "secrets"):
      let entries = state.withLock { $0.marks.sorted { $0.key < $1.key } }
        .map { #"{"name":"\#($0.key)","updated_at":"t\#($0.value)"}"# }
      return json(#"{"secrets":[\#(entries.joined(separator: ","))]}"#)
    default: return json(#"{"id":1001}"#)
    }
  }
}

/// Planning and applying with secrets of GitHub, each in a run of its own.
@Suite struct GitHubSweepTests {
  private static let count = 5
  private static let now = Moment(seconds: 1_800_000_000)
  private let github = MemoryGitHub()
  private let store: MemoryStore
  private let source = MemorySource(
    BackendDescription("mem", reference: ReferenceGrammar(.file, example: "mem://name", isLocal: false)))
  private let manifest: Manifest

  init() throws {
    store = MemoryStore(recipients: [try #require(Identifier("ada")): Recipient(publicKey: "age1ada")])
    var keys: [Identifier<Key>: Key] = [:]
    var entries: [Target.Entry] = []
    for index in 0..<Self.count {
      let id = try #require(Identifier<Key>("key-\(index)"))
      let reference = Reference(scheme: "mem", location: id.name, isFile: true, isLocal: false)
      source.say(.value(Array("value \(index)".utf8)), to: reference)
      let facts = KeyFacts(
        provider: "openai", variable: "KEY_\(index)", expiry: nil, sources: [reference.description])
      keys[id] = Key(facts: facts, sources: [reference])
      entries.append(Target.Entry(.fixed("KEY_\(index)"), from: .key(id)))
    }
    let grammar = try #require(GitHubBackend.backend.target)
    let location = grammar.location(of: ["repository": "acme/shop"], through: nil)
    let target = Target(
      destination: Destination(type: "github", location: location), entries: entries.sorted { "\($0)" < "\($1)" },
      takeOver: false)
    manifest = Manifest(keys: keys, targets: [try #require(Identifier("ci")): target])
  }

  /// A run has nothing in common with the one before.
  private func observer() throws -> Observer {
    let github = github
    let environment = RemoteEnvironment(
      variables: ["GH_TOKEN": "good"], home: nil, folder: "/", http: HTTPSettings(),
      transport: { _ in
        RemoteTransport(
          send: { (request) async throws(HTTPError) in github.answer(request) }, pause: { _ in },
          now: { 1_800_000_000 })
      },
      read: { _ in .missing() }, programs: TestPrograms(started: RemoteWorld.Started()))
    let name = try #require(Identifier<Connection>("github"))
    let connection = Connection(name, to: GitHubBackend.backend)
    let backend = GitHubBackend(ConnectionContext(connection, to: GitHubBackend.backend, in: environment))
    return Observer(
      fingerprints: store.copy(), sources: [source], targets: [Unguarded(target: try #require(backend.target))],
      service: MemoryAccountService(.strict), tokens: store, clock: { Self.now })
  }

  /// The target without the permission of its connection, which is not what is tested here.
  private struct Unguarded: SecretTarget {
    let target: any SecretTarget
    var backend: BackendDescription { target.backend }

    func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
      await target.look(question, at: destination)
    }

    func write(
      _ changes: TargetChanges, at destination: Destination
    ) async throws(AccessFailure) -> [String: WriteResult] { try await target.write(changes, at: destination) }
  }

  private func findings() async throws -> [Finding.Kind] {
    let observation = try await observer().observe(manifest, recorded: try store.recorded(), given: [:])
    return Finding.drift(of: manifest, in: observation, at: Self.now).findings.map(\.kind)
  }

  private func apply() async throws -> [StepResult] {
    let observation = try await observer().observe(manifest, recorded: try store.recorded(), given: [:])
    let plan = Plan.reconciling(manifest, with: observation, allowing: Allowances(), at: Self.now).plan
    let applier = Applier(
      store: store, observer: try observer(), manifest: manifest, allowances: Allowances(), given: [:], grants: [:],
      clock: { Self.now })
    return try await applier.apply(plan).reports.map(\.result)
  }

  @Test("10,000 quiet sweeps find nothing")
  func quiet() async throws {
    #expect(try await apply().allSatisfy { $0 == .done })
    #expect(github.names.count == Self.count)
    for _ in 0..<10_000 {
      let findings = try await findings()
      guard findings.isEmpty else {
        Issue.record("\(findings)")
        return
      }
    }
    #expect(try await apply() == [])
  }

  @Test("every change outside is found, and put right")
  func changes() async throws {
    #expect(try await apply().allSatisfy { $0 == .done })
    for round in 0..<200 {
      let changed = (0..<Self.count).filter { _ in Bool.random() }.map { "KEY_\($0)" }
      let removed = Set(changed.filter { _ in Bool.random() })
      for name in changed { github.write(name, removing: removed.contains(name)) }
      github.write("FOREIGN_\(round)")
      let findings = try await findings()
      #expect(findings.count { $0 == .targetMissing } == removed.count)
      #expect(findings.count { $0 == .targetRewritten } == changed.count - removed.count)
      #expect(try await apply().allSatisfy { $0 == .done })
      #expect(try await self.findings() == [])
    }
    #expect(github.names.count == Self.count + 200)
  }
}
