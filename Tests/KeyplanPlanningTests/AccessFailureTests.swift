import KeyplanModel
import KeyplanPlanning
import Testing

@Suite("A failure outside")
struct AccessFailureTests {
  @Test(
    "goes to the diagnostic with its kind, and never looks like a missing value",
    arguments: [
      (kind: .denied, code: .sourceUnreadable),
      (kind: .unauthenticated, code: .sourceUnreadable),
      (kind: .throttled, code: .sourceUnreachable),
      (kind: .sealed, code: .sourceUnreachable),
      (kind: .unreachable, code: .sourceUnreachable),
      (kind: .unreadable, code: .sourceUnreadable),
    ] as [(kind: AccessFailure.Kind, code: Diagnostic.Code)])
  func source(_ given: (kind: AccessFailure.Kind, code: Diagnostic.Code)) throws {
    var scene = Scene()
    scene.settled("a")
    let failure = AccessFailure(given.kind, "No.", retryAfter: Interval(seconds: 30))
    scene.find("a", .failed(index: 0, failure))
    let (plan, diagnostics) = scene.plan()
    let reported = try #require(diagnostics.first)
    #expect(plan.steps.isEmpty && diagnostics.count == 1)
    #expect(
      reported.code == given.code && reported.failure == given.kind
        && reported.code.isUnreachable == given.kind.isOutage)
    #expect(reported.issue == .key(named("a"), .sourceFailed(remote("a"), failure, recorded: true)))
  }

  @Test("at a target blocks it with its kind")
  func target() throws {
    var scene = Scene()
    scene.settled("a")
    scene.target("app", [from("K", "a")])
    let failure = AccessFailure(.denied, "The token lacks a right.", hint: "Give it secrets:write.")
    scene.observed.targets[place(".env")] = .failed(failure)
    let reported = try #require(scene.plan().diagnostics.first)
    #expect(reported.code == .targetUnreadable && reported.failure == .denied)
    #expect(reported.issue == .target(named("app"), .failed(failure, at: place(".env"))))
  }

  @Test("a reason why nothing is there is reported with the missing value")
  func absence() throws {
    var scene = Scene()
    scene.declare("a")
    scene.find("a", .missing)
    scene.observed.absences[named("a")] = "Version 3 was deleted on 2026-11-01."
    let reported = try #require(scene.plan().diagnostics.first)
    let reason = "Version 3 was deleted on 2026-11-01."
    #expect(reported.issue == .key(named("a"), .notFound(at: [remote("a")], reason: reason)))
  }
}
