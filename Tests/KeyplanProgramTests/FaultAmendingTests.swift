import Foundation
import Testing

/// Changes by hand, killed at each of their writing system calls: they are done, or nothing is, and the same again ends well.
@Suite("A change by hand that is killed at a system call")
struct FaultAmendingTests {
  struct Change: CustomTestStringConvertible {
    let command: [String]
    /// The value before and after.
    let values: [String]
    var testDescription: String { command.joined(separator: " ") }
  }

  static let changes = [
    Change(command: ["accept", "target.app.DELTA", "--yes"], values: ["delta-2", "mended"]),
    Change(command: ["state", "rollback", "delta", "--to", "1", "--yes"], values: ["delta-2", "delta-1"]),
  ]

  @Test("is done or not done", .enabled(if: FaultTracer.isWanted), arguments: changes)
  func whole(change: Change) throws {
    try FaultTracer.requireTracer()
    let applied = try FaultProject.changed(try FaultProject.applied())
    try #require(applied.keyplan("apply", "--yes", "--allow-forget").code == 0)
    let text = String(decoding: try #require(applied.content(of: "app.env")), as: UTF8.self)
    try applied.write(text.replacing("DELTA=delta-2", with: "DELTA=mended"), to: "app.env")
    var ends: Set<String> = []
    for call in ["openat", "pwrite64", "ftruncate", "fdatasync", "unlink"] {
      let counted = try FaultTracer(try ProgramSandbox(copying: applied), change.command).count(call)
      for number in FaultTracer.sample(counted, atMost: 5) {
        let sandbox = try ProgramSandbox(copying: applied)
        let place = "\(call) \(number) of \(counted)"
        _ = try FaultTracer(sandbox, change.command).apply(breaking: call, "signal=SIGKILL", at: number)
        let got = try sandbox.keyplan("get", "delta").out
        #expect(change.values.contains(got), "\(place): \(got)")
        ends.insert(got)
        let drift = try sandbox.keyplan("drift")
        #expect([0, 2].contains(drift.code), "\(place): \(drift.out)\(drift.err)")
        let again = try sandbox.start([Shell.program] + change.command).wait()
        // Done already, a rollback to what is current is refused.
        #expect(got == change.values[1] || again.code == 0, "\(place): \(again.out)\(again.err)")
        #expect(try sandbox.keyplan("get", "delta").out == change.values[1], "\(place)")
        let apply = try sandbox.keyplan("apply", "--yes")
        #expect(apply.code == 0, "\(place): \(apply.out)\(apply.err)")
        #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0, "\(place)")
      }
    }
    #expect(ends == Set(change.values), "both ends must have been seen")
  }
}
