import Foundation
import Testing

/// `restore`, broken at each of its writing system calls in turn. The same command again completes it.
@Suite("A restore that breaks at a system call")
struct FaultRestoreTests {
  struct Fault: CustomTestStringConvertible {
    let how: String
    let isStoreLost: Bool
    var testDescription: String { "\(how), \(isStoreLost ? "without a store" : "over the store there is")" }
  }

  static let faults = ["signal=SIGKILL", "error=ENOSPC"].flatMap { how in
    [false, true].map { Fault(how: how, isStoreLost: $0) }
  }

  private static let command = ["restore", "b.age", "--yes"]

  /// A backup with `value-2`, and a store that went on to `value-3`, or is lost.
  private static func sandbox(isStoreLost: Bool) throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write(
      """
      version: 1
      keys:
        a: { provider: generic, source: file://a.txt, variable: A }
        given: { provider: generic, variable: GIVEN }

      """, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("keys", "set", "given", "--yes", input: .text("given-value\n")).code == 0)
    for value in ["value-1", "value-2", "value-3"] {
      try sandbox.write(value + "\n", to: "a.txt")
      try #require(sandbox.keyplan("apply", "--yes").code == 0)
      if value == "value-2" { try #require(sandbox.keyplan("backup", "b.age").code == 0) }
    }
    try sandbox.write("value-2\n", to: "a.txt")
    if isStoreLost { try #require(unlink(sandbox.store) == 0) }
    return sandbox
  }

  @Test(
    "loses nothing, and is completed by the next one", needsTracer, arguments: faults)
  func completed(fault: Fault) throws {
    try FaultTracer.requireTracer()
    let before = try Self.sandbox(isStoreLost: fault.isStoreLost)
    let backup = before.content(of: "b.age")
    var (tried, hit) = (0, 0)
    for call in ["openat", "pwrite64", "ftruncate", "fdatasync", "fsync", "renameat", "unlink"] {
      let counted = try FaultTracer(try ProgramSandbox(copying: before), Self.command).count(call)
      for number in FaultTracer.sample(counted, atMost: 4) {
        let sandbox = try ProgramSandbox(copying: before)
        let place = "\(fault) at \(call) \(number) of \(counted)"
        let broken = try FaultTracer(sandbox, Self.command).apply(breaking: call, fault.how, at: number)
        tried += 1
        hit += broken.isHit ? 1 : 0
        #expect([0, 1, 9, 137].contains(broken.answer.code), "\(place): \(broken.answer.code) \(broken.answer.err)")
        #expect(sandbox.content(of: "b.age") == backup, "\(place)")

        let got = try sandbox.keyplan("get", "a")
        let isWhole = got.code == 0 && ["value-2", "value-3"].contains(got.out)
        #expect(isWhole || fault.isStoreLost && got.code == 9, "\(place): \(got.out)\(got.err)")
        let again = try sandbox.start([Shell.program] + Self.command).wait()
        #expect(again.code == 0, "\(place): \(again.code) \(again.out)\(again.err)")
        // Nothing is done twice where nothing was left to do.
        if got.out == "value-2", broken.answer.code != 0 {
          #expect(again.out.contains("Already restored"), "\(place): \(again.out)")
        }

        #expect(try sandbox.keyplan("get", "a").out == "value-2", "\(place)")
        #expect(try sandbox.keyplan("get", "given").out == "given-value", "\(place)")
        let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
        #expect(plan.code == 0, "\(place): \(plan.out)\(plan.err)")
        let pins = String(decoding: sandbox.content(of: "keyplan.lock") ?? [], as: UTF8.self)
        #expect(pins.split(separator: "\n").count == 2, "\(place): \(pins)")
      }
    }
    #expect(hit > 8 && hit * 10 > tried * 7, "most of the faults must have happened: \(hit) of \(tried)")
  }
}
