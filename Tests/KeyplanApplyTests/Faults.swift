import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Synchronization

/// Counts the effects of a run, and has one of them fail.
final class Faults: Sendable {
  enum Mode: CaseIterable {
    /// This one fails, and the next ones work.
    case once
    /// The machine dies just before this one.
    case deathBefore
    /// The machine dies just after this one: it happened, and nobody hears of it.
    case deathAfter
  }

  let mode: Mode
  private let number: Int
  private let count = Mutex(0)

  /// The first effect is number 1; number 0 only counts.
  init(_ mode: Mode = .once, at number: Int = 0) {
    self.mode = mode
    self.number = number
  }

  var effects: Int { count.withLock { $0 } }

  enum Fate { case works, fails, worksUnheard }

  func next() -> Fate {
    let at = count.withLock { count in
      count += 1
      return count
    }
    guard number > 0, at >= number else { return .works }
    return switch mode {
    case .once: at == number ? .fails : .works
    case .deathBefore: .fails
    case .deathAfter: at == number ? .worksUnheard : .fails
    }
  }
}

struct FaultySource: RemovableSource {
  let source: any RemovableSource
  let faults: Faults

  var backend: BackendDescription { source.backend }

  func read(_ references: [Reference]) async -> [SourceAnswer] {
    guard faults.next() == .works else { return references.map { _ in .unreachable("Injected.") } }
    return await source.read(references)
  }

  func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    let fate = faults.next()
    if fate != .fails { try await source.remove(reference, holding: value) }
    if fate != .works { throw AccessFailure(.unreachable, "Injected.") }
  }
}

struct FaultyTarget: SecretTarget {
  let target: any SecretTarget
  let faults: Faults

  var backend: BackendDescription { target.backend }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    guard faults.next() == .works else { return TargetSight(.failed(AccessFailure(.unreachable, "Injected."))) }
    return await target.look(question, at: destination)
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let fate = faults.next()
    let results = fate == .fails ? [:] : try await target.write(changes, at: destination)
    if fate != .works { throw AccessFailure(.unreachable, "Injected.") }
    return results
  }
}

struct FaultyHooks: HookRunning {
  let hooks: any HookRunning
  let faults: Faults

  func run(_ hook: Reference, with variables: [String: String]) async throws(AccessFailure) {
    let fate = faults.next()
    if fate != .fails { try await hooks.run(hook, with: variables) }
    if fate != .works { throw AccessFailure(.unreachable, "Injected.") }
  }
}

struct FaultyStore: RecordStore, TokenStore, Fingerprinting {
  let store: any RecordStore & TokenStore & Fingerprinting
  let faults: Faults

  func recorded() throws(StoreError) -> Recorded { try store.recorded() }

  func value(of key: Identifier<Key>, version: Int64?) throws(StoreError) -> SecretBox {
    try store.value(of: key, version: version)
  }

  func commit(_ changes: [RecordChange], expecting serial: Int64, at now: Moment) throws(StoreError) -> Int64 {
    let fate = faults.next()
    let next = fate == .fails ? serial : try store.commit(changes, expecting: serial, at: now)
    guard fate == .works else { throw StoreError(.io, "Injected.") }
    return next
  }

  func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
    store.fingerprint(value, of: key)
  }

  func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
    store.fingerprint(token, of: account)
  }

  func tokens(of account: Identifier<Account>) throws(StoreError) -> AccountTokens? { try store.tokens(of: account) }
}

/// One that fails says that it was not reached; one of which nobody hears has done its work, and the answer is lost.
struct FaultyAccountService: AccountService {
  let service: any AccountService
  let faults: Faults

  func ask(_ ask: AccountAsk) async -> AccountFinding {
    guard faults.next() == .works else { return .unreachable(reason: "Injected.") }
    return await service.ask(ask)
  }

  func refresh(_ ask: AccountAsk) async -> RefreshAnswer {
    switch faults.next() {
    case .works: return await service.refresh(ask)
    case .fails: return .unavailable(reason: "Injected.", isUnanswered: false)
    case .worksUnheard:
      _ = await service.refresh(ask)
      return .unavailable(reason: "Injected.", isUnanswered: true)
    }
  }

  func token(in left: SecretBox, for id: Identifier<Account>, _ account: Account) -> TokenLeft {
    service.token(in: left, for: id, account)
  }

  func revoke(_ ask: AccountAsk) async -> RevocationAnswer {
    let fate = faults.next()
    if fate == .fails { return .unavailable(reason: "Injected.") }
    let answer = await service.revoke(ask)
    return fate == .works ? answer : .unavailable(reason: "Injected.")
  }
}

/// One that fails was not reached; one of which nobody hears has done its work, and the answer is lost.
struct FaultyIssuer: KeyIssuing {
  let issuer: MemoryIssuer
  let faults: Faults

  var connection: Connection { issuer.connection }
  var hasLabels: Bool { issuer.hasLabels }
  var listDelay: Interval { issuer.listDelay }

  func list(at place: Destination) async throws(KeyIssuerFailure) -> [ListedKey] {
    guard faults.next() == .works else { throw Self.unreachable }
    return try await issuer.list(at: place)
  }

  func mint(_ label: String, at place: Destination) async throws(KeyIssuerFailure) -> MintedKey {
    let fate = faults.next()
    guard fate != .fails else { throw Self.unreachable }
    let key = try await issuer.mint(label, at: place)
    guard fate == .works else { throw Self.lost }
    return key
  }

  func orphans(
    of labels: [String], at place: Destination
  ) async throws(KeyIssuerFailure) -> [String: [String]] {
    guard faults.next() == .works else { throw Self.unreachable }
    return try await issuer.orphans(of: labels, at: place)
  }

  func disable(_ id: String, label: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    let fate = faults.next()
    guard fate != .fails else { throw Self.unreachable }
    let end = try await issuer.disable(id, label: label, at: place)
    guard fate == .works else { throw Self.lost }
    return end
  }

  func revoke(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    let fate = faults.next()
    guard fate != .fails else { throw Self.unreachable }
    let end = try await issuer.revoke(id, at: place)
    guard fate == .works else { throw Self.lost }
    return end
  }

  func renew(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Moment? {
    let fate = faults.next()
    guard fate != .fails else { throw Self.unreachable }
    let end = try await issuer.renew(id, at: place)
    guard fate == .works else { throw Self.lost }
    return end
  }

  private static let unreachable = KeyIssuerFailure(.unreachable, "Injected.")
  private static let lost = KeyIssuerFailure(.unknown, "Injected.")
}
