import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import TestTools
import Testing

/// Accounts out of a seed: anything may happen to them here and at the service between two applies.
struct RandomAccounts {
  var world: World
  private var random: Seeded
  static let names = ["home", "work", "dav", "bot"]

  init(seed: UInt64, rotation: MemoryAccountService.Rotation) throws {
    world = World(rotation)
    world.allowances = Allowances(forget: true)
    random = Seeded(seed: seed)
    world.say("pw", at: "pw")
    world.say("{}", at: "key")
    for name in Self.names {
      world.service.put([AccountCalendar(id: "\(name)-own", name: "Own", isPrimary: true), team], at: name)
      world.service.put(password: Array("pw".utf8), at: name)
    }
    for _ in 0..<6 { try change() }
  }

  mutating func change() throws {
    let name = random.pick(Self.names)
    switch random.below(9) {
    case 0, 1, 2: try declare(name)
    case 3: if random.chance(40) { world.accounts[named(name)] = nil }
    case 4: world.now = world.now + Interval(seconds: Int64(random.below(9000)))
    case 5: if random.chance(50) { world.service.endAll(of: name) }
    case 6:
      world.service.put(
        [
          AccountCalendar(id: "\(name)-own", name: random.pick(["Own", "Mine"]), isPrimary: true),
          AccountCalendar(id: "t1", name: random.pick(["Team", "Crew"])),
        ], at: name)
    default: break
    }
  }

  private mutating func declare(_ name: String) throws {
    let calendar = random.pick([nil, nil, "t1"])
    let isAllowed = random.chance(60)
    switch name {
    case "dav":
      try world.declareAccount(
        name, AccountFacts(service: .caldav, account: name, url: "https://dav.example/"), calendar: calendar,
        signIn: .password, secrets: Account.Secrets(password: remote("pw")), isAllowed: isAllowed)
    case "bot":
      try world.declareAccount(
        name, AccountFacts(service: .google, account: name), calendar: calendar, signIn: .serviceAccount,
        secrets: Account.Secrets(keyFile: remote("key")), isAllowed: isAllowed)
    default:
      let facts = AccountFacts(service: random.pick([.google, .outlook]), account: name, client: "1")
      try world.declareAccount(name, facts, calendar: calendar, isAllowed: isAllowed)
    }
  }

  /// Applies, has people sign in where they are needed, and so on until nothing is left.
  mutating func settle(_ words: String) async throws -> Int {
    for round in 0..<8 {
      let plan = try await world.plan()
      if plan.isEmpty { return round }
      let outcome = try await world.apply(plan)
      for report in outcome.reports {
        switch report.result {
        case .needsPerson:
          guard case .calendar(let id) = report.step.address else { continue }
          let signedIn = try await world.signIn(id.name)
          #expect(signedIn.isComplete, "\(words): \(signedIn.reports)")
        case .done, .notTried: break
        case .failed, .stale, .needsKey: Issue.record("\(words): \(report)")
        }
      }
    }
    Issue.record("\(words): it does not come to an end: \(try await world.plan().steps)")
    return 8
  }

  /// What is left behind, without what depends on the way there.
  func remains() throws -> [String] {
    let recorded = try world.store.recorded()
    return
      (recorded.accounts.map { id, record in
        "\(id) \(record.facts.service) \(record.calendar?.id ?? "-") \(record.signIn?.ended == nil)"
      } + recorded.surface.items.map { "\($0)" } + recorded.interrupted.keys.map { "interrupted \($0)" }).sorted()
  }
}

@Suite("Random calendar accounts")
struct RandomAccountTests {
  @Test(
    "with a person at hand every world comes to rest, and looking at it changes nothing",
    arguments: MemoryAccountService.Rotation.allCases)
  func converges(rotation: MemoryAccountService.Rotation) async throws {
    var signIns = 0
    for seed in 0..<30 as Range<UInt64> {
      var random = try RandomAccounts(seed: seed, rotation: rotation)
      for round in 0..<5 {
        for _ in 0..<3 { try random.change() }
        let words = "\(rotation), seed \(seed), round \(round)"
        signIns += try await random.settle(words)
        let (serial, refreshes) = (try random.world.serial, random.world.service.refreshes.count)
        for _ in 0..<2 { #expect(try await random.world.plan().isEmpty, "\(words)") }
        #expect(try await random.world.findings().filter { $0.level != .soon } == [], "\(words)")
        #expect(try random.world.serial == serial, "\(words)")
        #expect(random.world.service.refreshes.count == refreshes, "\(words)")
      }
    }
    #expect(signIns > 30)
  }

  @Test(
    "whichever effect fails, or after whichever the machine dies, the next run ends where it would have",
    arguments: Faults.Mode.allCases)
  func faults(mode: Faults.Mode) async throws {
    var runs = 0
    for seed in 0..<20 as Range<UInt64> {
      let rotation = MemoryAccountService.Rotation.allCases[Int(seed % 3)]
      var unbroken = try await prepared(seed, rotation)
      let counting = Faults()
      try await unbroken.world.apply(try await unbroken.world.plan(), counting)
      _ = try await unbroken.settle("unbroken \(seed)")
      let expected = try unbroken.remains()
      for number in stride(from: 1, through: counting.effects, by: 1) {
        runs += 1
        var broken = try await prepared(seed, rotation)
        let words = "seed \(seed), \(mode) at \(number)"
        let tokens = try broken.world.store.recorded().accounts.keys.filter { id in
          try broken.world.store.tokens(of: id)?.refresh != nil
        }
        try await broken.world.apply(try await broken.world.plan(), Faults(mode, at: number))
        for id in tokens where try broken.world.store.recorded().accounts[id] != nil {
          #expect(try broken.world.store.tokens(of: id)?.refresh != nil, "\(words): \(id) has lost its token")
        }
        _ = try await broken.settle(words)
        #expect(try broken.remains() == expected, "\(words)")
      }
    }
    #expect(runs > 50)
  }

  /// Settled, then changed.
  private func prepared(_ seed: UInt64, _ rotation: MemoryAccountService.Rotation) async throws -> RandomAccounts {
    var random = try RandomAccounts(seed: seed, rotation: rotation)
    _ = try await random.settle("prepared \(seed)")
    for _ in 0..<4 { try random.change() }
    random.world.now = random.world.now + Interval(seconds: 4000)
    return random
  }
}
