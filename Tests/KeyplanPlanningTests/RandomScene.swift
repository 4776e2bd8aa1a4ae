import KeyplanModel
import KeyplanPlanning
import TestTools

/// A scene out of one seed: anything may be declared, recorded and found together, whether it makes sense or not.
extension Scene {
  init(seed: UInt64) {
    self.init()
    var random = Seeded(seed: seed)
    let names = (0..<(1 + random.below(7))).map { "k\($0)" }
    for name in names { addKey(name, &random) }
    addSlots(names, &random)
    addTargets(names, &random)
    if random.chance(50) { addRecipients(&random) }
    if random.chance(20) {
      observed.recorded.surface = allowed(ExternalAccess(.command, "op"), ExternalAccess(.path, "/out"))
    }
    for address in [Address.target(named("t0")), .target(named("t1")), .key(named("k0")), .recipients]
    where random.chance(10) { observed.recorded.interrupted[address] = now - .days(1) }
    for address in [Address.target(named("t0")), .key(named("k1")), .recipients, .calendar(named("c"))]
    where random.chance(6) { unsupported.append(.init(address, "it", place: nil)) }
    if random.chance(10) { observed.recorded.store = nil }
    for name in ["c", "d"] { addAccount(name, &random) }
    for _ in 0..<random.below(3) where random.chance(40) { move(random.pick(names), to: random.pick(names)) }
  }

  private mutating func addKey(_ name: String, _ random: inout Seeded) {
    let sources = random.pick([[], [remote(name)], [local(name)], [local(name), command("op")], [command(name)]])
    let age = Moment(seconds: now.seconds - Int64(random.below(120)) * 86400)
    let expiry = random.pick([
      nil, nil, Expiry(.after(.days(90)), warn: .days(14), then: random.pick([.warn, .retire])),
      Expiry(.on(age), warn: .days(3), then: .retire),
    ])
    let issued = random.chance(20) ? age : nil
    if random.chance(80) {
      declare(
        name, sources, provider: random.pick(["openai", "anthropic"]), expiry: expiry, issued: issued,
        follow: random.pick([.always, .always, .once]))
    }
    if random.chance(10) {
      declareGenerated(name, expiry: random.pick([nil, Expiry(.after(.days(60)), warn: .days(3), then: .rotate)]))
    }
    let values = ["one", "two", "three"]
    if random.chance(70) {
      record(
        name, random.pick(values), history: random.chance(30) ? [random.pick(values)] : [], stored: age,
        facts: random.chance(30) ? Scene.facts(name, [remote("old")], isProtected: random.chance(20)) : nil,
        retired: random.chance(15), rejected: random.chance(10) ? random.pick(values) : nil)
    }
    let value = print(random.pick(values), of: name)
    let index = random.below(2)
    let findings: [SourceFinding?] = [
      .value(value, index: index, looksRight: random.chance(80)), .value(value, index: 0, looksRight: true),
      .given(value, looksRight: true), .missing, .unreachable(index: index, reason: "No."),
      .unreadable(index: index, reason: "No."), .notAllowed(index: index), nil,
      GeneratedValue(.hex).map { .wanted($0) },
    ]
    if let finding = random.pick(findings) { find(name, finding) }
  }

  private mutating func addAccount(_ name: String, _ random: inout Seeded) {
    let service = random.pick(AccountFacts.Service.allCases)
    func facts(_ random: inout Seeded) -> AccountFacts {
      AccountFacts(
        service: service, account: random.pick(["ada@gmail.com", "eve"]), client: "1",
        url: service == .caldav ? "https://dav.example/" : nil)
    }
    let declared = facts(&random)
    let calendars = [own, team, AccountCalendar(id: "t2", name: random.pick(["Team", "Other"]))]
    if random.chance(60) {
      let signIns: [Account.SignIn] = service == .caldav ? [.password] : [.browser, .device, .serviceAccount]
      declareAccount(
        name, declared, calendar: random.pick([nil, "Team", "t2"]), signIn: random.pick(signIns),
        token: random.chance(30) ? random.pick([local("T"), command("op")]) : nil,
        expiry: random.chance(30)
          ? Expiry(.after(.days(5)), warn: .days(1), then: random.pick([.warn, .retire])) : nil,
        isTesting: random.chance(30), allowed: random.chance(70))
    }
    if random.chance(60) {
      recordAccount(
        name, random.chance(80) ? declared : facts(&random), calendar: random.pick([nil, own, team]),
        signedIn: now - .days(Int64(random.below(200))), isRefreshable: random.chance(80), isTesting: random.chance(20),
        missing: random.chance(10) ? ["x"] : [], ended: random.pick([nil, nil, nil] + AccountEnd.Reason.allCases),
        began: random.chance(10) ? now - .days(1) : nil, adopted: random.pick([nil, "one"]), over: random.chance(30),
        hasTokens: random.chance(85))
    }
    answer(
      random.pick([
        nil, .answered(calendars.filter { _ in random.chance(70) }), .expired, .refused, .personNeeded, .scopeMissing,
        .notAllowed(reason: "No.", hint: nil), .unreachable(reason: "No."),
        .noSecret(reason: "No.", isUnreachable: false), .heldBack, .planOnly(reason: "No."),
      ]), name)
    observed.tokens[named(name)] = random.pick([
      nil, .missing, .value(print("one", of: name), index: 0, looksRight: true), .notAllowed(index: 0),
      .unreachable(index: 0, reason: "No."),
    ])
    if random.chance(10) { observed.recorded.interrupted[.calendar(named(name))] = now - .days(1) }
  }

  private mutating func addSlots(_ names: [String], _ random: inout Seeded) {
    for number in 0..<random.below(4) {
      let declared = names.filter { keys[named($0)] != nil }
      if !declared.isEmpty, random.chance(80) {
        choose("s\(number)", (0..<(1 + random.below(3))).map { _ in random.pick(declared) })
      }
      if random.chance(60) { activate("s\(number)", random.pick(names)) }
    }
  }

  private mutating func addTargets(_ names: [String], _ random: inout Seeded) {
    let outside = place("/out", surface: ExternalAccess(.path, "/out"))
    var free = [place("x"), place("y"), outside]
    let places = free
    for number in 0..<random.below(4) {
      let declared = names.filter { keys[named($0)] != nil }
      let at = free.remove(at: random.below(free.count))
      if !declared.isEmpty, random.chance(80) {
        let entries = (0..<(1 + random.below(3))).map { row -> Target.Entry in
          let name: Target.Entry.Name = random.pick([
            .fixed("N\(row)"), .fixed("N\(row)"), .variable, .byProvider(["openai": "O", "anthropic": "P"]),
          ])
          let feed = slots.keys.sorted().first.map { Target.Entry.Feed.slot($0) }
          return Target.Entry(
            name,
            from: random.chance(40) ? feed ?? .key(named(random.pick(declared))) : .key(named(random.pick(declared))))
        }
        target("t\(number)", entries, at: at, takeOver: random.chance(20))
      }
      if random.chance(60) {
        let entries = (0..<(1 + random.below(3))).map { row in
          (
            random.pick(["N\(row)", "K\(row)", "O", "P"]),
            (key: random.pick(names), value: random.pick(["one", "two"]))
          )
        }
        recordTarget(
          "t\(number)", Dictionary(entries) { first, _ in first }, at: random.chance(70) ? at : random.pick(places))
      }
    }
    for at in places {
      hold(
        Dictionary(
          ["N0", "N1", "N2", "K0", "K1", "O", "P"].filter { _ in random.chance(50) }
            .map { ($0, random.pick(["one", "two", "theirs"])) }
        ) { first, _ in first }, at: at)
      switch random.below(12) {
      case 0: observed.targets[at] = .unreachable(reason: "No.")
      case 1: observed.targets[at] = .unreadable(reason: "No.")
      case 2: observed.targets[at] = .marks(["K": Mark("1"), "L": nil])
      case 3: observed.targets[at] = nil
      case 4 where at.surface != nil: observed.targets[at] = .notAllowed
      default: break
      }
    }
  }

  private mutating func addRecipients(_ random: inout Seeded) {
    func some(_ random: inout Seeded) -> [Identifier<Recipient>: Recipient] {
      var all: [Identifier<Recipient>: Recipient] = [:]
      for name in ["ada", "bob", "ci"] where random.chance(60) {
        all[named(name)] = Recipient(
          publicKey: "age1\(random.pick(["x", "y", name]))", role: random.pick([.full, .plan]))
      }
      return all
    }
    recipients = random.chance(80) ? some(&random) : nil
    observed.recorded.recipients = some(&random)
    observed.identities = random.pick([[], ["age1ada"], ["age1x"], ["age1x", "age1ada"]])
  }

  /// The same scene, with every dictionary built up in another order.
  func reordered() -> Scene {
    var other = Scene()
    other.keys = Self.again(keys)
    other.slots = Self.again(slots)
    other.targets = Self.again(targets)
    other.accounts = Self.again(accounts)
    other.recipients = recipients.map(Self.again)
    other.unsupported = unsupported.reversed()
    other.migrations = migrations
    other.observed = observed
    other.observed.sources = Self.again(observed.sources)
    other.observed.targets = Self.again(observed.targets)
    other.observed.accounts = Self.again(observed.accounts)
    other.observed.recorded.accounts = Self.again(observed.recorded.accounts)
    other.observed.recorded.keys = Self.again(observed.recorded.keys)
    other.observed.recorded.slots = Self.again(observed.recorded.slots)
    other.observed.recorded.targets = Self.again(observed.recorded.targets)
    other.observed.recorded.recipients = Self.again(observed.recorded.recipients)
    return other
  }

  private static func again<Name, Value>(_ all: [Name: Value]) -> [Name: Value] {
    // Another capacity gives another order of iteration.
    var copy = [Name: Value](minimumCapacity: all.count * 9 + 50)
    for (name, value) in Array(all).reversed() { copy[name] = value }
    return copy
  }
}
