import KeyplanModel
import KeyplanPlanning
import Testing

/// Recipients of age plugins, whose programs encrypt the store's keyring.
@Suite struct PluginPlanTests {
  private static let toy = ExternalAccess(.plugin, "age-plugin-toy")
  private static let plain = Recipient(publicKey: "age1plain")
  private static let token = Recipient(publicKey: "age1toy1wpkxz6tw8fhkuegyzvs8g")

  private func scene(
    recorded: [Identifier<Recipient>: Recipient], declared: [Identifier<Recipient>: Recipient]?, isAllowed: Bool = false
  ) -> Scene {
    var scene = Scene()
    scene.observed.recorded.recipients = recorded
    if isAllowed { scene.observed.recorded.surface[Self.toy] = [] }
    scene.recipients = declared
    return scene
  }

  @Test("a recipient names the program that encrypts to it, unless age knows it without one")
  func programs() {
    #expect(Self.token.plugin == Self.toy)
    #expect(Recipient(publicKey: "age1a-1b1qqq").plugin?.text == "age-plugin-a-1b")
    for key in ["age1plain", "age1pq1qqq", "age1tag1qqq", "age1tagpq1qqq", "ssh-ed25519 AAAA1"] {
      #expect(Recipient(publicKey: key).plugin == nil, "\(key)")
    }
  }

  @Test("the program is allowed by a step of its own, for which the change of recipients waits")
  func added() {
    let one = scene(recorded: [named("me"): Self.plain], declared: [named("me"): Self.plain, named("key"): Self.token])
    let steps = one.plan().plan.steps
    #expect(steps.map(\.effect.action) == [.allow, .rewrap])
    #expect(steps.first?.effect == .store(.allow(Self.toy, AccessGrant([]))))
    #expect(steps.last?.after == [.surface(Self.toy)])
    let planner =
      [
        named("me"): Self.plain, named("key"): Recipient(publicKey: Self.token.publicKey, role: .plan),
      ] as [Identifier<Recipient>: Recipient]
    #expect(
      scene(recorded: [named("me"): Self.plain], declared: planner).plan().plan.steps.map(\.effect.action) == [
        .allow, .rewrap,
      ])
  }

  @Test("what was allowed is not allowed again, and stays while the recipient does, declared or only recorded")
  func allowed() {
    let both = [named("me"): Self.plain, named("key"): Self.token] as [Identifier<Recipient>: Recipient]
    #expect(scene(recorded: both, declared: both, isAllowed: true).plan().plan.steps.isEmpty)
    #expect(scene(recorded: both, declared: nil, isAllowed: true).plan().plan.steps.isEmpty)
    let third = both.merging([named("new"): Recipient(publicKey: "age1other")]) { $1 }
    let steps = scene(recorded: both, declared: third, isAllowed: true).plan().plan.steps
    #expect(steps.map(\.effect.action) == [.rewrap] && steps[0].after.isEmpty)
    // A store that was created for it has not allowed it yet.
    #expect(scene(recorded: both, declared: nil).plan().plan.steps.map(\.effect.action) == [.allow])
  }

  @Test("with the last recipient that needs it, the program is no longer allowed, after the recipients have changed")
  func removed() {
    let both = [named("me"): Self.plain, named("key"): Self.token] as [Identifier<Recipient>: Recipient]
    let steps = scene(recorded: both, declared: [named("me"): Self.plain], isAllowed: true).plan().plan.steps
    #expect(steps.map(\.effect.action) == [.rewrap, .disallow])
    #expect(steps.last?.after == [.recipients])
  }
}
