import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanTesting
import TestTools

/// Worlds out of a seed: the same edits of the manifest, of sources and of targets on every run.
struct RandomWorld {
  var world = World()
  private var random: Seeded
  private let outside: Bool

  /// `outside`: with commands and places that must be allowed first.
  init(seed: UInt64, outside: Bool = false) {
    random = Seeded(seed: seed)
    self.outside = outside
    world.allowances = Allowances(forget: true)
    for number in 0..<6 { world.say("v\(number)", at: "k\(number)") }
    for _ in 0..<8 { change() }
  }

  /// Some edits of anything.
  mutating func change() {
    for _ in 0...random.below(3) { edit() }
  }

  private mutating func edit() {
    let name = "k\(random.below(6))"
    switch random.below(22) {
    case 0...3: declare(name)
    case 4: remove(named(name))
    case 5, 6: world.say("w\(random.below(5))", at: name)
    case 7: world.say(random.chance(50) ? nil : "back", at: name)
    case 8: world.source.say(.unreachable("No."), to: remote(name))
    case 9, 10: chooseSome("s\(random.below(3))")
    case 11, 12: sendSome("t\(random.below(3))")
    case 13: disturb()
    case 16: rename(named(name))
    case 18: adopt(name)
    case 19: world.say("x\(random.below(3))", at: "o\(random.below(4))")
    case 17: world.migrations = []
    case 20, 21: compose("c\(random.below(3))")
    case 14: world.now = world.now + .days(Int64(random.below(30)))
    default: surround()
    }
  }

  private mutating func declare(_ name: String) {
    var sources = [remote(name)]
    if random.chance(20) { sources.append(remote("k\(random.below(6))")) }
    if outside, random.chance(20) { sources.append(command("op")) }
    let expiry = Expiry(.after(.days(60)), warn: .days(9), then: random.pick([.warn, .retire]))
    world.migrations.removeAll { $0.origin == .key(named(name)) }
    world.declare(
      name, sources, provider: random.pick(["openai", "anthropic"]), expiry: random.chance(30) ? expiry : nil)
  }

  /// A key that is made of one or two others; of composed ones only of those with an earlier name.
  private mutating func compose(_ name: String) {
    let id: Identifier<Key> = named(name)
    let composed = world.keys.filter { $0.value.composition != nil }.keys
    let parts = world.keys.keys.filter { !composed.contains($0) || ($0.name.hasPrefix("c") && $0 < id) }.sorted()
    guard !parts.isEmpty, world.keys[id] == nil || world.keys[id]?.composition != nil else { return }
    let form = random.pick(["", ":url", ":json", ":base64"])
    let template = "{\(random.pick(parts))\(form)}" + (random.chance(50) ? "-{\(random.pick(parts))}" : "")
    world.migrations.removeAll { $0.origin == .key(id) }
    try? world.compose(name, template)
  }

  private mutating func remove(_ key: Identifier<Key>) {
    world.keys[key] = nil
    for (id, other) in world.keys where other.composition?.parts.contains(key) == true { remove(id) }
    world.migrations.removeAll { $0.key == key }
    for (id, slot) in world.slots {
      let left = slot.candidates.filter { $0 != key }
      world.slots[id] = left.isEmpty ? nil : Slot(candidates: left)
    }
    mendTargets()
  }

  /// A key without a source, whose value comes from a place of its own: there or not, to be removed or not.
  private mutating func adopt(_ key: String) {
    guard world.keys[named(key)] == nil else { return }
    world.migrations.removeAll { $0.origin == .key(named(key)) || $0.key == named(key) }
    world.declare(key, [])
    let original = remote("o\(random.below(4))")
    // The manifest's reader lets one migration remove an original, and one adopt for a key.
    let isFree = !world.migrations.contains { $0.original == original && $0.removesOriginal }
    let number = (world.migrations.map(\.number).max() ?? 0) + 1
    let origin = Migration.Origin.place(original, isRemoved: isFree && random.chance(70))
    world.migrations.append(Migration(number, origin, to: named(key)))
    if random.chance(80) { world.source.say(.value(Array("original \(random.below(3))".utf8)), to: original) }
  }

  /// A declared key gets a name that nothing has; whatever names it follows, and nothing leads back.
  private mutating func rename(_ old: Identifier<Key>) {
    let new: Identifier<Key> = named("n\(world.migrations.count)-\(random.below(1000))")
    guard let key = world.keys[old], world.keys[new] == nil else { return }
    world.keys[old] = nil
    world.keys[new] = key
    for (id, other) in world.keys {
      guard let composition = other.composition, composition.parts.contains(old) else { continue }
      let renamed = composition.renaming([old: new])
      world.keys[id] = Key(facts: other.facts.renamingParts([old: new]), sources: [], composition: renamed)
    }
    for (id, slot) in world.slots {
      world.slots[id] = Slot(candidates: slot.candidates.map { $0 == old ? new : $0 })
    }
    for (id, target) in world.targets {
      let entries = target.entries.map { $0.feed == .key(old) ? Target.Entry($0.name, from: .key(new)) : $0 }
      world.targets[id] = Target(
        destination: target.destination, entries: entries, takeOver: target.takeOver, hook: target.hook)
    }
    world.migrations = world.migrations.map {
      Migration($0.number, $0.origin, to: $0.key == old ? .key(new) : $0.successor)
    }
    let number = (world.migrations.map(\.number).max() ?? 0) + 1
    world.migrations.append(Migration(number, .key(old), to: new))
  }

  /// Targets may name declared keys and slots only.
  private mutating func mendTargets() {
    for (id, target) in world.targets {
      let entries = target.entries.filter { entry in
        switch entry.feed {
        case .key(let key): world.keys[key] != nil
        case .slot(let slot): world.slots[slot] != nil
        }
      }
      world.targets[id] = Target(
        destination: target.destination, entries: entries, takeOver: target.takeOver, hook: target.hook)
    }
  }

  private mutating func chooseSome(_ slot: String) {
    let declared = world.keys.keys.sorted()
    if declared.isEmpty || random.chance(20) {
      world.slots[named(slot)] = nil
      return mendTargets()
    }
    var candidates: [Identifier<Key>] = []
    for _ in 0...random.below(3) {
      let key = random.pick(declared)
      if !candidates.contains(key) { candidates.append(key) }
    }
    world.slots[named(slot)] = Slot(candidates: candidates)
  }

  private mutating func sendSome(_ name: String) {
    if random.chance(20) {
      world.targets[named(name)] = nil
      return
    }
    var places = [place("x"), place("y"), place("app"), place("web")]
    if outside { places.append(place("/out", surface: ExternalAccess(.path, "/out"))) }
    let taken = world.targets.filter { $0.key.name != name }.map(\.value.destination)
    let free = places.filter { !taken.contains($0) }
    let before = world.targets[named(name)]?.destination
    let destination = before.flatMap { random.chance(70) ? $0 : nil } ?? random.pick(free)
    var entries: [Target.Entry] = []
    for row in 0...random.below(3) {
      if let key = world.keys.keys.sorted().randomElement(using: &random), random.chance(70) {
        entries.append(.init(.fixed("N\(row)"), from: .key(key)))
      }
    }
    if let slot = world.slots.keys.sorted().randomElement(using: &random), random.chance(50) {
      entries.append(
        .init(random.pick([.variable, .byProvider(["openai": "O", "anthropic": "P"])]), from: .slot(slot)))
    }
    world.targets[named(name)] = Target(
      destination: destination, entries: entries, hook: reload(destination.location))
  }

  /// Somebody changes what keyplan wrote.
  private mutating func disturb() {
    let at = place(random.pick(["x", "y", "app", "web"]))
    guard let name = world.held(at: at).keys.sorted().randomElement(using: &random) else { return }
    world.put(random.chance(50) ? nil : "theirs", name, at: at)
  }

  private mutating func surround() {
    if outside { world.commands.say(random.chance(80) ? .value(Array("cmd".utf8)) : .missing, to: command("op")) }
    let all: [Identifier<Recipient>: Recipient] = [
      named("bob"): Recipient(publicKey: "age1bob"), named("ci"): Recipient(publicKey: "age1ci", role: .plan),
    ]
    world.recipients = [named("ada"): World.ada]
    for name in all.keys.sorted() where random.chance(50) { world.recipients?[name] = all[name] }
  }

  /// Plans; where a guard holds it back, a person allows everything.
  mutating func plan() async throws -> Plan {
    world.allowances = Allowances(forget: true)
    let (plan, diagnostics) = try await world.planned()
    guard diagnostics.contains(where: \.code.isGuard) else { return plan }
    world.allowances = Allowances(forget: true, overwrite: true, retire: true)
    return try await world.plan()
  }
}
