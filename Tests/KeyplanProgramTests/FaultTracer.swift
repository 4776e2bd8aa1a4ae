import Foundation
import Testing

/// Runs a command, an apply unless another is named, under strace, which counts the calls that write below the project and breaks one of them.
struct FaultTracer {
  private let sandbox: ProgramSandbox
  private let command: [String]
  /// Only calls that have to do with these paths are counted and broken.
  private let places: [String]

  init(
    _ sandbox: ProgramSandbox, _ command: [String] = ["apply", "--yes", "--allow-forget"], at places: [String]? = nil
  ) {
    self.sandbox = sandbox
    self.command = command
    self.places = places ?? Self.places(in: sandbox)
  }

  /// Without strace there is nothing to run; CI must have it.
  static var isWanted: Bool { isThere || ProcessInfo.processInfo.environment["CI"] != nil }
  private static let isThere = ["/usr/bin/strace", "/usr/local/bin/strace", "/bin/strace"].contains { (path: String) in
    access(path, X_OK) == 0
  }

  static func requireTracer() throws { try #require(isThere, "CI runs these tests, and needs strace") }

  /// All numbers of a call, or a sample of those of a frequent one: an even one, the same every time, or one that
  /// `KEYPLAN_TEST_SEED` chooses, so that runs add up. `KEYPLAN_TEST_FAULTS=all` tries every one.
  static func sample(_ count: Int, atMost limit: Int) -> [Int] {
    let variables = ProcessInfo.processInfo.environment
    guard count > limit, variables["KEYPLAN_TEST_FAULTS"] != "all" else { return Array(1..<count + 1) }
    if let seed = variables["KEYPLAN_TEST_SEED"].flatMap({ UInt64($0) }) {
      var random = SplitMix(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(count))
      return Array((1...count).shuffled(using: &random).prefix(limit)).sorted()
    }
    // Not quite even, so that the sample does not stand at the same place of every commit.
    return (0..<limit).map { 1 + ($0 * (count - 1) + $0 % 3) / (limit - 1) }.filter { $0 <= count }
  }

  /// A small generator (SplitMix64) whose numbers hang on its seed alone.
  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// Every command that writes to a store makes them. A loop over the faults of a call that is gone from the program would pass.
  private static let certain: Set<String> = ["openat", "pwrite64", "fdatasync"]

  /// How often an unbroken run makes this call.
  func count(_ call: String) throws -> Int {
    let count = try lines(of: [call]).count { $0.contains(" \(call)(") }
    try #require(count > 0 || !Self.certain.contains(call), "\(call) does not occur")
    return count
  }

  /// The lines of these calls in an unbroken run.
  func lines(of calls: [String]) throws -> [Substring] {
    let answer = try trace(["-e", "trace=" + calls.joined(separator: ",")])
    try #require(answer.code == 0, "\(answer.err)")
    return try log()
  }

  /// Applies, and breaks the n-th such call. Whether it came to that.
  func apply(breaking call: String, _ how: String, at number: Int) throws -> (answer: ProgramRun.Answer, isHit: Bool) {
    let answer = try trace(["-e", "trace=\(call)", "-e", "inject=\(call):\(how):when=\(number)"])
    return (answer, try answer.code == 137 || log().contains { $0.contains("(INJECTED)") })
  }

  private func log() throws -> [Substring] {
    try String(contentsOfFile: sandbox.root + "/strace.log", encoding: .utf8).split(separator: "\n")
  }

  private func trace(_ options: [String]) throws -> ProgramRun.Answer {
    // strace counts by thread: on one processor one thread does nearly all, and the numbers mean the same every time.
    let pinned = ["taskset", "-c", "0", "strace", "-f", "-y", "-o", sandbox.root + "/strace.log"]
    return try ProgramRun.start(
      pinned + places.flatMap { ["-P", $0] } + options + [Shell.program] + command,
      sandbox.variables, in: sandbox.project, .none, sandbox.root + "/streams/traced"
    ).wait()
  }

  /// What an apply writes to.
  private static func places(in sandbox: ProgramSandbox) -> [String] {
    let project = sandbox.project
    var places = [project, project + "/.keyplan", sandbox.store, sandbox.store + "-journal", sandbox.store + ".lock"]
    for name in ["app.env", "web.json", "moved.json", "gone.env", "keyplan.lock"] {
      for ending in [".keyplan-new", ".keyplan-was"] { places += [name + ending, project + "/" + name + ending] }
    }
    return places + [sandbox.root + "/streams/traced.out", sandbox.root + "/streams/traced.err"]
  }
}

/// Skipped without strace, which CI must have: each such test calls `FaultTracer.requireTracer`.
let needsTracer: ConditionTrait = .enabled(if: FaultTracer.isWanted, "SKIPPED: needs strace")
