import Foundation
import Testing

/// Changes by hand, killed at each of their writing system calls: they are done, or nothing is, and the same again ends well.
@Suite("A change by hand that is killed at a system call")
struct FaultAmendingTests {
  struct Change: CustomTestStringConvertible {
    let command: [String]
    /// What of it can be seen, and what is seen before and after.
    let look: @Sendable (ProgramSandbox) throws -> String
    let ends: [String]
    /// The same again, where it was done already.
    var repeated: Set<Int32> = [0]
    /// Whether the target has a value of its own, which the change is about.
    var isMended = false
    /// What `plan --detailed-exitcode` says when all is done: a revoked key that a target names is an error until it is
    /// replaced, and so is one without a source that was purged.
    var plan: Int32 = 0
    var testDescription: String { command.joined(separator: " ") }
  }

  static let changes = [
    Change(
      command: ["accept", "target.app.DELTA", "--yes"], look: value, ends: ["delta-2", "mended"], isMended: true),
    // Done already, a rollback to what is current is refused.
    Change(
      command: ["keys", "rollback", "delta", "--to", "1", "--yes"], look: value, ends: ["delta-2", "delta-1"],
      repeated: [1], isMended: true),
    Change(
      command: ["keys", "revoke", "delta", "--reason", "in a log", "--yes", "--leave-without"], look: value,
      ends: ["delta-2", "revoked"],
      plan: 1),
    Change(command: ["keys", "set", "given", "--generate", "--yes"], look: generated, ends: ["given-1", "generated"]),
    Change(
      command: ["keys", "purge", "delta", "--yes"], look: versions,
      ends: ["delta-2 of 2 versions", "delta-2 of 1 version"]),
    Change(
      command: ["keys", "purge", "given", "--all", "--allow-forget", "--yes"], look: given,
      ends: ["given-1", "purged"],
      repeated: [1], plan: 1),
  ]

  @Sendable private static func value(_ sandbox: ProgramSandbox) throws -> String {
    let got = try sandbox.keyplan("get", "delta")
    return got.err.contains("Key is revoked") ? "revoked" : got.out
  }

  @Sendable private static func given(_ sandbox: ProgramSandbox) throws -> String {
    let got = try sandbox.keyplan("get", "given")
    return got.err.contains("Not recorded") ? "purged" : got.out
  }

  @Sendable private static func generated(_ sandbox: ProgramSandbox) throws -> String {
    let got = try sandbox.keyplan("get", "given").out
    return got.wholeMatch(of: /[0-9a-f]{64}/) == nil ? got : "generated"
  }

  @Sendable private static func versions(_ sandbox: ProgramSandbox) throws -> String {
    let history = try sandbox.keyplan("keys", "history", "key.delta", "--json").out
    let count = history.matches(of: /"isCurrent":/).count
    return try "\(sandbox.keyplan("get", "delta").out) of \(count) version\(count == 1 ? "" : "s")"
  }

  /// Two versions of each key, and nothing left to do.
  private static func applied(for change: Change) throws -> ProgramSandbox {
    let applied = try FaultProject.changed(try FaultProject.applied())
    try #require(applied.keyplan("apply", "--yes", "--allow-forget").code == 0)
    if change.isMended {
      let text = String(decoding: try #require(applied.content(of: "app.env")), as: UTF8.self)
      try applied.write(text.replacing("DELTA=delta-2", with: "DELTA=mended"), to: "app.env")
    }
    return applied
  }

  @Test("is done or not done", needsTracer, arguments: changes)
  func whole(change: Change) throws {
    try FaultTracer.requireTracer()
    let applied = try Self.applied(for: change)
    try #require(change.look(applied) == change.ends[0])
    var ends: Set<String> = []
    for call in ["openat", "pwrite64", "ftruncate", "fdatasync", "unlink"] {
      let counted = try FaultTracer(try ProgramSandbox(copying: applied), change.command).count(call)
      for number in FaultTracer.sample(counted, atMost: 5) {
        let sandbox = try ProgramSandbox(copying: applied)
        let place = "\(call) \(number) of \(counted)"
        _ = try FaultTracer(sandbox, change.command).apply(breaking: call, "signal=SIGKILL", at: number)
        let found = try change.look(sandbox)
        #expect(change.ends.contains(found), "\(place): \(found)")
        ends.insert(found)
        let drift = try sandbox.keyplan("drift")
        #expect([0, 2].contains(drift.code), "\(place): \(drift.out)\(drift.err)")
        let again = try sandbox.start([Shell.program] + change.command).wait()
        let isRepeated = found == change.ends[1] && change.repeated.contains(again.code)
        #expect(again.code == 0 || isRepeated, "\(place): \(again.out)\(again.err)")
        #expect(try change.look(sandbox) == change.ends[1], "\(place)")
        try checkEnd(of: sandbox, after: change, place)
      }
    }
    #expect(ends == Set(change.ends), "both ends must have been seen")
  }

  /// The next apply does what follows from it, and has then nothing left to do.
  private func checkEnd(of sandbox: ProgramSandbox, after change: Change, _ place: String) throws {
    let apply = try sandbox.keyplan("apply", "--yes", "--allow-forget")
    #expect(change.plan == 0 ? apply.code == 0 : [0, 1, 3].contains(apply.code), "\(place): \(apply.out)\(apply.err)")
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == change.plan, "\(place): \(plan.out)\(plan.err)")
    #expect(plan.out.contains("No changes") || !plan.out.contains("Plan: "), "\(place): \(plan.out)")
    guard change.ends[1] == "revoked" else { return }
    let target = String(decoding: sandbox.content(of: "app.env") ?? [], as: UTF8.self)
    #expect(!target.contains("delta-2"), "\(place): \(target)")
    #expect(try change.look(sandbox) == "revoked", "\(place): an apply made a revoked value usable")
  }
}
