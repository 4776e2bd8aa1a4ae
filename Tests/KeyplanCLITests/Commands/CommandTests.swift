import ArgumentParser
import Testing

@testable import KeyplanCLI

@Suite("Commands")
struct CommandTests {
  @Test("each can be parsed without the others, and says its name: every start would pay for it")
  func alone() throws {
    #expect(Keyplan.commands.count > 15)
    for command in Keyplan.commands {
      let configuration = command.configuration
      #expect(configuration._superCommandName == "keyplan", "\(command): `.parsedAlone` is missing")
      let name = try #require(configuration.commandName, "\(command)")
      #expect(Keyplan.command(named: name) == command)
    }
    #expect(Keyplan.command(named: "nothing") == nil)
  }
}
