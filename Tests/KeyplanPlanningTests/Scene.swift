import KeyplanModel
import KeyplanPlanning
import TestTools

/// 2027-01-15T08:00:00Z.
let now = Moment(seconds: 1_800_000_000)

func named<Thing>(_ name: String) -> Identifier<Thing> {
  guard let identifier = Identifier<Thing>(name) else { preconditionFailure("\(name) is no name") }
  return identifier
}

func print(_ value: String, of key: String) -> Fingerprint {
  let bytes = (0..<16).map { salt -> UInt8 in
    let text = "\(salt) \(key) \(value)".utf8
    let hash = text.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return UInt8(truncatingIfNeeded: hash ^ hash >> 32)
  }
  guard let print = Fingerprint(bytes) else { preconditionFailure("these are 16 bytes") }
  return print
}

func remote(_ name: String) -> Reference { Reference(scheme: "vault", location: name, isFile: true, isLocal: false) }

func local(_ name: String) -> Reference { Reference(scheme: "env", location: name, isLocal: true) }

func inFile(_ file: String, _ selector: String?, surface: ExternalAccess? = nil) -> Reference {
  Reference(
    scheme: selector == nil ? "file" : "dotenv", location: file, selector: selector, isFile: true,
    isLocal: true, surface: surface)
}

func command(_ name: String) -> Reference {
  Reference(
    scheme: "command", arguments: [name], isLocal: false, surface: ExternalAccess(.command, name))
}

func place(_ name: String, surface: ExternalAccess? = nil) -> Destination {
  Destination(type: "dotenv", location: name, surface: surface)
}

/// A manifest and what is observed, in a few words.
struct Scene {
  var keys: [Identifier<Key>: Key] = [:]
  var slots: [Identifier<Slot>: Slot] = [:]
  var targets: [Identifier<Target>: Target] = [:]
  var recipients: [Identifier<Recipient>: Recipient]?
  var sealedRecipients: Set<Identifier<Recipient>> = []
  var accounts: [Identifier<Account>: Account] = [:]
  var connections: [Identifier<Connection>: Connection] = [:]
  var migrations: [Migration] = []
  var unsupported: [Manifest.Unsupported] = []
  var exposedFor: Interval?
  var observed = Observation(
    recorded: Recorded(store: StoreState(id: String(repeating: "5", count: 32), serial: 9, epoch: 1)))

  var manifest: Manifest {
    Manifest(
      recipients: recipients, sealedRecipients: sealedRecipients, keys: keys, slots: slots, targets: targets,
      accounts: accounts, connections: connections, migrations: migrations, exposedFor: exposedFor,
      unsupported: unsupported)
  }

  static func facts(
    _ name: String, _ sources: [Reference] = [], provider: String = "openai", expiry: Expiry? = nil,
    issued: Moment? = nil, isProtected: Bool = false
  ) -> KeyFacts {
    KeyFacts(
      provider: provider, variable: name.uppercased(), expiry: expiry, issued: issued,
      sources: sources.map(\.description), isProtected: isProtected)
  }

  mutating func declare(
    _ name: String, _ sources: [Reference]? = nil, provider: String = "openai", expiry: Expiry? = nil,
    issued: Moment? = nil, follow: Key.Follow = .always, isUnsafeNameAllowed: Bool = false
  ) {
    let sources = sources ?? [remote(name)]
    let facts = Self.facts(name, sources, provider: provider, expiry: expiry, issued: issued)
    keys[named(name)] = Key(
      facts: facts, sources: sources, follow: follow, isUnsafeNameAllowed: isUnsafeNameAllowed)
  }

  /// Declares a key whose value keyplan generates.
  mutating func declareGenerated(
    _ name: String, _ value: GeneratedValue? = GeneratedValue(.hex), expiry: Expiry? = nil
  ) {
    guard let value else { preconditionFailure("this is no form") }
    let facts = KeyFacts(
      provider: "generic", variable: name.uppercased(), expiry: expiry, sources: [value.description])
    keys[named(name)] = Key(facts: facts, sources: [], generated: value)
  }

  /// Records a key; its facts are those declared, unless others are given.
  /// - Parameter isOtherDate: whether the date of issue is that of an earlier value.
  mutating func record(
    _ name: String, _ value: String = "one", history: [String] = [], stored: Moment = now - .days(1),
    facts: KeyFacts? = nil, retired: Bool = false, rejected: String? = nil, isOtherDate: Bool = false
  ) {
    let id: Identifier<Key> = named(name)
    let facts = facts ?? keys[id]?.facts ?? Self.facts(name, [remote(name)])
    let count = Int64(history.count)
    func version(_ number: Int64, _ value: String) -> KeyVersion {
      KeyVersion(
        number: number, fingerprint: print(value, of: name), storedAt: stored,
        issuedAt: number > count && !isOtherDate ? facts.issued : nil, origin: facts.sources.first)
    }
    observed.recorded.keys[id] = KeyRecord(
      revision: 3, facts: facts, version: version(count + 1, value),
      history: history.enumerated().map { version(count - Int64($0), $1) }, retiredAt: retired ? stored : nil,
      rejected: rejected.map { print($0, of: name) })
  }

  mutating func find(_ name: String, _ value: String, at index: Int = 0, looksRight: Bool = true) {
    observed.sources[named(name)] = .value(print(value, of: name), index: index, looksRight: looksRight)
  }

  mutating func find(_ name: String, _ finding: SourceFinding) { observed.sources[named(name)] = finding }

  /// A key that is declared, recorded and found, all the same.
  mutating func settled(_ name: String, _ value: String = "one", expiry: Expiry? = nil, stored: Moment? = nil) {
    declare(name, expiry: expiry)
    record(name, value, stored: stored ?? now - .days(1))
    find(name, value)
  }

  mutating func choose(_ slot: String, _ candidates: [String], recorded: String? = nil) {
    slots[named(slot)] = Slot(candidates: candidates.map { named($0) })
    if let recorded { activate(slot, recorded) }
  }

  mutating func activate(_ slot: String, _ key: String) {
    observed.recorded.slots[named(slot)] = SlotRecord(revision: 4, key: named(key), since: now - .days(9))
  }

  mutating func target(
    _ name: String, _ entries: [Target.Entry], at destination: Destination = place(".env"), takeOver: Bool = false,
    areUnsafeNamesAllowed: Bool = false, areNamesVariables: Bool = true, hook: Reference? = nil
  ) {
    targets[named(name)] = Target(
      destination: destination, entries: entries, takeOver: takeOver, areUnsafeNamesAllowed: areUnsafeNamesAllowed,
      areNamesVariables: areNamesVariables, hook: hook)
  }

  mutating func recordTarget(
    _ name: String, _ entries: [String: (key: String, value: String)], at destination: Destination = place(".env")
  ) {
    observed.recorded.targets[named(name)] = TargetRecord(
      revision: 5, destination: destination,
      entries: entries.mapValues {
        TargetRecord.Entry(key: named($0.key), fingerprint: print($0.value, of: $0.key), syncedAt: now - .days(2))
      })
  }

  /// What was written to a place that shows marks.
  mutating func recordMarks(_ name: String, _ entries: [String: TargetRecord.Entry], placeId: String? = nil) {
    observed.recorded.targets[named(name)] = TargetRecord(
      revision: 5, destination: place(".env"), entries: entries, placeId: placeId)
  }

  /// What a place holds: the fingerprints in the domain of every key of the scene.
  mutating func hold(_ values: [String: String], at destination: Destination = place(".env")) {
    let all = Set(keys.keys).union(observed.recorded.keys.keys)
    observed.targets[destination] = .entries(
      values.mapValues { value in
        FoundEntry(Dictionary(uniqueKeysWithValues: all.map { ($0, print(value, of: $0.name)) }))
      })
  }

  /// A name at a place cannot be read, and the others can.
  mutating func conceal(_ name: String, at destination: Destination = place(".env")) {
    guard case .entries(var found) = observed.targets[destination] else { return }
    found[name] = FoundEntry(AccessFailure(.denied, "Its key may not be used."), of: Set(keys.keys))
    observed.targets[destination] = .entries(found)
  }

  /// Something is in the way of writing at a place.
  mutating func hinder(at destination: Destination = place(".env"), isOnlyHere: Bool = false) {
    observed.writeBlockers[destination] = WriteBlockers(
      place: WriteBlocker(reason: "There is no folder.", hint: "Make it.", isOnlyHere: isOnlyHere))
  }

  /// Something is in the way of setting or removing single names.
  mutating func hinderNames(setting set: [String] = [], removing removed: [String] = []) {
    let blocker = WriteBlocker(reason: "It is an object.")
    observed.writeBlockers[place(".env")] = WriteBlockers(
      setting: Dictionary(uniqueKeysWithValues: set.map { ($0, blocker) }),
      removing: Dictionary(uniqueKeysWithValues: removed.map { ($0, blocker) }))
  }

  mutating func move(_ old: String, to new: String) {
    migrations.append(Migration(migrations.count + 1, .key(named(old)), to: named(new)))
  }

  /// Declares a key without a source, adopted from a name in a file.
  mutating func adopt(_ name: String, from file: String, _ selector: String?, isRemoved: Bool) {
    declare(name, [])
    migrations.append(
      Migration(migrations.count + 1, .place(inFile(file, selector), isRemoved: isRemoved), to: named(name)))
  }

  /// What stands where a key is adopted from.
  mutating func original(_ name: String, _ value: String) {
    observed.originals[named(name)] = .value(print(value, of: name), index: 0, looksRight: true)
  }

  func plan(_ allowances: Allowances = Allowances(), at moment: Moment = now) -> (
    plan: Plan, diagnostics: [Diagnostic]
  ) {
    Plan.reconciling(manifest, with: observed, allowing: allowances, at: moment)
  }

  /// The plan in words, such as `store key.a (manifest)`.
  func steps(_ allowances: Allowances = Allowances(), at moment: Moment = now) -> [String] {
    plan(allowances, at: moment).plan.steps.map(words)
  }

  /// The diagnostics in words, such as `secretNotFound key.a`.
  func faults(_ allowances: Allowances = Allowances(), at moment: Moment = now) -> [String] {
    plan(allowances, at: moment).diagnostics.map { fault in
      "\(fault.code)" + (fault.address.map { " \($0)" } ?? "")
    }
  }
}

func from(_ name: String, _ key: String) -> Target.Entry { Target.Entry(.fixed(name), from: .key(named(key))) }

func from(_ name: Target.Entry.Name, slot: String) -> Target.Entry { Target.Entry(name, from: .slot(named(slot))) }

/// A step in words.
func words(_ step: Step) -> String {
  var text = "\(step.effect.action) \(step.address)"
  switch step.effect {
  case .store(let effect): text += words(effect)
  case .outside(let effect): text += words(effect)
  case .person(.signIn(_, let need)): text += " \(need.reason)"
  case .person(.issue(_, let manual)): text += " \(manual.page)"
  }
  return text + " (\(step.cause))"
}

private func words(_ effect: StoreEffect) -> String {
  switch effect {
  case .activate(_, let key, let was): " \(was.map { "\($0) -> " } ?? "")\(key)"
  case .key(_, .move(let from)): " from \(from)"
  case .key(_, .adopt(_, let from)): " from \(from)"
  case .key(_, .rollback(let rollback)): " \(rollback.was) -> \(rollback.to)"
  case .key(_, .accept(let acceptance)): " from \(acceptance.address)"
  case .key(_, .purge(let purge)): purge.versions.map { " \($0)" }.joined() + (purge.isAll ? " all" : "")
  case .guards(let change): (change.dropped.map(\.description) + change.waived).map { " -\($0)" }.joined()
  case .adoptToken(_, let from, _): " from \(from)"
  case .allow, .disallow, .rewrap, .key, .deactivate, .settle, .forgetSlot, .forgetTarget, .forgetEntry: ""
  }
}

private func words(_ effect: OutsideEffect) -> String {
  switch effect {
  case .sync(_, let write): " " + write.entries.map { "\($0.name):\($0.reason)" }.joined(separator: " ")
  case .withdraw(_, let removal):
    (removal.isMove ? " move" : "") + (removal.names.map { " -\($0)" } + removal.released.map { " ~\($0)" }).joined()
  case .run(_, let hook): " " + hook.command.joined(separator: " ")
  case .removeOriginal(_, _, let from): " from \(from)"
  case .mint(_, let mint): " at \(mint.place.brief)"
  case .settle(_, let late): " at \(late.place.brief) \(late.labels.joined(separator: " "))"
  case .disable(_, let end), .end(_, let end), .renew(_, let end): end.keys.map { " \($0.id)" }.joined()
  case .refresh(_, let refresh): " \(refresh.reason)"
  case .select(_, let selection): " \(selection.calendar?.name ?? "?")"
  case .signOut(_, let signOut): signOut.revokes ? " revokes" : ""
  }
}

func after(_ steps: [Step], _ action: Action) -> [String] {
  steps.first { $0.effect.action == action }?.after.map(\.description) ?? ["no such step"]
}

/// These items, allowed without any terms.
func allowed(_ items: ExternalAccess...) -> Surface {
  Surface(Dictionary(uniqueKeysWithValues: items.map { ($0, []) }))
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
