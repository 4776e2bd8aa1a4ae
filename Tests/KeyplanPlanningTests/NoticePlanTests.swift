import KeyplanModel
import KeyplanPlanning
import Testing

/// What a plan says that a service does besides.
@Suite struct NoticePlanTests {
  private static let notices = [
    TargetNotice(.create, words: "job logs can show it"), TargetNotice(.remove, words: "it may deploy"),
  ]

  /// The notices of all steps, with nil for a step without one.
  private func notices(_ entries: [Target.Entry], holding values: [String: String], value: String = "one") -> [String?]
  {
    var scene = Scene()
    scene.settled("a")
    scene.recordTarget("app", ["A": ("a", "one"), "B": ("a", "one")])
    scene.hold(values)
    if value != "one" { scene.find("a", value) }
    scene.targets[named("app")] = Target(destination: place(".env"), entries: entries, notices: Self.notices)
    return scene.plan().plan.steps.compactMap { step -> String?? in
      switch step.effect {
      case .outside(.sync(_, let write)): write.notice
      case .outside(.withdraw(_, let removal)): removal.notice
      default: nil
      }
    }
  }

  @Test("it is said of steps that create or remove names, and of no others")
  func occasions() {
    let all = [from("A", "a"), from("B", "a")]
    let both = ["A": "one", "B": "one"]
    #expect(notices(all + [from("C", "a")], holding: both) == ["job logs can show it"])
    #expect(notices(all, holding: ["A": "one"]) == ["job logs can show it"])
    #expect(notices(all, holding: both, value: "two") == [nil])
    #expect(notices([from("A", "a")], holding: both) == ["it may deploy"])
    // It is gone already.
    #expect(notices([from("A", "a")], holding: ["A": "one"]) == [nil])
  }
}
