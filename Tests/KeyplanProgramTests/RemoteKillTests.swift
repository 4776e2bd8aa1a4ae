import Foundation
import TestTools
import Testing

/// An apply that is killed when a service has carried out a write, and the answer has not arrived: nobody has recorded it. The
/// next apply finds out and ends in the same state as one that was not killed.
@Suite("A write that a killed apply did not record")
struct RemoteKillTests {
  @Test("is found by the next apply, which ends as if nothing had happened", arguments: ServiceCase.all)
  func killed(_ test: ServiceCase) throws {
    let running = try RunningService(test)
    let (sandbox, scratch) = (running.sandbox, running.scratch)
    try running.setUp()
    // The first write of a name, and the replacement of its value.
    for value in ["kp-first", "kp-second"] {
      sandbox.variables["PAYMENTS_VALUE"] = value
      try scratch.write(test.write, to: "armed")
      let killed = try sandbox.start([
        "sh", "-c", "echo $$ >'\(scratch["pid"])'; exec '\(Shell.program)' apply --yes",
      ]).wait()
      try #require(killed.code != 0, "was not killed: \(killed.out)\(killed.err)")
      #expect(access(scratch["armed"], F_OK) != 0, "no write came: \(killed.out)\(killed.err)")
      let applied = try sandbox.keyplan("apply", "--yes")
      #expect(applied.code == 0, "\(applied.out)\(applied.err)")
      let plan = try sandbox.keyplan("plan")
      #expect(plan.out.contains("No changes"), "\(plan.out)\(plan.err)")
      #expect(try sandbox.keyplan("drift").code == 0)
    }
  }
}
