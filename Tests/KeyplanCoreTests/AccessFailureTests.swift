import KeyplanCore
import Testing

@Suite("A failure outside")
struct AccessFailureTests {
  @Test(
    "goes to the diagnostic with its kind and a hint, and never looks like a missing value",
    arguments: [
      (kind: .denied, code: .sourceUnreadable, hint: "Grant"),
      (kind: .unauthenticated, code: .sourceUnreadable, hint: "Sign in"),
      (kind: .throttled, code: .sourceUnreachable, hint: "in 30 seconds"),
      (kind: .sealed, code: .sourceUnreachable, hint: "Unlock"),
      (kind: .unreachable, code: .sourceUnreachable, hint: nil),
      (kind: .unreadable, code: .sourceUnreadable, hint: nil),
    ] as [(kind: AccessFailure.Kind, code: Diagnostic.Code, hint: String?)])
  func source(_ given: (kind: AccessFailure.Kind, code: Diagnostic.Code, hint: String?)) throws {
    var scene = Scene()
    scene.settled("a")
    scene.find("a", .failed(index: 0, AccessFailure(given.kind, "No.", retryAfter: Interval(seconds: 30))))
    let (plan, diagnostics) = scene.plan()
    let told = try #require(diagnostics.first)
    #expect(plan.steps.isEmpty && diagnostics.count == 1)
    #expect(told.code == given.code && told.failure == given.kind && told.code.isUnreachable == given.kind.isOutage)
    #expect(told.hint == given.hint || told.hint?.contains(given.hint ?? "?") == true, "\(told.hint ?? "-")")
  }

  @Test("at a target blocks it with its kind and the hint that its place gives")
  func target() throws {
    var scene = Scene()
    scene.settled("a")
    scene.target("app", [from("K", "a")])
    scene.observed.targets[place(".env")] = .failed(
      AccessFailure(.denied, "The token lacks a right.", hint: "Give it secrets:write."))
    let told = try #require(scene.plan().diagnostics.first)
    #expect(told.code == .targetUnreadable && told.failure == .denied && told.hint == "Give it secrets:write.")
  }

  @Test("a reason why nothing is there is told with the missing value")
  func absence() throws {
    var scene = Scene()
    scene.declare("a")
    scene.find("a", .missing)
    scene.observed.absences[named("a")] = "Version 3 was deleted on 2026-11-01."
    let told = try #require(scene.plan().diagnostics.first)
    #expect(told.code == .secretNotFound && told.detail.hasSuffix("Version 3 was deleted on 2026-11-01."))
  }
}
