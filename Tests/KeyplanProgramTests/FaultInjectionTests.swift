import Foundation
import Testing

/// One apply, broken at each of its writing system calls in turn. Whatever breaks, the next plan shows what is left and
/// the next apply ends where the unbroken run would have.
@Suite("An apply that breaks at a system call")
struct FaultInjectionTests {
  /// How a call is broken, and which calls are.
  struct Fault: CustomTestStringConvertible {
    let how: String
    let calls: [String]
    var rekeys = false
    /// How many of a frequent call's occurrences are tried.
    var sample = 4
    var testDescription: String { how + (rekeys ? ", with a fresh root key" : "") }
  }

  static let making = ["openat", "pwrite64", "write", "ftruncate", "fchmod", "fchown", "flock"]
  static let keeping = ["fsync", "fdatasync", "renameat", "renameat2", "symlinkat", "unlink", "unlinkat"]
  static let faults = [
    Fault(how: "signal=SIGKILL", calls: making + keeping, sample: 8),
    Fault(how: "signal=SIGKILL", calls: ["openat", "pwrite64", "ftruncate"] + keeping, rekeys: true, sample: 8),
    Fault(how: "error=ENOSPC", calls: ["openat", "pwrite64", "write", "fsync", "fdatasync", "renameat", "renameat2"]),
    Fault(how: "error=ENOSPC", calls: ["pwrite64", "fdatasync"], rekeys: true),
    Fault(how: "error=EIO", calls: ["pwrite64", "ftruncate", "fchmod"] + keeping),
    Fault(how: "error=EINTR", calls: making + keeping),
    // A file system that cannot exchange files, and one without symbolic links.
    Fault(how: "error=EINVAL", calls: ["renameat2"], sample: 8),
    Fault(how: "error=EPERM", calls: ["symlinkat"], sample: 8),
  ]

  @Test("loses nothing, and the next one completes it", needsTracer, arguments: faults)
  func losesNothing(fault: Fault) throws {
    try FaultTracer.requireTracer()
    let applied = try FaultProject.applied()
    let unbroken = try FaultProject.changed(applied, rekeys: fault.rekeys)
    let whole = try unbroken.keyplan("apply", "--yes", "--allow-forget")
    try #require(whole.code == 0, "\(whole.out)\(whole.err)")
    let reference = try FaultOutcome(of: unbroken)
    var (tried, hit) = (0, 0)
    for call in fault.calls {
      let counted = try FaultTracer(try FaultProject.changed(applied, rekeys: fault.rekeys)).count(call)
      for number in FaultTracer.sample(counted, atMost: fault.sample) {
        // strace counts by thread. On a loaded machine another thread may make the last calls, and none of them is broken.
        for earlier in 0..<min(4, number) {
          let place = "\(fault.how) at \(call) \(number - earlier) of \(counted)"
          let sandbox = try FaultProject.changed(applied, rekeys: fault.rekeys)
          let broken = try FaultTracer(sandbox).apply(breaking: call, fault.how, at: number - earlier)
          try reference.check(sandbox, after: broken.answer, place)
          if broken.isHit {
            hit += 1
            break
          }
        }
        tried += 1
      }
    }
    print("\(fault.testDescription): \(tried) runs, \(hit) of them broken")
    #expect(tried >= 2 * fault.calls.count && hit * 10 > tried * 8, "most of the faults must have happened")
  }
}

/// What a complete run leaves behind, and the promises that hold after a broken one.
struct FaultOutcome {
  private let files: [String]
  private let targets: [String: [UInt8]]
  private let values: [String: String]
  private let records: String

  init(of sandbox: ProgramSandbox) throws {
    files = sandbox.files()
    targets = Dictionary(
      uniqueKeysWithValues: ["app.env", "web.json", "moved.json", "gone.env", "legacy.env"].compactMap { name in
        sandbox.content(of: name).map { (name, $0) }
      })
    values = try Self.values(of: sandbox)
    let shown = try sandbox.keyplan("show", "--json")
    // Only when, and under which serial, may differ; and fingerprints, which are random with a fresh root key.
    let varying =
      /"(storedAt|syncedAt|since|revision|serial|appliedAt|id|fingerprint)":("[0-9a-f]*"|"[-0-9T:]+Z"|[0-9]+)/
    // A broken run is remembered, and what is left of it is another plan.
    let run = /"lastApply":\{.*?"incomplete":(?:true|false)\},/
    records = shown.err + shown.out.replacing(run, with: "").replacing(varying, with: "")
  }

  /// Every value that the store gives, by its variable.
  static func values(of sandbox: ProgramSandbox) throws -> [String: String] {
    let answer = try sandbox.keyplan("env", "--format", "json")
    guard answer.code == 0 else { return ["error": answer.err] }
    return try JSONDecoder().decode([String: String].self, from: Data(answer.out.utf8))
  }

  func check(_ sandbox: ProgramSandbox, after broken: ProgramRun.Answer, _ place: String) throws {
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode", "--allow-forget")
    #expect([0, 2].contains(plan.code), "plan after \(place): \(plan.code)\n\(plan.out)\(plan.err)")
    let drift = try sandbox.keyplan("drift")
    #expect([0, 2].contains(drift.code), "drift after \(place): \(drift.code)\n\(drift.out)\(drift.err)")
    if broken.code == 0 { #expect(plan.code == 0, "\(place): done was said, and there is more to do\n\(plan.out)") }

    for line in broken.err.split(separator: "\n") {
      guard let (_, key) = try /(?:stored|replaced) key\.([a-z]+)/.wholeMatch(in: line)?.output else { continue }
      let got = try sandbox.keyplan("get", String(key)).out
      #expect(Self.second[String(key)] == got, "\(place): \(line), and it holds \(got)")
    }
    let adopted = try FaultProject.adopted(2, in: sandbox)
    #expect(adopted.isLeft || adopted.isKept, "\(place): the value to adopt is lost")
    let kept = try Self.values(of: sandbox)
    #expect(Set(kept.keys).isSuperset(of: ["DELTA", "EPSILON", "GAMMA", "GIVEN"]), "\(place): \(kept)")

    let again = try sandbox.keyplan("apply", "--yes", "--allow-forget")
    #expect(again.code == 0, "apply after \(place): \(again.code)\n\(again.out)\(again.err)")
    let empty = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(empty.code == 0, "plan after the apply after \(place): \(empty.code)\n\(empty.out)")
    try expectSame(sandbox, place)
  }

  func expectSame(_ sandbox: ProgramSandbox, _ place: String = "it") throws {
    let found = try FaultOutcome(of: sandbox)
    #expect(found.targets == targets, "targets after \(place)")
    #expect(found.values == values, "values after \(place)")
    #expect(found.records == records, "records after \(place)")
    #expect(found.files == files, "files after \(place)")
  }

  private static let second = [
    "alpha": "alpha-2", "beta": "beta 2", "gamma": "gamma-2", "delta": "delta-2", "epsilon": "epsilon-2",
    "fresh": "alpha-2",
  ]
}
