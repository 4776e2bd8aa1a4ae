import KeyplanApply
import KeyplanManifest
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

/// A made-up service, with all that is known of it: its description, and what it holds.
private final class Service: Sendable {
  static let backend = BackendDescription(
    "acme", title: "Acme",
    connection: ConnectionGrammar([
      BackendField("address", .url, isRequired: true), BackendField("token", .secret),
      BackendField("team", .name, isPlace: true), BackendField("role"), BackendField("ca", .file),
    ]),
    reference: ReferenceGrammar(
      .place(what: "the path of a secret"), selector: .field, example: "acme://live/one#key", isLocal: false),
    target: TargetGrammar(
      fields: [BackendField("project", .name, isRequired: true)], names: .variable, readsBack: .marks,
      takesEffect: .nextDeploy))

  let manifest: Manifest
  let sources: [MemorySource]
  let targets: [MemoryTarget]

  /// The service as a manifest leads to it; what it holds is empty at first.
  init(_ yaml: String) throws {
    let reader = ManifestReader(
      catalog: .init(names: ["generic"]) { _ in Provider(format: nil, variable: nil) }, secretPrefixes: [:],
      backends: [
        Self.backend,
        BackendDescription(
          "env", reference: ReferenceGrammar(.variable, example: "env://NAME", isLocal: true)),
        BackendDescription(
          "dotenv",
          reference: ReferenceGrammar(.file, selector: .name, example: "dotenv://path#NAME", isLocal: true)),
        BackendDescription(
          "command", reference: ReferenceGrammar(.command, example: "command: [program]", isLocal: false)),
      ])
    let reading = reader.read(base: .init(file: "keyplan.yaml", bytes: Array("version: 1\n\(yaml)".utf8)))
    manifest = try #require(reading.manifest, "\(reading.diagnostics)")
    let connections = manifest.connections.sorted { $0.key < $1.key }.map(\.value)
    sources = connections.map { MemorySource(Self.backend, through: $0) }
    targets = connections.map { MemoryTarget(Self.backend, through: $0) }
    for key in manifest.keys.values {
      for reference in key.sources {
        sources.first { $0.connection?.name.name == reference.scheme }?
          .say(.value(Array("made-up \(reference.location)".utf8)), to: reference)
      }
    }
  }

  /// How often anything was asked of it.
  var asked: Int { sources.reduce(0) { $0 + $1.batches.count } + targets.reduce(0) { $0 + $1.reads + $1.writes } }
}

/// Plans and applies with one store.
private struct Desk {
  let store = MemoryStore(recipients: [named("ada"): World.ada])
  var isTrusted = true
  var inspector: (any CheckoutInspecting)?

  func observer(_ service: Service) -> Observer {
    Observer(
      fingerprints: store.copy(), sources: service.sources, targets: service.targets,
      checkout: CheckoutRules(isTrusted: isTrusted, inspector: inspector))
  }

  func observe(_ service: Service) async throws -> Observation {
    await observer(service).observe(service.manifest, recorded: try store.recorded())
  }

  func planned(_ service: Service) async throws -> (plan: Plan, diagnostics: [Diagnostic]) {
    Plan.reconciling(service.manifest, with: try await observe(service), at: start)
  }

  func plan(_ service: Service) async throws -> Plan { try await planned(service).plan }

  @discardableResult
  func apply(_ service: Service, _ plan: Plan? = nil) async throws -> Outcome {
    let planned = try await self.plan(service)
    return try await Applier(
      store: store, observer: observer(service), manifest: service.manifest, clock: { start }
    ).apply(plan ?? planned)
  }

  func findings(_ service: Service) async throws -> [Finding] {
    Finding.drift(of: service.manifest, in: try await observe(service), at: start).findings
  }
}

private func words(_ plan: Plan) -> [String] { plan.steps.map { "\($0.effect.action) \($0.address)" } }

/// Says what its files hold.
private struct Files: CheckoutInspecting {
  var digests: [String: String] = [:]
  var tracked: [String: String] = [:]
  var isRunning = false

  func terms(of references: [Reference]) -> [Reference: Set<String>] { [:] }
  func terms(ofFiles files: [Reference]) -> [Reference: String] {
    Dictionary(files.map { ($0, "file \($0.location) \(digests[$0.location] ?? "unreadable")") }) { first, _ in first }
  }
  func runsCheckout(_ reference: Reference) -> Bool { isRunning }
  func trackedContent(of references: [Reference]) -> [Reference: String] {
    Dictionary(references.compactMap { reference in tracked[reference.location].map { (reference, $0) } }) { first, _ in
      first
    }
  }
  func tracked(_ destinations: [Destination]) -> Set<Destination> { [] }
  func pipelineFiles(among destinations: [Destination]) -> Set<Destination> { [] }
}

@Suite("A service is used through its connection")
struct ConnectedServiceTests {
  private static let connection =
    "shop: { type: acme, address: 'https://acme.example:8443', team: red, token: env://ACME_TOKEN }"

  private static func yaml(_ connection: String = connection, keys: String = "", targets: String = "") -> String {
    """
    connections:
      \(connection)
    keys:
      a: { provider: generic, source: 'shop://live/one#key' }\(keys)
    targets:
      ci: { type: acme, connection: shop, project: web, keys: { A: a } }\(targets)
    """
  }

  private static let place = Destination(
    type: "shop", location: "web (team red)", surface: ExternalAccess(.host, "acme.example:8443"))

  /// A desk at which the connection was allowed and everything was written.
  private func settled(inspector: Files? = nil) async throws -> (Desk, Service) {
    let desk = Desk(inspector: inspector)
    let service = try Service(Self.yaml())
    let outcome = try await desk.apply(service)
    try #require(outcome.isComplete, "\(outcome.reports.map(words))")
    return (desk, service)
  }

  @Test("plan, apply and drift: as a source, and as a target that shows marks")
  func endToEnd() async throws {
    let desk = Desk()
    let service = try Service(Self.yaml())
    let plan = try await desk.plan(service)
    #expect(words(plan) == ["allow surface.host acme.example:8443", "store key.a", "sync target.ci"])
    #expect(service.asked == 0, "it was asked before that was allowed")
    guard case .store(.allow(_, let grant)) = plan.steps[0].effect,
      case .outside(.sync(_, let write)) = plan.steps[2].effect
    else {
      Issue.record("\(plan.steps)")
      return
    }
    #expect(
      grant.terms == ["connection shop: address https://acme.example:8443, team red, token env://ACME_TOKEN"])
    #expect(write.destination == Self.place && write.takesEffect == .nextDeploy)
    #expect(try await desk.apply(service, plan).isComplete)
    #expect(service.targets[0].contents(at: Self.place) == ["A": Array("made-up live/one".utf8)])
    #expect(try desk.store.recorded().targets[named("ci")]?.entries["A"]?.mark != nil)
    #expect(try await desk.plan(service).steps.isEmpty)
    #expect(try await desk.findings(service).isEmpty)

    service.targets[0].put(Array("theirs".utf8), under: "A", at: Self.place)
    #expect(try await desk.findings(service).map(\.kind) == [.targetRewritten])
    try await desk.apply(service)
    #expect(service.targets[0].contents(at: Self.place) == ["A": Array("made-up live/one".utf8)])

    let source = try #require(service.manifest.keys.values.first?.sources.first)
    service.sources[0].say(.value(Array("made-up next".utf8)), to: source)
    #expect(words(try await desk.plan(service)) == ["replace key.a", "sync target.ci"])
    try await desk.apply(service)
    #expect(service.targets[0].contents(at: Self.place) == ["A": Array("made-up next".utf8)])
  }

  @Test("an allowed host is sent nothing under other terms, before they are allowed", arguments: [true, false])
  func terms(isTrusted: Bool) async throws {
    var (desk, _) = try await settled()
    desk.isTrusted = isTrusted
    for (part, other) in [
      ("env://ACME_TOKEN", "env://DEPLOY_TOKEN"), ("team: red", "team: blue"), ("team: red", "team: red, role: admin"),
      ("acme.example:8443", "acme.example:8443/mallory"), ("acme.example:8443", "mallory.example"),
    ] {
      let service = try Service(Self.yaml(Self.connection.replacing(part, with: other)))
      let plan = try await desk.plan(service)
      #expect(service.asked == 0, "\(other): it was asked")
      #expect(words(plan).first?.hasPrefix("allow surface.host") == true, "\(other): \(words(plan))")
    }
    let same = try Service(Self.yaml())
    _ = try await desk.plan(same)
    #expect(same.asked > 0, "under the terms that were allowed it is asked")
  }

  @Test("new terms hold once they are applied")
  func newTerms() async throws {
    let (desk, _) = try await settled()
    let service = try Service(Self.yaml(Self.connection.replacing("env://ACME_TOKEN", with: "env://DEPLOY_TOKEN")))
    let plan = try await desk.plan(service)
    guard case .store(.allow(_, let grant))? = plan.steps.first?.effect else {
      Issue.record("\(words(plan))")
      return
    }
    #expect(
      grant.was == ["connection shop: address https://acme.example:8443, team red, token env://ACME_TOKEN"])
    service.targets[0].put(Array("made-up live/one".utf8), under: "A", at: Self.place)
    #expect(try await desk.apply(service).isComplete)
    #expect(try await desk.plan(service).steps.allSatisfy { $0.effect.action != .allow })
  }

  @Test("two connections to one host cannot exchange their credentials", arguments: [true, false])
  func exchanged(isTrusted: Bool) async throws {
    var desk = Desk()
    func yaml(_ one: String, _ two: String) -> String {
      Self.yaml(
        """
        shop: { type: acme, address: 'https://acme.example', team: red, token: env://\(one) }
          yard: { type: acme, address: 'https://acme.example', team: blue, token: env://\(two) }
        """, keys: "\n  b: { provider: generic, source: 'yard://x#key' }")
    }
    let first = try Service(yaml("ONE", "TWO"))
    try #require(try await desk.apply(first).isComplete)
    desk.isTrusted = isTrusted
    let service = try Service(yaml("TWO", "ONE"))
    #expect(words(try await desk.plan(service)).first == "allow surface.host acme.example")
    #expect(service.asked == 0)
  }

  @Test(
    "a new connection to an allowed host takes nothing away from the one that was allowed", arguments: [true, false])
  func another(isTrusted: Bool) async throws {
    var (desk, _) = try await settled()
    desk.isTrusted = isTrusted
    let service = try Service(
      Self.yaml(
        Self.connection + "\n  yard: { type: acme, address: 'https://acme.example:8443', token: env://MINE }",
        keys: "\n  b: { provider: generic, source: 'yard://x#key' }"))
    service.targets[0].put(Array("made-up live/one".utf8), under: "A", at: Self.place)
    let observed = try await desk.observe(service)
    guard case .value? = observed.sources[named("a")] else {
      Issue.record("\(observed.sources)")
      return
    }
    #expect(service.sources[1].batches.isEmpty, "the other one was asked")
    #expect(words(try await desk.plan(service)).first == "allow surface.host acme.example:8443")
  }

  @Test("a connection that nothing uses is not asked to be allowed")
  func unused() async throws {
    let (desk, _) = try await settled()
    let service = try Service(
      Self.yaml(Self.connection + "\n  yard: { type: acme, address: 'https://other.example' }"))
    service.targets[0].put(Array("made-up live/one".utf8), under: "A", at: Self.place)
    #expect(!words(try await desk.plan(service)).contains { $0.contains("other.example") })
  }

  @Test("a file that a connection reads is allowed with its content", arguments: [true, false])
  func certificate(isTrusted: Bool) async throws {
    var desk = Desk(inspector: Files(digests: ["ca.pem": "sha256:01"]))
    let yaml = Self.yaml(Self.connection.replacing("team: red", with: "team: red, ca: ca.pem"))
    let service = try Service(yaml)
    let plan = try await desk.plan(service)
    guard case .store(.allow(_, let grant))? = plan.steps.first?.effect else {
      Issue.record("\(words(plan))")
      return
    }
    #expect(grant.terms.last == "file ca.pem sha256:01")
    try #require(try await desk.apply(service, plan).isComplete)
    desk.isTrusted = isTrusted
    let asked = service.asked
    #expect(try await desk.plan(service).steps.isEmpty)
    #expect(service.asked > asked)
    desk.inspector = Files(digests: ["ca.pem": "sha256:02"])
    let before = service.asked
    #expect(words(try await desk.plan(service)).first == "allow surface.host acme.example:8443")
    #expect(service.asked == before, "it was asked through another certificate")
  }

  @Test("a credential in a tracked file is allowed with the content of that file")
  func trackedCredential() async throws {
    var desk = Desk(inspector: Files(tracked: [".env": "sha256:01"]))
    let yaml = Self.yaml(Self.connection.replacing("env://ACME_TOKEN", with: "'dotenv://.env#ACME_TOKEN'"))
    let service = try Service(yaml)
    try #require(try await desk.apply(service).isComplete)
    desk.isTrusted = false
    #expect(try await desk.plan(service).steps.isEmpty)
    desk.inspector = Files(tracked: [".env": "sha256:02"])
    let before = service.asked
    #expect(words(try await desk.plan(service)).first == "allow surface.host acme.example:8443")
    #expect(service.asked == before, "it was asked with somebody else's credential")
  }

  @Test("a credential in a file whose content cannot be determined is not used, although nothing about it changes")
  func unknownCredential() async throws {
    var desk = Desk(inspector: Files(tracked: [".env": "sha256:01"]))
    let yaml = Self.yaml(Self.connection.replacing("env://ACME_TOKEN", with: "'dotenv://.env#ACME_TOKEN'"))
    let service = try Service(yaml)
    try #require(try await desk.apply(service).isComplete)
    desk.inspector = Files(tracked: [".env": "unknown:size"])
    let before = service.asked
    for _ in 0..<2 {
      let (plan, diagnostics) = try await desk.planned(service)
      #expect(diagnostics.map(\.code).contains(.contentUnknown), "\(diagnostics.map(\.code))")
      #expect(!words(plan).contains { $0.hasPrefix("allow") })
      _ = try await desk.apply(service, plan)
    }
    #expect(service.asked == before)
  }

  @Test("a credential from a program of the checkout is not fetched by planning where the checkout is not trusted")
  func checkoutProgram() async throws {
    var desk = Desk(inspector: Files(isRunning: true))
    let service = try Service(
      Self.yaml(Self.connection.replacing("env://ACME_TOKEN", with: "{ command: [./token.sh] }")))
    let plan = try await desk.plan(service)
    #expect(words(plan).prefix(2) == ["allow surface.command ./token.sh", "allow surface.host acme.example:8443"])
    try #require(try await desk.apply(service, plan).isComplete)
    desk.isTrusted = false
    let before = service.asked
    let (steps, diagnostics) = try await desk.planned(service)
    #expect(service.asked == before && steps.steps.isEmpty)
    #expect(diagnostics.contains { $0.code == .sourceNotAsked }, "\(diagnostics.map(\.code))")
  }

  @Test(
    "what was planned before the connection was changed is stale, and nothing is sent",
    arguments: [
      ("env://ACME_TOKEN", "env://DEPLOY_TOKEN"), ("acme.example:8443", "mallory.example"), ("team: red", "team: blue"),
    ])
  func stale(part: String, changed: String) async throws {
    let (desk, service) = try await settled()
    let source = try #require(service.manifest.keys.values.first?.sources.first)
    service.sources[0].say(.value(Array("made-up next".utf8)), to: source)
    let plan = try await desk.plan(service)
    #expect(words(plan) == ["replace key.a", "sync target.ci"])
    let other = try Service(Self.yaml(Self.connection.replacing(part, with: changed)))
    let outcome = try await Applier(
      store: desk.store, observer: desk.observer(other), manifest: other.manifest, clock: { start }
    ).apply(plan)
    #expect(outcome.reports.map(words) == ["replace key.a: stale", "sync target.ci: not tried"])
    #expect(other.asked == 0)
    let planned = try await desk.apply(service, plan)
    #expect(planned.isComplete, "as it was, the plan can be applied")
  }

  @Test("what was written at one place is not withdrawn at another that the connection leads to now")
  func elsewhere() async throws {
    let (desk, _) = try await settled()
    for other in ["https://mallory.example", "https://acme.example:8443', team: 'blue"] {
      let connection = "shop: { type: acme, address: '\(other)', token: env://ACME_TOKEN }"
      let service = try Service("connections:\n  \(connection)\nkeys: { a: { provider: generic, source: 'shop://y' } }")
      try await desk.apply(service)
      let (_, diagnostics) = try await desk.planned(service)
      #expect(diagnostics.contains { $0.code == .targetUnreadable }, "\(diagnostics.map(\.code))")
      #expect(service.targets[0].writes == 0 && service.targets[0].reads == 0)
      #expect(try desk.store.recorded().targets[named("ci")]?.entries.keys.sorted() == ["A"])
    }
  }

  @Test("a target is withdrawn while its connection is declared, and then the host is no longer allowed")
  func withdrawn() async throws {
    let (desk, first) = try await settled()
    let service = try Service("connections:\n  \(Self.connection)\nkeys: { a: { provider: generic } }")
    service.targets[0].put(Array("made-up live/one".utf8), under: "A", at: Self.place)
    #expect(first.targets[0].contents(at: Self.place).count == 1)
    let plan = try await desk.plan(service)
    #expect(
      words(plan).contains("withdraw target.ci") && words(plan).contains("disallow surface.host acme.example:8443"))
    let outcome = try await desk.apply(service, plan)
    #expect(outcome.isComplete, "\(outcome.reports.map(words))")
    #expect(try desk.store.recorded().surface.isEmpty && desk.store.recorded().targets.isEmpty)
  }

  @Test("a target whose connection was removed is reported, and what it holds stays recorded")
  func removed() async throws {
    let (desk, _) = try await settled()
    let service = try Service("keys: { a: { provider: generic } }")
    let (plan, diagnostics) = try await desk.planned(service)
    #expect(!words(plan).contains { $0.hasPrefix("withdraw") || $0.hasPrefix("disallow") }, "\(words(plan))")
    #expect(diagnostics.contains { $0.code == .targetUnreadable }, "\(diagnostics.map(\.code))")
  }
}
