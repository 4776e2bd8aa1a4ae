import Foundation
import Testing

/// The README and the examples say what the program does, because they are run.
@Suite("What newcomers read")
struct ReadmeTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("the first plan of the README gives what the README shows")
  func readme() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(readme.firstRange(of: "## A first plan")).lowerBound
    let end = try #require(readme[section...].firstRange(of: "\n## Why not")).lowerBound
    let shell = try Shell()
    var commands = 0
    for block in Self.blocks(of: String(readme[section..<end])) {
      if block.language == "yaml" {
        try Self.replaceKeys(in: shell, with: block.text)
        continue
      }
      for story in block.text.split(separator: "$ ", omittingEmptySubsequences: true).map(String.init) {
        let (command, shown) = try #require(Self.split(story))
        let answer = try shell.run(command)
        let found = Self.normal(answer.out.joined(separator: "\n"))
        let expected = Self.normal(shown)
        if expected.hasPrefix("…") {
          #expect(found.hasSuffix(Self.normal(String(expected.dropFirst()))), "\(command)\n\(found)")
        } else {
          #expect(found == expected, "\(command)")
        }
        commands += 1
      }
    }
    #expect(commands >= 6, "the README's first plan has lost its commands")
  }

  @Test("the quick start runs as a newcomer runs it")
  func quickstart() throws {
    let answer = try Shell().run("'\(Self.root.path)/examples/quickstart/demo.sh'")
    #expect(answer.code == 0, "\((answer.out + answer.err).suffix(20).joined(separator: "\n"))")
    for words in ["No changes.", "value differs", "Applied: 1 synced."] {
      #expect(answer.out.contains { $0.contains(words) }, "\(words) is missing")
    }
  }

  @Test("the figures of a plan are those that were recorded, within a quarter")
  func figures() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/figures.md"), encoding: .utf8)
    let results = try String(contentsOf: Self.root.appending(path: "Benchmarks/RESULTS.md"), encoding: .utf8)
    let rows = page.matches(of: /\n\| ([\d,]+) \| ([\d,]+) ms \| (?:([\d,]+) ms )?\|(?=\n)/)
    #expect(rows.count == 4)
    for row in rows {
      let section = try Self.section(of: results, row.1)
      let own = try #require(section.firstMatch(of: /\| plan, no change +\| +([\d.,]+)/))
      try Self.compare(row.2, own.1)
      guard let peer = row.3 else { continue }
      let other = try #require(section.firstMatch(of: /\| plan, no change: terraform +\| +[\d.,]+ +\| +([\d.,]+)/))
      try Self.compare(peer, other.1)
    }
  }

  @Test("so are those beside sops and fnox")
  func readers() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/figures.md"), encoding: .utf8)
    let results = try String(contentsOf: Self.root.appending(path: "Benchmarks/RESULTS.md"), encoding: .utf8)
    let rows = page.matches(of: /\n\| ([\d,]+) \|((?: [\d,]+ ms \|){6})(?=\n)/)
    #expect(rows.count == 3)
    for row in rows {
      let section = try Self.section(of: results, row.1)
      let told = row.2.split(separator: "|").map { $0.dropFirst().dropLast(4) }
      let lines = ["get one", "env, all"].flatMap { what in
        ["\\| \(what)"] + ["sops", "fnox"].map { "\\| \(what): \($0) +\\| +[\\d.,]+" }
      }
      for (figure, line) in zip(told, lines) {
        let line = try Regex(line + " +\\| +([\\d.,]+)", as: (Substring, Substring).self)
        try Self.compare(figure, try #require(section.firstMatch(of: line)).1)
      }
    }
  }

  @Test("so are the others, and the one in the README")
  func others() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/figures.md"), encoding: .utf8)
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let results = try String(contentsOf: Self.root.appending(path: "Benchmarks/RESULTS.md"), encoding: .utf8)
      .replacing("- --version:", with: "- `--version`:")
    let rows = page.matches(of: /\n\| ([^|]+) \| ([\d,]+) ((?:ms|bytes) [^|]+) \| `Benchmarks\/run\.sh/)
    #expect(rows.count == 7)
    for row in rows {
      let begin = try #require(results.firstRange(of: "\n- \(row.1): "), "\(row.1)").upperBound
      let recorded = results[begin...].prefix { $0 != " " }
      #expect(results[begin...].dropFirst(recorded.count + 1).hasPrefix(row.3), "\(row.1)")
      try Self.compare(row.2, recorded)
    }
    let told = try #require(readme.firstMatch(of: /plan\s+of\s+([\d,]+)\s+keys\s+takes\s+([\d,]+)\s+ms/))
    let own = try #require(Self.section(of: results, told.1).firstMatch(of: /\| plan, no change +\| +([\d.,]+)/))
    try Self.compare(told.2, own.1)
  }

  private static func section(of results: String, _ keys: Substring) throws -> Substring {
    let begin = try #require(results.firstRange(of: "## \(keys) keys from the environment\n")).upperBound
    return results[begin...].prefix { $0 != "#" }
  }

  private static func compare(_ told: Substring, _ recorded: Substring) throws {
    let numbers = try [told, recorded].map { try #require(Double($0.replacing(",", with: ""))) }
    #expect(abs(numbers[0] - numbers[1]) <= max(2, numbers[1] / 4), "\(told) ms is told, \(recorded) were recorded")
  }

  private static func blocks(of text: String) -> [(language: String, text: String)] {
    text.matches(of: /```(console|yaml)\n((?s).*?)```/).map { (String($0.1), String($0.2)) }
  }

  private static func split(_ story: String) -> (command: String, shown: String)? {
    let lines = story.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    return lines.first.map { (String($0), lines.count > 1 ? String(lines[1]) : "") }
  }

  /// Puts the README's example where the README says.
  private static func replaceKeys(in shell: Shell, with text: String) throws {
    let manifest = URL(filePath: shell.folder).appending(path: "keyplan.yaml")
    let starter = try String(contentsOf: manifest, encoding: .utf8)
    let keys = try #require(starter.firstRange(of: "keys: {}"))
    try (starter[..<keys.lowerBound] + text).write(to: manifest, atomically: true, encoding: .utf8)
  }

  /// Without what differs from run to run: ids, dates and the home.
  private static func normal(_ text: String) -> String {
    text.replacing(/kp1-[0-9a-z]{26}/, with: "ID")
      .replacing(/store [0-9a-f]{4}…/, with: "STORE").replacing(/serial \d+/, with: "SERIAL")
      .replacing(/\d{4}-\d\d-\d\d( \d\d:\d\dZ)?/, with: "DATE")
      .replacing(/(<home>|\/home\/ada)\/\.config/, with: "CONFIGURATION")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
