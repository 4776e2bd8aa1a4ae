import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization
import TestTools

/// 2027-01-15T08:00:00Z.
let start = Moment(seconds: 1_800_000_000)

func named<Thing>(_ name: String) -> Identifier<Thing> {
  guard let identifier = Identifier<Thing>(name) else { preconditionFailure("\(name) is no name") }
  return identifier
}

func remote(_ name: String) -> Reference { Reference(scheme: "mem", location: name, isFile: true, isLocal: false) }

func command(_ name: String) -> Reference {
  Reference(scheme: "command", arguments: [name], isLocal: false, surface: ExternalAccess(.command, name))
}

func place(_ name: String, surface: ExternalAccess? = nil) -> Destination {
  Destination(type: "memory", location: name, surface: surface)
}

func secret(_ text: String) -> SecretBox { SecretBox(Array(text.utf8)) }

/// A store, sources and targets in memory, and a manifest over them.
struct World {
  let store: MemoryStore
  let source = MemorySource(
    BackendDescription(
      "mem", reference: ReferenceGrammar(.file, example: "mem://name", isLocal: false, isRemovable: true)))
  let commands = MemorySource(
    BackendDescription(
      "command", reference: ReferenceGrammar(.command, example: "command: [program]", isLocal: false)))
  let target = MemoryTarget()
  /// Shows marks, and no values.
  let marked = MemoryTarget("marked", readsBack: .marks, limits: .init(valueBytes: 20))
  /// Shows that names are there, and nothing else.
  let present = MemoryTarget("present", readsBack: .presence)
  let service: MemoryAccountService
  let hooks: MemoryHooks
  /// What the place in a hook's second argument held when it last ran.
  let seen = SeenByHooks()
  var now = start
  var allowances = Allowances()
  var given: [Identifier<Key>: SecretBox] = [:]
  var providers: [String: Provider] = [:]
  var keys: [Identifier<Key>: Key] = [:]
  var slots: [Identifier<Slot>: Slot] = [:]
  var targets: [Identifier<Target>: Target] = [:]
  var recipients: [Identifier<Recipient>: Recipient]?
  var accounts: [Identifier<Account>: Account] = [:]
  var grants: [Identifier<Account>: AccountGrant] = [:]
  var checks: (any ValueChecking)?
  /// The keys whose new values are checked first.
  var checkable: Set<Identifier<Key>> = []
  var migrations: [Migration] = []
  /// Makes keys.
  var issuer: MemoryIssuer?
  /// What waits in the place of the clock.
  var pause: @Sendable (Duration) async -> Void = { _ in }

  static let ada = Recipient(publicKey: "age1ada")

  init(_ rotation: MemoryAccountService.Rotation = .strict) {
    store = MemoryStore(recipients: [named("ada"): Self.ada])
    service = MemoryAccountService(rotation)
    hooks = MemoryHooks { [target, seen] hook in
      guard hook.arguments.count == 2 else { return }
      seen.note(target.contents(at: place(hook.arguments[1])), at: hook.arguments[1])
    }
  }

  var manifest: Manifest {
    Manifest(
      recipients: recipients, providers: providers, keys: keys, slots: slots, targets: targets, accounts: accounts,
      connections: issuer.map { [$0.connection.name: $0.connection] } ?? [:], migrations: migrations)
  }

  mutating func declare(
    _ name: String, _ sources: [Reference]? = nil, provider: String = "openai", expiry: Expiry? = nil
  ) {
    let sources = sources ?? [remote(name)]
    let facts = KeyFacts(
      provider: provider, variable: "V_\(name.uppercased())", expiry: expiry, sources: sources.map(\.description))
    keys[named(name)] = Key(facts: facts, sources: sources)
  }

  mutating func move(_ old: String, to new: String) {
    migrations.append(Migration(migrations.count + 1, .key(named(old)), to: named(new)))
  }

  /// Declares a key without a source, whose value stands at a place of its own.
  mutating func adopt(_ name: String, from place: String, isRemoved: Bool) {
    declare(name, [])
    let origin = Migration.Origin.place(remote(place), isRemoved: isRemoved)
    migrations.append(Migration(migrations.count + 1, origin, to: named(name)))
  }

  /// What stands where values are adopted from, by place.
  func originals() async -> [String: String] {
    var originals: [String: String] = [:]
    for name in Set(migrations.compactMap { $0.original?.location }) { originals[name] = await original(name) }
    return originals
  }

  /// What a place holds.
  func original(_ name: String) async -> String? {
    guard case .value(let value) = await source.read([remote(name)]).first else { return nil }
    return value.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  func say(_ value: String?, at name: String) {
    source.say(value.map { .value(Array($0.utf8)) } ?? .missing, to: remote(name))
  }

  mutating func choose(_ slot: String, _ candidates: [String]) {
    slots[named(slot)] = Slot(candidates: candidates.map { named($0) })
  }

  mutating func send(
    _ name: String, _ entries: [String: String], to destination: Destination = place("app"), takeOver: Bool = false,
    hook: Reference? = nil
  ) {
    targets[named(name)] = Target(
      destination: destination,
      entries: entries.sorted { $0.key < $1.key }.map { .init(.fixed($0.key), from: .key(named($0.value))) },
      takeOver: takeOver, hook: hook)
  }

  func held(at destination: Destination = place("app")) -> [String: String] {
    target.contents(at: destination).mapValues { String(decoding: $0, as: UTF8.self) }
  }

  func put(_ value: String?, _ name: String, at destination: Destination = place("app")) {
    target.put(value.map { Array($0.utf8) }, under: name, at: destination)
  }

  func observer(_ faults: Faults? = nil) -> Observer {
    let fingerprints = store.copy()
    guard let faults else {
      return Observer(
        fingerprints: fingerprints, sources: [source, commands], targets: [target, marked, present],
        issuers: issuer.map { [$0] } ?? [], service: service, tokens: store,
        clock: { [now] in now })
    }
    return Observer(
      fingerprints: fingerprints,
      sources: [FaultySource(source: source, faults: faults), FaultySource(source: commands, faults: faults)],
      targets: [target, marked, present].map { FaultyTarget(target: $0, faults: faults) },
      service: FaultyAccountService(service: service, faults: faults), tokens: store, clock: { [now] in now })
  }

  func observer(trusting isTrusted: Bool) -> Observer {
    Observer(
      fingerprints: store.copy(), sources: [source, commands], targets: [target, marked, present],
      issuers: issuer.map { [$0] } ?? [], service: service,
      tokens: store, checkout: CheckoutRules(isTrusted: isTrusted, inspector: nil), clock: { [now] in now })
  }

  func observe() async throws -> Observation {
    var observation = await observer().observe(manifest, recorded: try store.recorded(), given: given)
    observation.checkable = checkable
    return observation
  }

  func planned() async throws -> (plan: Plan, diagnostics: [Diagnostic]) {
    Plan.reconciling(manifest, with: try await observe(), allowing: allowances, at: now)
  }

  func plan() async throws -> Plan { try await planned().plan }

  @discardableResult
  func apply(_ plan: Plan, _ faults: Faults? = nil, trusting isTrusted: Bool = true) async throws -> Outcome {
    let store: any RecordStore & TokenStore & Fingerprinting =
      faults.map { FaultyStore(store: self.store, faults: $0) } ?? self.store
    return try await Applier(
      store: store, observer: isTrusted ? observer(faults) : observer(trusting: false),
      hooks: faults.map { FaultyHooks(hooks: hooks, faults: $0) } ?? hooks,
      checks: checks, issuers: issuer.map { [FaultyIssuer(issuer: $0, faults: faults ?? Faults())] } ?? [],
      manifest: manifest, allowances: allowances, given: given, grants: grants, clock: { [now] in now },
      pause: pause
    ).apply(plan)
  }

  /// Plans and applies once.
  @discardableResult
  func apply() async throws -> Outcome { try await apply(try await plan()) }

  var serial: Int64 { get throws { try store.recorded().store?.serial ?? 0 } }

  /// Every value that the store gives.
  func kept() throws -> Set<String> {
    var kept: Set<String> = []
    for (id, record) in try store.recorded().keys {
      for version in [record.version] + record.history {
        kept.insert(try store.value(of: id, version: version.number).withBytes { String(decoding: $0, as: UTF8.self) })
      }
    }
    return kept
  }

  /// Everything that is left behind, without revisions, serials and fingerprints: those differ by the way that led there.
  func remains() async throws -> [String] {
    let recorded = try store.recorded()
    var lines: [String] = try recorded.keys.map { id, record in
      let values = try ([record.version] + record.history).map { version in
        let value = try store.value(of: id, version: version.number).withBytes { String(decoding: $0, as: UTF8.self) }
        return "\(version.number) \(value) \(version.origin ?? "-")"
      }
      return "key \(id) \(record.facts.provider) \(record.facts.sources) \(values) retired: \(record.retiredAt != nil)"
    }
    lines += recorded.slots.map { "slot \($0) \($1.key)" }
    for (id, record) in recorded.targets {
      let entries = record.entries.sorted { $0.key < $1.key }.map { name, entry in
        let value = try? store.value(of: entry.key, version: nil)
        let isCurrent = value.map { store.fingerprint($0, of: entry.key) == entry.fingerprint }
        return "\(name) \(entry.key) \(isCurrent ?? false)"
      }
      lines.append("target \(id) \(record.destination.location) \(entries)")
    }
    lines += recorded.surface.items.map { "surface \($0)" }
    lines += recorded.recipients.map { "recipient \($0) \($1.publicKey)" }
    lines += recorded.migrated.map { "migrated \($0)" }
    for (name, value) in await originals() { lines.append("original \(name) \(value)") }
    lines += recorded.interrupted.keys.map { "interrupted \($0)" }
    lines += recorded.dueHooks.keys.map { "hook \($0)" }
    lines += recorded.attempts.map { "attempt \($0) \($1)" }
    for name in ["app", "web", "x", "y", "/out"] {
      for at in [place(name), place(name, surface: ExternalAccess(.path, name))] {
        lines += held(at: at).map { "at \(name): \($0)=\($1)" }
      }
    }
    return lines.sorted()
  }
}

/// What places held when their hooks last ran.
final class SeenByHooks: Sendable {
  private let places = Mutex<[String: [String: [UInt8]]]>([:])

  func note(_ contents: [String: [UInt8]], at place: String) { places.withLock { $0[place] = contents } }

  func contents(at place: String) -> [String: String] {
    places.withLock { $0[place] ?? [:] }.mapValues { String(decoding: $0, as: UTF8.self) }
  }
}

/// A program that runs after a change at a place.
func reload(_ place: String, surface: ExternalAccess? = nil) -> Reference {
  Reference(scheme: "command", arguments: ["reload", place], isLocal: true, surface: surface)
}

/// A report in words, such as `sync target.app: done`.
func words(_ report: StepReport) -> String {
  let result =
    switch report.result {
    case .done: "done"
    case .failed: "failed"
    case .stale: "stale"
    case .notTried: "not tried"
    case .needsPerson, .needsKey: "needs a person"
    }
  return "\(report.step.effect.action) \(report.step.address): \(result)"
}

extension SourceFinding {
  static func unreachable(index: Int, reason: String) -> SourceFinding {
    .failed(index: index, AccessFailure(.unreachable, reason))
  }

  static func unreadable(index: Int, reason: String) -> SourceFinding {
    .failed(index: index, AccessFailure(.unreadable, reason))
  }
}

extension TargetFinding {
  static func unreachable(reason: String) -> TargetFinding { .failed(AccessFailure(.unreachable, reason)) }
  static func unreadable(reason: String) -> TargetFinding { .failed(AccessFailure(.unreadable, reason)) }
}
