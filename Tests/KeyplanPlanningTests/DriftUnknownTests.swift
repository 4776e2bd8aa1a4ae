import KeyplanModel
import KeyplanPlanning
import Testing

/// What keeps drift from knowing everything: without a finding the command still does not end as if all agreed.
@Suite struct DriftUnknownTests {
  private static func targeted(_ finding: TargetFinding) -> Scene {
    var scene = Scene()
    scene.settled("a")
    scene.target("app", [from("A", "a")])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.observed.targets[place(".env")] = finding
    return scene
  }

  /// One of two names cannot be read.
  private static func concealing(_ name: String) -> Scene {
    var scene = Scene()
    scene.settled("a")
    scene.target("app", [from("A", "a"), from("B", "a")])
    scene.recordTarget("app", ["A": ("a", "one"), "B": ("a", "one")])
    scene.hold(["A": "one", "B": "one"])
    scene.conceal(name)
    return scene
  }

  private static func sourced(_ finding: SourceFinding) -> Scene {
    var scene = Scene()
    scene.settled("a")
    scene.find("a", finding)
    return scene
  }

  private static func account(_ finding: AccountFinding) -> Scene {
    var scene = Scene()
    scene.declareAccount()
    scene.recordAccount()
    scene.answer(finding)
    return scene
  }

  private static let scenes: [(code: Diagnostic.Code, scene: Scene)] = [
    (.sourceUnreachable, sourced(.unreachable(index: 0, reason: "No."))),
    (.sourceUnreadable, sourced(.unreadable(index: 0, reason: "No."))),
    (.targetUnreachable, targeted(.unreachable(reason: "No."))),
    (.targetUnreadable, targeted(.unreadable(reason: "No."))),
    (.targetNameUnusable, concealing("B")),
    (.targetWriteOnly, targeted(.marks(["A": nil]))),
    (.accountUnreachable, account(.unreachable(reason: "No."))),
    (.accountNotAllowed, account(.notAllowed(reason: "No.", hint: nil))),
    (.secretNotFound, account(.noSecret(reason: "No.", isUnreachable: false))),
    (.sourceUnreachable, account(.noSecret(reason: "No.", isUnreachable: true))),
  ]

  @Test("what could not be asked is told, each by its own code", arguments: scenes.indices)
  func told(index: Int) {
    let (code, scene) = Self.scenes[index]
    let drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(drift.findings == [] && drift.diagnostics.map(\.code) == [code])
  }

  @Test("a name that can neither be read nor written is reported once, and the others are compared")
  func concealed() {
    var scene = Self.concealing("B")
    scene.hold(["A": "theirs", "B": "one"])
    scene.conceal("B")
    scene.hinderNames(setting: ["B"])
    let drift = Finding.drift(of: scene.manifest, in: scene.observed, at: now)
    #expect(drift.diagnostics.map(\.code) == [.targetNameUnusable])
    #expect(drift.diagnostics.map(\.failure) == [.denied])
    #expect(drift.findings.map(\.address) == [.entry(named("app"), name: "A")])
  }
}
