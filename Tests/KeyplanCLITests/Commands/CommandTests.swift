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

  @Test(
    "a command that is taken without the parser is what the parser would have made of it",
    arguments: [
      ("get", ["openai-main"]), ("get", ["active.assistant"]), ("get", [""]), ("env", []),
    ])
  func plain(name: String, words: [String]) throws {
    let plain = try #require(Keyplan.plain(name, words))
    let parsed = try #require(try Keyplan.command(named: name)?.parseAsRoot(words))
    #expect(Self.text(plain) == Self.text(parsed))
  }

  @Test(
    "words that are options, too many or too few, and other commands, are the parser's",
    arguments: [
      ("get", []), ("get", ["a", "b"]), ("get", ["--reveal"]), ("get", ["-q"]), ("get", ["a", "--json"]),
      ("get", ["--"]),
      ("env", ["--json"]), ("env", ["a"]), ("plan", []), ("", []),
    ])
  func notPlain(name: String, words: [String]) { #expect(Keyplan.plain(name, words) == nil) }

  /// All that is in a value, each property of its properties too.
  private static func text(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }
}
