import ArgumentParser
import Testing

@testable import KeyplanCLI

/// Commands under the names that other tools, and earlier versions, have for them.
@Suite("A command that there is not")
struct UnknownCommandTests {
  @Test("is named with commands that there are", arguments: UnknownCommand.others.keys.sorted())
  func exist(group: String) throws {
    for (word, hint) in try #require(UnknownCommand.others[group]) {
      let commands = hint.matches(of: /keyplan ((?:--)?[a-z-]+(?: [a-z-]+)*)/).map { String($0.1) }
      #expect(!commands.isEmpty, "\(word): \(hint)")
      for command in commands where !["--version", "--help", "help options"].contains(command) {
        let words = command.split(separator: " ").map(String.init)
        let path = CommandPath(words[...])
        #expect(path.text != "keyplan", "\(word): \(hint)")
        #expect(path.rest.allSatisfy { $0.hasPrefix("--") }, "\(word): \(hint)")
      }
    }
  }

  @Test("is never run, whatever follows it")
  func unknown() {
    for line in ["rotate one --yes", "keys delete one", "records rm target.app", "state forget key.one --yes"] {
      let words = line.split(separator: " ").map(String.init)
      #expect(UnknownCommand.find(in: words) != nil, "\(line)")
      #expect(throws: (any Error).self) { try Keyplan.parseAsRoot(words) }
    }
  }

  @Test(
    "and was in `state` is named with the same words",
    arguments: [
      (line: "state forget key.one --yes", now: "`keyplan keys forget one --yes`"),
      (line: "state forget target.app.ONE", now: "`keyplan records forget target.app.ONE`"),
      (line: "state forget -e staging active.main", now: "`keyplan records forget -e staging active.main`"),
      (line: "state rollback one --to 2", now: "`keyplan keys rollback one --to 2`"),
      (line: "state rollback --to 2 one", now: "`keyplan keys rollback --to 2 one`"),
      (line: "state history calendar.home --json", now: "`keyplan records history calendar.home --json`"),
      (line: "state move one uno", now: "`keyplan keys move one uno`"),
      (line: "state purge", now: "keyplan keys purge NAME"),
      (line: "state history", now: "keyplan keys history, or keyplan records history"),
      (line: "state", now: "keyplan keys --help, or keyplan records --help"),
    ])
  func former(line: String, now: String) {
    #expect(UnknownCommand.find(in: line.split(separator: " ").map(String.init))?.hint == now)
  }

  @Test("in a group that is found by name is the one that the parser finds")
  func groups() throws {
    for words in [[], ["--json"], ["list", "-q"], ["show", "one"], ["forget", "one", "--yes"], ["move", "a", "b"]] {
      let found = try #require(Keys.find(words[...]))
      let (whole, alone) = (try Keyplan.parseAsRoot(["keys"] + words), try found.command.parseAsRoot(Array(found.rest)))
      #expect(Self.name(whole) == Self.name(alone), "\(words)")
    }
    let unknown = Keys.find(["shw", "one"])?.rest ?? RecordsCommand.find(["move"])?.rest
    #expect(unknown == nil)
  }

  private static func name(_ command: any ParsableCommand) -> String { "\(type(of: command))" }
}
