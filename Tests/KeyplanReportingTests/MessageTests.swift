import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("The words of diagnostics and results")
struct MessageTests {
  private static let source = Reference(
    scheme: "dotenv", location: ".env", selector: "A", isFile: true, isLocal: true)
  private static let place = FileLocation(file: "keyplan.yaml", line: 9, column: 3)
  private static let end = Sample.moment("2026-11-01")

  @Test("a summary has five words at most, and no full stop", arguments: Diagnostic.Code.allCases)
  func summary(_ code: Diagnostic.Code) {
    #expect(code.summary.split(separator: " ").count <= 5 && !code.summary.hasSuffix("."))
  }

  @Test(
    "a key's",
    arguments: [
      (
        KeyIssue.notFound(at: [source], reason: "Version 3 was deleted on 2026-11-01."),
        "\"a\" has no value at dotenv://.env#A. Version 3 was deleted on 2026-11-01.",
        "Put the value where the source points, or correct the reference."
      ),
      (.noValue, "\"a\" has no source and no value yet.", "keyplan keys set a"),
      (
        .sourceFailed(
          source, AccessFailure(.throttled, "Too many.", retryAfter: Interval(seconds: 30)), recorded: true),
        "dotenv://.env#A for \"a\": Too many. The recorded value is kept.", "Run this again in 30 seconds."
      ),
      (
        .rejectedValue(at: source),
        "dotenv://.env#A still has the value of \"a\" that was replaced by `keyplan accept` or a rollback. keyplan ignores it.",
        "Put the intended value there. To store this one: keyplan accept key.a"
      ),
      (
        .earlierValue(at: source, version: 2, storedAt: end),
        "dotenv://.env#A has the value that \"a\" had as version 2, stored on 2026-11-01.",
        "Two writers may be overwriting each other."
      ),
      (
        .lastKeyKept(expiredOn: end),
        "\"a\" expired on 2026-11-01. It is still served, with a warning, because a slot or target has no other key.",
        "Issue a new key at the provider, put it where the source points, and run keyplan apply. "
          + "To retire this one anyway: --allow-retire."
      ),
      (
        .breaksRule(Sample.rule("strict"), at: place, .forbiddenKind("env", forbidden: ["env"])),
        "\"a\" has a source of the kind env, which the rule \"strict\" (keyplan.yaml:9:3) does not allow.",
        "Use a source of another kind than env."
      ),
      (
        .resembles(Sample.key("old")),
        "\"a\" has the value of \"old\", which is no longer declared and would be forgotten.",
        "To keep its history, add to `migrations`: { moved: old, to: a }"
      ),
    ] as [(KeyIssue, String, String?)])
  func keys(issue: KeyIssue, detail: String, hint: String?) {
    let message = Diagnostic(.key(Sample.key("a"), issue), at: Self.place).message
    #expect(message.detail == detail)
    #expect(message.hint == hint)
  }

  @Test(
    "a target's name the target and its place",
    arguments: [
      (
        TargetIssue.failed(AccessFailure(.denied, "The token lacks a right."), at: Sample.app),
        "target.app (app.env): The token lacks a right. Nothing is changed there.",
        "Grant access to the user or the credential that keyplan runs with."
      ),
      (
        .failed(AccessFailure(.denied, "No.", hint: "Give it secrets:write."), at: Sample.app),
        "target.app (app.env): No. Nothing is changed there.", "Give it secrets:write."
      ),
      (
        .stillHeld(Sample.app, names: ["A", "B"], .nothing), "app.env still contains A, B (not modified).", nil
      ),
      (
        .taken(Sample.app, names: ["A"], canBeRead: true),
        "app.env already has other values under A, which keyplan did not write.",
        "Set `takeOver: true` on target.app, or use --allow-overwrite for this once."
      ),
    ] as [(TargetIssue, String, String?)])
  func targets(issue: TargetIssue, detail: String, hint: String?) {
    let message = Diagnostic(.target(Sample.target("app"), issue)).message
    #expect(message.detail == detail)
    #expect(message.hint == hint)
  }

  @Test("a failure's kind has its advice, where its place gives none", arguments: AccessFailure.Kind.allCases)
  func advice(_ kind: AccessFailure.Kind) {
    let hasAdvice = kind != .unreachable && kind != .unreadable
    #expect((AccessFailure(kind, "No.").advice != nil) == hasAdvice)
    #expect(AccessFailure(kind, "No.", hint: "Wait.").advice == "Wait.")
  }

  @Test("a command that failed is not called unreachable, and neither is its code another one")
  func commands() {
    let command = Reference(scheme: "command", arguments: ["op"], isLocal: false)
    func diagnostic(_ source: Reference, _ kind: AccessFailure.Kind) -> Diagnostic {
      Diagnostic(.key(Sample.key("a"), .sourceFailed(source, AccessFailure(kind, "No."), recorded: nil)))
    }
    #expect(diagnostic(command, .unreachable).summary == "Source failed")
    #expect(diagnostic(command, .unreachable).code == .sourceUnreachable)
    #expect(diagnostic(command, .unreadable).summary == "Source unreadable")
    #expect(diagnostic(Self.source, .unreachable).summary == "Source unreachable")
  }

  @Test("many names are cut off and counted")
  func many() {
    let keys = (1...12).map { Sample.key("k\($0)") }
    let detail = Diagnostic(.store(.forgetsMany(keys, of: 20))).detail
    #expect(detail == "12 of 20 keys would be forgotten: k1, k2, k3, k4, k5, k6, k7, k8 and 4 more.")
  }

  @Test("why somebody must sign in is told from the times")
  func signIn() {
    let need = AccountNeed(facts: Sample.google, reason: .ended)
    #expect(AccountMessages.sentence(need) == "Google rejects the refresh token (expired or revoked).")
    #expect(
      AccountMessages.ended(need, .testing(days: 7))
        == "Google rejects the refresh token, 7 days after consent: probably an app in testing mode")
    #expect(
      AccountMessages.ended(need, .unused(.days(199)))
        == "Google rejects the refresh token, which was not used for 199 days")
    let other = AccountNeed(facts: Sample.google, reason: .otherAccount, found: "eve@gmail.com")
    #expect(AccountMessages.need(other) == "the sign-in is for eve@gmail.com, but ada@gmail.com is declared")
  }

  @Test(
    "why a step is not done",
    arguments: [
      (StepResult.done, nil),
      (
        .failed(
          .nameRefused(
            "B", AccessFailure(.unreadable, "It may not be written."), more: 0, .init(done: 1, all: 2))),
        "B: It may not be written. 1 of 2 names are done."
      ),
      (.failed(.notRecorded(StoreError(.io, "Disk full."))), "It was done, but could not be recorded. Disk full."),
      (
        .stale(.changed(.record(.key(Sample.key("a"))))), "key.a was changed since it was planned."
      ),
      (.notTried(.dependency(.target(Sample.target("app")))), "It waits for target.app."),
      (.needsPerson(AccountNeed(facts: Sample.google, reason: .never)), "Not signed in yet."),
    ] as [(StepResult, String?)])
  func results(result: StepResult, reason: String?) {
    #expect(result.reason == reason)
  }

  @Test("a saved diagnostic keeps its words")
  func saved() {
    let back = Sample.warning.saved.diagnostic
    #expect(back.message == Sample.warning.message)
    #expect(
      (back.code, back.place, back.address) == (Sample.warning.code, Sample.warning.place, Sample.warning.address))
    #expect(Sample.unreachable.saved.diagnostic.failure == .unreachable)
  }
}
