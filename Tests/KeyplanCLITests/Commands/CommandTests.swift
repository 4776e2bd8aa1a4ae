import ArgumentParser
import KeyplanReporting
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

  @Test("those that mean a project get its options where a text names them; the others mean none")
  func projects() throws {
    let others: Set = [
      "fmt", "generate", "identity", "ci", "providers", "backends", "schema", "completions",
    ]
    let commands = Dictionary(
      uniqueKeysWithValues: try Keyplan.commands.map { command in
        (try #require(command.configuration.commandName), command.configuration.subcommands)
      })
    #expect(Set(ProjectOptions.commands.keys) == Set(commands.keys).subtracting(others))
    for (name, below) in ProjectOptions.commands {
      let names = commands[name]?.compactMap { $0.configuration.commandName ?? $0._commandName } ?? []
      // `list` is what a group does by itself.
      #expect(below.union(below.isEmpty || name == "calendar" ? [] : ["list"]).isSuperset(of: names), "\(name)")
      #expect(below.isSubset(of: names), "\(name)")
    }
  }
}
