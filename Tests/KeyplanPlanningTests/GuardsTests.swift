import Testing

@testable import KeyplanModel
@testable import KeyplanPlanning

@Suite("What protects keys in a manifest")
struct GuardsTests {
  private static func demand(_ words: String) -> Guards.Demand {
    Guards.Demand(rule: "fresh", keys: [named("old")], words: words)
  }
  private static let strict = Guards(demands: [demand("younger than 90 days")])
  private static let loose = Guards(
    demands: [demand("younger than 180 days")], waivers: ["target.app takes over values that are there"])

  @Test("is compared with what was recorded: what is dropped or waived protects less")
  func loosening() throws {
    let looser = GuardsChange(from: Self.strict, to: Self.loose)
    #expect(looser.isLoosening && looser.dropped == Self.strict.demands.sorted())
    #expect(looser.applied(to: Self.strict) == Self.loose)
    #expect(looser.applied(to: Self.loose) == nil, "that is what it was changed to already")
    #expect(!GuardsChange(from: Guards(), to: Self.strict).isLoosening)
    #expect(!GuardsChange(from: Guards(waivers: ["x"]), to: Guards()).isLoosening)
  }

  @Test("follows a key to its new name")
  func moving() {
    let moved = Self.strict.moving([named("old"): named("new")])
    #expect(moved.demands.map(\.description) == ["fresh: new younger than 90 days"])
  }

  @Test("is a step when it changes, and none while it stays")
  func steps() {
    var scene = Scene()
    scene.target("app", [from("K", "a")], takeOver: true)
    #expect(scene.steps().contains { $0.hasPrefix("guard rules -target.app takes over") })
    scene.observed.recorded.guards = Guards(waivers: ["target.app takes over values that are there"])
    #expect(!scene.steps().contains { $0.hasPrefix("guard") })
  }
}
