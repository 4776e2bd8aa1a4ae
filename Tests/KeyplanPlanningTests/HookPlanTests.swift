import KeyplanModel
import KeyplanPlanning
import Testing

/// When the program after a target's change is planned.
@Suite struct HookPlanTests {
  private static let item = ExternalAccess(.hook, "reload")

  private static func hook(variables: [String] = []) -> Reference {
    Reference(scheme: "command", arguments: ["reload"], variables: variables, isLocal: true, surface: item)
  }

  enum Situation: CaseIterable {
    case unchanged, changed, sameValue, nameGone, goneElsewhere, due, dueAndChanged, unreachable, undeclared
    case dueAndUndeclared
  }

  @Test("a hook is planned after each change of names, and where it is still due", arguments: Situation.allCases)
  func table(situation: Situation) {
    var scene = Scene()
    scene.settled("a")
    scene.observed.recorded.surface = Surface([Self.item: ["target app"]])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    scene.target("app", [from("A", "a")], hook: Self.hook())
    let expected: [String]
    switch situation {
    case .unchanged: expected = []
    case .changed:
      scene.find("a", "two")
      expected = [
        "replace key.a (sourceChanged)", "sync target.app A:keyChanged (follows)", "run target.app reload (follows)",
      ]
    case .sameValue:
      scene.observed.recorded.targets = [:]
      expected = ["sync target.app A:alreadyThere (manifest)"]
    case .nameGone:
      scene.target("app", [], hook: Self.hook())
      expected = ["withdraw target.app -A (manifest)", "run target.app reload (follows)"]
    case .goneElsewhere:
      scene.target("app", [], hook: Self.hook())
      scene.hold([:])
      expected = ["withdraw target.app ~A (manifest)"]
    case .due:
      scene.observed.recorded.dueHooks = [named("app"): now]
      expected = ["run target.app reload (interrupted)"]
    case .dueAndChanged:
      scene.observed.recorded.dueHooks = [named("app"): now]
      scene.hold([:])
      expected = ["sync target.app A:missingThere (drift)", "run target.app reload (follows)"]
    case .unreachable:
      scene.observed.targets[place(".env")] = .unreachable(reason: "No.")
      expected = []
    case .undeclared:
      scene.targets = [:]
      expected = ["withdraw target.app -A (manifest)", "disallow surface.hook reload (manifest)"]
    case .dueAndUndeclared:
      scene.target("app", [from("A", "a")])
      scene.observed.recorded.dueHooks = [named("app"): now]
      expected = ["settle target.app (interrupted)", "disallow surface.hook reload (manifest)"]
    }
    #expect(scene.steps() == expected)
  }

  @Test("a hook, its target and its variables are allowed first; another target's hook is allowed anew")
  func permission() {
    var scene = Scene()
    scene.settled("a")
    scene.hold([:])
    scene.target("app", [from("A", "a")], hook: Self.hook(variables: ["STAGE"]))
    var steps = scene.plan().plan.steps
    #expect(steps.first?.effect == .store(.allow(Self.item, AccessGrant(["target app", "variable STAGE"]))))
    #expect(after(steps, .run) == ["surface.hook reload"])
    #expect(after(steps, .sync) == ["surface.hook reload"])
    scene.observed.recorded.surface = Surface([Self.item: ["target app", "variable STAGE"]])
    #expect(scene.steps().first == "sync target.app A:new (manifest)")
    scene.target("other", [from("A", "a")], at: place("x"), hook: Self.hook())
    scene.hold([:], at: place("x"))
    steps = scene.plan().plan.steps
    let terms: Set = ["target app", "target other", "variable STAGE"]
    #expect(
      steps.first?.effect
        == .store(.allow(Self.item, AccessGrant(terms, was: ["target app", "variable STAGE"]))))
  }

  @Test("naming a target includes its hook and the permission for it, and no other target's")
  func selection() {
    var scene = Scene()
    scene.settled("a")
    scene.hold([:])
    scene.hold([:], at: place("x"))
    let others = ExternalAccess(.hook, "others")
    scene.target("app", [from("A", "a")], hook: Self.hook())
    scene.target(
      "other", [from("A", "a")], at: place("x"),
      hook: Reference(scheme: "command", arguments: ["others"], isLocal: true, surface: others))
    let selection = Selection([.target(named("app"))], in: scene.manifest, recorded: scene.observed.recorded)
    #expect(
      scene.plan().plan.limited(to: selection).steps.map(words) == [
        "allow surface.hook reload (manifest)", "sync target.app A:new (manifest)", "run target.app reload (follows)",
      ])
  }

  @Test("the end of an environment runs the hooks of its targets, and then no longer allows them")
  func destroying() {
    var scene = Scene()
    scene.settled("a")
    scene.observed.recorded.surface = Surface([Self.item: ["target app"]])
    scene.recordTarget("app", ["A": ("a", "one")])
    scene.hold(["A": "one"])
    scene.target("app", [from("A", "a")], hook: Self.hook())
    func steps() -> [String] {
      let (plan, _) = Plan.reconciling(
        scene.manifest.withoutEntries, with: scene.observed, allowing: Allowances(forget: true), at: now)
      return plan.steps.map(words)
    }
    #expect(
      steps() == [
        "withdraw target.app -A (manifest)", "run target.app reload (follows)",
        "disallow surface.hook reload (manifest)", "forget key.a (manifest)",
      ])
    // A hook that failed then is run again.
    scene.observed.recorded.targets = [:]
    scene.observed.recorded.keys = [:]
    scene.observed.recorded.dueHooks = [named("app"): now]
    #expect(steps() == ["run target.app reload (interrupted)", "disallow surface.hook reload (manifest)"])
  }
}
