import KeyplanModel
import KeyplanPlanning
import Testing

/// Declared × recorded × marks, at places that do not show their values.
@Suite("A place that shows marks and no values")
struct MarkTableTests {
  static let taken = ["targetTaken target.app"]
  private static let app: Identifier<Target> = named("app")

  static let rows: [KeyTableTests.Row] = [
    .init("nothing recorded, nothing there: written", steps: ["sync target.app K:new (manifest)"]) {
      $0.app(nil, shown: [:])
    },
    .init("nothing recorded, something there: guarded", steps: ["sync target.app K:takeOver (manifest)"], faults: taken)
    {
      $0.app(nil, shown: ["K": Mark("1")])
    },
    .init(
      "nothing recorded, something there, with takeOver",
      steps: [
        "guard rules -target.app takes over values that are there (manifest)", "sync target.app K:takeOver (manifest)",
      ]
    ) {
      $0.app(nil, shown: ["K": Mark("1")])
      $0.target("app", [from("K", "a")], takeOver: true)
    },
    .init("ours, gone: written again", steps: ["sync target.app K:missingThere (drift)"]) {
      $0.app(entry("one", Mark("1")), shown: [:])
    },
    .init("ours, the same mark, the value that is wanted: nothing") {
      $0.app(entry("one", Mark("1")), shown: ["K": Mark("1")])
    },
    .init("ours, the same mark, another value is wanted: written", steps: ["sync target.app K:keyChanged (manifest)"]) {
      $0.app(entry("zero", Mark("1")), shown: ["K": Mark("1")])
    },
    .init("ours, another mark: written again", steps: ["sync target.app K:changedThere (drift)"]) {
      $0.app(entry("one", Mark("1")), shown: ["K": Mark("2")])
    },
    .init("ours, and no mark was recorded: nothing") { $0.app(entry("one", nil), shown: ["K": Mark("2")]) },
    .init("presence alone, and ours: nothing, and it is said", faults: ["targetWriteOnly target.app"]) {
      $0.app(entry("one", nil), shown: ["K": nil])
    },
    .init("interrupted, whatever is there: written again", steps: ["sync target.app K:notReadable (interrupted)"]) {
      $0.app(entry("one", Mark("1")), shown: ["K": Mark("2")])
      $0.interrupt()
    },
    .init("interrupted, and nothing recorded: never guessed", steps: ["sync target.app K:notReadable (interrupted)"]) {
      $0.app(nil, shown: ["K": Mark("2")])
      $0.interrupt()
    },
    .init("accepted as it is there: nothing, whatever happens there") {
      $0.app(entry("one", Mark("1"), kept: Mark("2")), shown: ["K": Mark("3")])
    },
    .init("accepted, and the key changed: ours again", steps: ["sync target.app K:keyChanged (manifest)"]) {
      $0.app(entry("zero", Mark("1"), kept: Mark("2")), shown: ["K": Mark("2")])
    },
    .init("left, the same mark: withdrawn", steps: ["withdraw target.app -K (manifest)"]) {
      $0.app(entry("one", Mark("1")), shown: ["K": Mark("1")])
      $0.targets = [:]
    },
    .init(
      "left, another mark: released", steps: ["withdraw target.app ~K (manifest)"],
      faults: ["changedByOthers target.app.K"]
    ) {
      $0.app(entry("one", Mark("1")), shown: ["K": Mark("2")])
      $0.targets = [:]
    },
    .init(
      "left after it was accepted: somebody else's, whatever its mark", steps: ["withdraw target.app ~K (manifest)"],
      faults: ["changedByOthers target.app.K"]
    ) {
      $0.app(entry("one", Mark("1"), kept: Mark("2")), shown: ["K": Mark("1")])
      $0.targets = [:]
    },
    .init("left, and gone: released", steps: ["withdraw target.app ~K (manifest)"]) {
      $0.app(entry("one", Mark("1")), shown: [:])
      $0.targets = [:]
    },
    .init("another place of the same name: nothing", faults: ["targetUnreadable target.app"]) {
      $0.app(entry("one", Mark("1")), shown: [:])
      $0.recordMarks("app", ["K": entry("one", Mark("1"))], placeId: "4")
      $0.observed.placeIds[place(".env")] = "5"
    },
  ]

  @Test("every row gives its steps and its diagnostics", arguments: rows)
  func row(_ row: KeyTableTests.Row) {
    #expect(row.scene.steps() == row.steps)
    #expect(row.scene.faults() == row.faults)
  }

  @Test("a step stands on the marks of its own names alone")
  func ground() throws {
    var scene = Scene()
    scene.app(entry("zero", Mark("1")), shown: ["K": Mark("1"), "OTHER": Mark("7")])
    #expect(try #require(scene.plan().plan.steps.first).ground.marks == ["K": "1"])
  }

  @Test(
    "drift tells what is gone and what was changed, and nothing of what was accepted",
    arguments: [
      (shown: ["K": Mark("1")], kept: nil, kinds: []), (shown: ["K": nil], kept: nil, kinds: []),
      (shown: ["K": Mark("2")], kept: nil, kinds: [.targetRewritten]), (shown: [:], kept: nil, kinds: [.targetMissing]),
      (shown: ["K": Mark("3")], kept: Mark("2"), kinds: []),
    ] as [(shown: [String: Mark?], kept: Mark?, kinds: [Finding.Kind])])
  func drift(_ given: (shown: [String: Mark?], kept: Mark?, kinds: [Finding.Kind])) {
    var scene = Scene()
    scene.app(entry("one", Mark("1"), kept: given.kept), shown: given.shown)
    let findings = Finding.drift(of: scene.manifest, in: scene.observed, at: now).findings
    #expect(findings.map(\.kind) == given.kinds)
  }

  @Test("what was changed there is accepted by its mark, and is then somebody else's")
  func accept() throws {
    var scene = Scene()
    scene.app(entry("one", Mark("1")), shown: ["K": Mark("2")])
    let amended = Plan.amending(
      scene.manifest, by: .acceptTarget(Self.app, name: "K"), with: scene.observed, at: now)
    #expect(amended.diagnostics.isEmpty)
    guard case .store(.key(_, .accept(let acceptance)))? = amended.plan.steps.first?.effect else {
      Issue.record("\(amended.plan.steps)")
      return
    }
    #expect(amended.plan.steps.count == 1 && acceptance.mark == Mark("2"))
    let kept = try #require(
      scene.observed.recorded.targets[Self.app]?.keeping(Mark("2"), under: "K", revision: 6)?.entries["K"])
    #expect(kept.kept == Mark("2") && kept.mark == Mark("1") && kept.fingerprint == print("one", of: "a"))
  }
}

private func entry(_ value: String, _ mark: Mark?, kept: Mark? = nil) -> TargetRecord.Entry {
  TargetRecord.Entry(
    key: named("a"), fingerprint: print(value, of: "a"), syncedAt: now - .days(2), mark: mark, kept: kept)
}

extension Scene {
  fileprivate mutating func app(_ entry: TargetRecord.Entry?, shown: [String: Mark?]) {
    settled("a")
    target("app", [from("K", "a")])
    if let entry { recordMarks("app", ["K": entry]) }
    observed.targets[place(".env")] = .marks(shown)
  }

  fileprivate mutating func interrupt() {
    observed.recorded.interrupted[.target(named("app"))] = now - .days(1)
    observed.recorded.attempts[named("app")] = WriteAttempt(
      destination: place(".env"), names: ["K": named("a")])
  }
}
