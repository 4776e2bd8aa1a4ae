import KeyplanModel
import KeyplanPlanning
import Testing

/// What holds of every plan, over a thousand random scenes.
@Suite struct InvariantTests {
  static let allowances = [
    Allowances(), Allowances(forget: true), Allowances(overwrite: true),
    Allowances(forget: true, overwrite: true, retire: true),
  ]
  static let seeds: Range<UInt64> = 0..<1000

  private func check(_ body: (UInt64, Scene, Plan, [Diagnostic]) -> Void) {
    for seed in Self.seeds {
      let scene = Scene(seed: seed)
      let (plan, diagnostics) = scene.plan(Self.allowances[Int(seed % 4)])
      body(seed, scene, plan, diagnostics)
    }
  }

  @Test("planning is total, and the same arguments give the same plan, whatever the order of entries")
  func determinism() {
    var steps = 0
    check { seed, scene, plan, diagnostics in
      let again = scene.reordered().plan(Self.allowances[Int(seed % 4)])
      #expect(again.plan == plan, "seed \(seed)")
      #expect(again.diagnostics == diagnostics, "seed \(seed)")
      steps += plan.steps.count
    }
    #expect(steps > 2500, "the scenes must be about something")
  }

  @Test("a step waits only for steps that stand before it")
  func order() {
    check { seed, _, plan, _ in
      for (index, step) in plan.steps.enumerated() {
        let later = plan.steps[index...].dropFirst().filter {
          $0.address != step.address && step.after.contains($0.address)
        }
        #expect(later == [], "seed \(seed): \(words(step))")
        #expect(Set(step.after).count == step.after.count)
      }
    }
  }

  @Test("no two steps do the same to the same address")
  func once() {
    check { seed, _, plan, _ in
      let names = plan.steps.map { step in
        if case .outside(.withdraw(_, let removal)) = step.effect {
          "\(step.address) \(removal.isMove)"
        } else {
          words(step)
        }
      }
      #expect(Set(names).count == names.count, "seed \(seed)")
    }
  }

  @Test("nothing is forgotten that a slot or a target still has, and never before it was taken away there")
  func forgetting() {
    var forgotten = 0
    check { seed, scene, plan, diagnostics in
      guard !diagnostics.contains(where: \.code.isGuard) else { return }
      for step in plan.steps {
        guard case .store(.key(let key, .forget)) = step.effect else { continue }
        forgotten += 1
        for (id, slot) in scene.observed.recorded.slots where slot.key == key {
          #expect(step.after.contains(.slot(id)) && plan.steps.contains { $0.address == .slot(id) }, "seed \(seed)")
        }
        for (id, target) in scene.observed.recorded.targets {
          for (name, entry) in target.entries where entry.key == key {
            #expect(step.after.contains(.target(id)), "seed \(seed)")
            #expect(plan.steps.contains { takesAway($0, name, id) }, "seed \(seed): target.\(id).\(name)")
          }
        }
      }
    }
    #expect(forgotten > 50)
  }

  private func takesAway(_ step: Step, _ name: String, _ id: Identifier<Target>) -> Bool {
    switch step.effect {
    case .outside(.sync(id, let write)): write.entries.contains { $0.name == name }
    case .outside(.withdraw(id, let removal)): removal.names.contains(name) || removal.released.contains(name)
    default: false
    }
  }

  @Test("what could not be asked is not touched")
  func unreachable() {
    check { seed, scene, plan, _ in
      for (id, finding) in scene.observed.sources where scene.keys[id] != nil {
        switch finding {
        case .failed:
          #expect(
            !plan.steps.contains { step in
              switch step.effect {
              case .store(.key(id, .retire)), .store(.key(id, .forget)), .store(.key(id, .move)): false
              default: step.address == .key(id)
              }
            }, "seed \(seed)")
        default: break
        }
      }
      for step in plan.steps {
        let destination: Destination
        switch step.effect {
        case .outside(.sync(_, let write)): destination = write.destination
        case .outside(.withdraw(_, let removal)): destination = removal.destination
        default: continue
        }
        switch scene.observed.targets[destination] {
        case .failed, nil: Issue.record("seed \(seed): \(words(step))")
        case .entries, .marks, .notAllowed, .notAskedHere: break
        }
      }
    }
  }

  @Test("no target removes what another declared target wants at the same place")
  func places() {
    check { seed, scene, plan, _ in
      for case .outside(.withdraw(_, let removal)) in plan.steps.map(\.effect) {
        for case .outside(.sync(_, let write)) in plan.steps.map(\.effect)
        where write.destination == removal.destination {
          #expect(Set(write.entries.map(\.name)).isDisjoint(with: removal.names), "seed \(seed)")
        }
      }
    }
  }

  @Test("ten thousand keys and names are planned, and the guard of each sees all of them")
  func many() {
    var scene = Scene()
    let names = (0..<10_000).map { "k\($0)" }
    for name in names {
      scene.record(name)
      scene.choose("s-\(name)", ["new"], recorded: name)
    }
    scene.settled("new")
    scene.recordTarget("app", Dictionary(uniqueKeysWithValues: names.map { ($0, (key: $0, value: "one")) }))
    scene.observed.targets[place(".env")] = .entries(
      Dictionary(uniqueKeysWithValues: names.map { ($0, FoundEntry([named($0): print("one", of: $0)])) }))
    scene.target("app", names.map { from(.variable, slot: "s-\($0)") })
    let (plan, _) = scene.plan(Allowances(forget: true))
    #expect(plan.steps.count == 20_002)
    #expect(scene.plan().diagnostics.map(\.code) == [.forgetLimit])
  }
}
