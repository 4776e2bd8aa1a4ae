import Foundation
import PostgresForTests
import TestTools
import Testing

/// A rotation at a provider that fails: nothing is lost, and the next apply or rotation ends as if nothing had happened.
@Suite("A rotation at a provider that fails")
struct RotationFaultTests {
  struct Trouble: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// As the fake has it, in JSON; nil for none.
    var fault: String?
    var mode: String?
    var credential = RotationProject.credential
    let code: Int32
    let says: String
    /// Whether the next apply completes the rotation. Otherwise nothing happened, and it has to be asked for again.
    var isOpen = true

    static let all = [
      Trouble(
        testDescription: "too many requests", fault: answer(429, #""headers": {"retry-after": "7"}, "writes": true"#),
        code: 8, says: "Run this again in 7 seconds", isOpen: false),
      Trouble(testDescription: "an exhausted quota", mode: "full", code: 1, says: "refused the request", isOpen: false),
      Trouble(
        testDescription: "another management key", credential: "made-up-and-rejected-Gm3Tz8Pf1Ku6", code: 1,
        says: "renew the credential", isOpen: false),
      Trouble(
        testDescription: "a management key with too few rights", credential: "limited", code: 1, says: "HTTP 403",
        isOpen: false),
      Trouble(testDescription: "a lost answer", fault: #"{"kind": "dropAfter"}"#, code: 8, says: "may have made a key"),
      Trouble(testDescription: "a lost request", fault: #"{"kind": "drop"}"#, code: 8, says: "may have made a key"),
      Trouble(testDescription: "a login page", fault: answer(200, login), code: 8, says: "not JSON"),
      Trouble(testDescription: "a redirection", fault: answer(302, login), code: 8, says: "may have made a key"),
      Trouble(testDescription: "an outage", fault: answer(503), code: 8, says: "HTTP 503"),
      Trouble(
        testDescription: "an outage as the old key is disabled", fault: answer(503, #""methods": ["PATCH"]"#), code: 3,
        says: "nothing confirms that"),
      Trouble(
        testDescription: "an outage as the old key is revoked", fault: answer(503, #""methods": ["DELETE"]"#), code: 3,
        says: "nothing confirms that"),
      Trouble(
        testDescription: "a login page as the old key is revoked",
        fault: answer(200, login + #", "methods": ["DELETE"]"#),
        code: 3, says: "not JSON"),
      Trouble(
        testDescription: "a lost answer as the old key is revoked",
        fault: #"{"kind": "dropAfter", "times": 1, "methods": ["DELETE"]}"#, code: 0, says: "1 revoked"),
      Trouble(
        testDescription: "too few rights as the old key is revoked", fault: answer(403, #""methods": ["DELETE"]"#),
        code: 3, says: "HTTP 403"),
    ]

    private static let login = #""headers": {"content-type": "text/html"}, "body": "<html>Sign in</html>""#

    private static func answer(_ status: Int, _ more: String = #""body": """#) -> String {
      #"{"kind": "answer", "status": \#(status), "times": 99, \#(more)}"#
    }
  }

  @Test("loses nothing, says what to do, and is completed once that is done", arguments: Trouble.all)
  func recovers(from trouble: Trouble) throws {
    try Self.check(trouble)
  }

  static func check(_ trouble: Trouble) throws {
    let project = try RotationProject("openrouter")
    let sandbox = project.sandbox
    let old = try project.expectOneKey("before")
    if let fault = trouble.fault { try RotationProject.control("fault", json: fault, at: project.address) }
    if let mode = trouble.mode { try project.control("mode", ["mode": mode]) }
    sandbox.variables["MGMT"] = trouble.credential
    let rotated = try sandbox.start(RotationProject.rotation).wait()
    let said = rotated.out + rotated.err
    #expect(rotated.code == trouble.code, "\(rotated.code)\n\(said)")
    #expect(said.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(trouble.says), "\(said)")
    if !trouble.isOpen { #expect(rotated.out.contains("run the same command again"), "\(said)") }
    let drift = try sandbox.keyplan("drift")
    #expect([0, 2].contains(drift.code), "\(drift.code)\n\(drift.out)\(drift.err)")
    try project.expectNoSecret(in: [said, drift.out, drift.err], "with the fault")
    try project.expectWorking("with the fault")

    try project.control("recover")
    sandbox.variables["MGMT"] = RotationProject.credential
    let recovered = try project.recover("once it is over")
    if !trouble.isOpen {
      #expect(try project.expectOneKey("nothing happened") == old)
      let again = try sandbox.start(RotationProject.rotation).wait()
      #expect(again.code == 0, "\(again.out)\(again.err)")
      #expect(try project.isConverged())
    }
    #expect(try project.expectOneKey("at the end")?.id != old?.id)
    #expect(try sandbox.keyplan("drift").code == 0)
    try project.expectWorking("at the end")
    try project.expectNoSecret(in: [recovered], "at the end")
  }

  @Test("waits for a provider that knows a new key only after some seconds") func young() throws {
    let project = try RotationProject("openrouter")
    try project.control("mode", ["mode": "young"])
    let rotated = try project.sandbox.start(RotationProject.rotation).wait()
    #expect(rotated.code == 0, "\(rotated.out)\(rotated.err)")
    try project.expectOneKey("at the end")
    try project.expectWorking("at the end")
    #expect(try project.isConverged())
  }
}

/// What of it takes half a minute: a provider that does not answer about a new key is asked again for so long.
@Suite("A rotation at a provider that does not know its new key")
struct RotationCheckTests {
  static let troubles = [
    RotationFaultTests.Trouble(
      testDescription: "an outage of the check",
      fault: #"{"kind": "answer", "status": 503, "times": 99, "methods": ["GET"], "body": ""}"#, code: 3,
      says: "The new key is not used yet"),
    RotationFaultTests.Trouble(
      testDescription: "a check that refuses it",
      fault:
        #"{"kind": "answer", "status": 401, "times": 99, "methods": ["GET"], "body": "{\"error\": {\"code\": 401}}"}"#,
      code: 3, says: "The new key is not used"),
  ]

  @Test("keeps the old key, and uses the new one once the provider accepts it", arguments: troubles)
  func kept(_ trouble: RotationFaultTests.Trouble) throws { try RotationFaultTests.check(trouble) }
}

/// A replaced key works for some time: what reads the target may have it in memory.
@Suite("A rotation with an overlap")
struct RotationOverlapTests {
  @Test("leaves the old keys usable until it is over, and then ends them", arguments: ["openrouter", "twilio"])
  func overlap(provider: String) throws {
    let project = try RotationProject(provider)
    let sandbox = project.sandbox
    let first = try #require(try project.expectOneKey("before"))
    try project.write(overlap: "1h")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    _ = try project.requests()
    for _ in 0..<2 {
      let rotated = try sandbox.start(RotationProject.rotation).wait()
      #expect(
        rotated.code == 0 && rotated.out.contains(first.id), "it says which key waits: \(rotated.out)\(rotated.err)")
    }
    #expect(try project.requests().allSatisfy { !$0.hasPrefix("DELETE") && !$0.hasPrefix("PATCH") })
    let keys = try project.keys().filter { !project.foreign.contains($0.id) }
    #expect(keys.count == 3 && keys.allSatisfy { !$0.disabled }, "\(keys)")
    let newest = try #require(keys.last)
    for target in RotationProject.targets {
      #expect(try project.held(by: target).values.contains(newest.value), "\(target)")
    }
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 0 && keys.dropLast().allSatisfy { plan.out.contains($0.id) }, "\(plan.out)\(plan.err)")
    #expect(try sandbox.keyplan("drift").code == 0)

    try project.write(overlap: "1s")
    let deadline = Deadline()
    while true {
      let plan = try sandbox.keyplan("plan").out
      if keys.dropLast().allSatisfy({ plan.contains("old key revoked") && plan.contains($0.id) }) { break }
      try #require(!deadline.isOver, "\(plan)")
      usleep(100_000)
    }
    let said = try project.recover("after the overlap")
    #expect(try project.expectOneKey("after the overlap")?.id == newest.id, "\(said)")
    let ends = try project.requests().filter { $0.hasPrefix("DELETE") || $0.hasPrefix("PATCH") }
    #expect(ends.count == (provider == "openrouter" ? 4 : 2), "\(ends)")
    try project.expectWorking("after the overlap")
    try project.expectNoSecret(in: [plan.out, plan.err, said], "after the overlap")
  }
}
