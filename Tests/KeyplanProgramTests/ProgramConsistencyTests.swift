import Foundation
import Testing

/// One answer to one question, whichever command of the built program gives it. KeyplanApplyTests has the same for plan and drift in process.
@Suite("What commands say about the same project")
struct ProgramConsistencyTests {
  @Test("does not contradict itself after edits, commands, failures and kills", needsTracer)
  func holds() throws {
    try FaultTracer.requireTracer()
    var worlds = ConsistentWorlds()
    try worlds.check(0..<3)
  }

  @Test(
    "is noticed where every command is silent about a target",
    arguments: ["targetBehind", "targetMissing", "targetChanged", "targetLeft"])
  func notices(kind: String) throws {
    let world = try ProgramWorld()
    let sandbox = world.sandbox
    switch kind {
    case "targetBehind":
      try sandbox.write("K0=k0-second\nK1=k1-first\n", to: "src.env")
      try #require(sandbox.keyplan("apply", "--yes", "--only", "key.k0").code == 0)
    case "targetMissing": try sandbox.write("N1=k1-first\n", to: "t0.env")
    case "targetChanged": try sandbox.write("N0=theirs\nN1=k1-first\n", to: "t0.env")
    default: try #require(sandbox.keyplan("keys", "revoke", "k0", "--yes", "--store-only").code == 0)
    }
    let statements = try ProgramStatements(world)
    #expect(try statements.contradictions() == [])
    #expect(statements.kinds.contains(kind), "\(statements.kinds)")
    #expect(try statements.forgetting(kind).contradictions() != [])
  }

  @Test("is no agreement while a source has nothing, and plan and drift say so") func absent() throws {
    let world = try ProgramWorld()
    #expect(try ProgramStatements(world).agrees)
    try world.empty(sourceOf: "k0")
    let statements = try ProgramStatements(world)
    #expect(!statements.agrees)
    #expect(try statements.contradictions() == [])
    let plan = try world.sandbox.keyplan("plan").out
    let sentence = "1 key has no value at its source on this machine: k0."
    #expect(plan.contains(sentence) && !plan.contains(" agree"), "\(plan)")
  }
}

/// The same in more worlds: always the same ten in a check, 300 by `KEYPLAN_TEST_SEED` with `KEYPLAN_TEST_FAULTS=all`.
@Suite("What commands say about the same project, in many worlds")
struct ProgramConsistencyProofTests {
  @Test("does not contradict itself after edits, commands, failures and kills", needsTracer, arguments: [0, 1])
  func holds(part: UInt64) throws {
    try FaultTracer.requireTracer()
    let variables = ProcessInfo.processInfo.environment
    let isWhole = variables["KEYPLAN_TEST_FAULTS"] == "all"
    let count: UInt64 = isWhole ? 150 : 5
    let seed = isWhole ? variables["KEYPLAN_TEST_SEED"].flatMap { UInt64($0) } ?? 0 : 27458
    let first = seed &* 1000 % 1_000_000_000 + part * count
    var worlds = ConsistentWorlds()
    try worlds.check(first..<first + count)
    print("Part \(part): \(worlds)")
    #expect(worlds.agreeing > 0 && worlds.broken > 0 && worlds.kinds.count > 3, "\(worlds)")
  }
}

/// Worlds in which commands are asked after each step, and what they had to say.
struct ConsistentWorlds: CustomStringConvertible {
  /// How often everything agreed.
  private(set) var agreeing = 0
  /// How many commands met a fault.
  private(set) var broken = 0
  /// The kinds of findings that there were.
  private(set) var kinds: Set<String> = []

  var description: String { "\(agreeing) times all agreed, \(broken) commands broken, findings: \(kinds.sorted())" }

  mutating func check(_ seeds: Range<UInt64>) throws {
    for seed in seeds {
      let world = try ProgramWorld(seed: seed)
      var history: [String] = []
      for _ in 0..<6 {
        history.append(try world.step())
        try check(world, "seed \(seed): \(history)")
      }
      broken += world.broken
      try world.mend()
      for _ in 0..<2 {
        try world.sandbox.keyplan("apply", "--yes", "--allow-forget", "--allow-retire", "--allow-overwrite")
      }
      try check(world, "seed \(seed), mended: \(history)")
    }
  }

  private mutating func check(_ world: ProgramWorld, _ words: String) throws {
    let statements = try ProgramStatements(world)
    let found = try statements.contradictions()
    #expect(found == [], "\(words)")
    agreeing += statements.agrees ? 1 : 0
    kinds.formUnion(statements.kinds)
  }
}
