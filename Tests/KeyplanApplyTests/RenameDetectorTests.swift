import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@Suite struct ResemblanceTests {
  @Test("a new key with the value of one that is no longer declared is seen, and only such a one")
  func seen() async throws {
    var world = World()
    for name in ["old", "stays"] { world.declare(name, [remote("1")]) }
    world.say("one", at: "1")
    try await world.apply()
    world.keys[named("old")] = nil
    world.declare("same", [remote("1")])
    world.declare("other", [remote("2")])
    world.say("two", at: "2")
    #expect(try await world.observe().resembling == [named("same"): named("old")])
  }
}
