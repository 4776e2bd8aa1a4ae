import Foundation
import Testing

/// What the reference pages list is what the program has: no more and no less.
@Suite("The reference")
struct ReferenceTests {
  /// The first cells of the rows of all tables, each in backquotes.
  private static func names(in page: String) throws -> [String] {
    try DocumentationTests.text(page).matches(of: /\n\| `([^`]+)` \|/).map { String($0.1) }
  }

  @Test("lists every exit code as --help does")
  func exitCodes() throws {
    let rows = try DocumentationTests.text("docs/exit-codes.md").matches(of: /\n\| (\d+) \| (.+?) \|/)
      .map { "\($0.1)  \($0.2)".replacing("`", with: "") }
    let help = try Shell().run("keyplan --help").out.map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.contains(#/^\d+  /#) }
    #expect(!help.isEmpty)
    #expect(rows == help)
  }

  @Test("lists every command, and no other")
  func commands() throws {
    #expect(try Self.names(in: "docs/commands.md").sorted() == Program.shared.commands.keys.sorted())
  }

  @Test(
    "names only commands and options that exist",
    arguments: ["README.md", "CONTRIBUTING.md"] + DocumentationTests.pages)
  func named(page: String) throws {
    for found in try DocumentationTests.text(page).matches(of: /[`$] ?(keyplan [^`\n|;]*)|\n    (keyplan [^\n]*)/) {
      let line = String(found.1 ?? found.2 ?? "")
      let words = line.split(separator: " -- ").first?.split(separator: " ").map(String.init) ?? []
      let verbs = words.dropFirst().prefix { $0.wholeMatch(of: /[a-z-]+/) != nil && !$0.hasPrefix("-") }
      let path = (1...3).reversed().map { words.prefix($0).joined(separator: " ") }
      guard !verbs.isEmpty,
        let command = path.first(where: { Program.shared.commands[$0] != nil || Program.shared.groups.contains($0) })
      else {
        #expect(verbs.isEmpty || page == "docs/commands.md" && line.contains("frobnicate"), "\(page): \(line)")
        continue
      }
      let options = Program.shared.commands[command] ?? Program.shared.options(below: command)
      for word in words where word.hasPrefix("--") && word != "--help" && word != "--frobnicate" {
        let option = String(word.prefix { $0 != "=" && $0 != "," && $0 != ")" })
        #expect(options.contains(option), "\(page): \(line): \(option)")
      }
    }
  }

  @Test("lists every code of a diagnostic, with the program's words")
  func diagnostics() throws {
    let shown = try Shell().run("keyplan schema diagnostics").out.joined()
    let schema = try #require(JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String: Any])
    let definitions = schema["$defs"] as? [String: [String: Any]]
    let properties = definitions?["diagnostic"]?["properties"] as? [String: [String: Any]]
    let codes = try #require(properties?["code"]?["enum"] as? [String])
    #expect(try Self.names(in: "docs/diagnostics.md").sorted() == codes.sorted())

    let source = try DocumentationTests.text("Sources/KeyplanReporting/Messages/SummaryMessages.swift")
    let summaries = source.matches(of: /case \.(\w+): "([^"]+)"/).map { "| `\($0.1)` | \($0.2) |" }
    let page = try DocumentationTests.text("docs/diagnostics.md")
    #expect(summaries.count == codes.count)
    for row in summaries { #expect(page.contains("\n" + row), "\(row)") }
  }

  @Test("says of every kind of finding when drift has it")
  func findings() throws {
    let shown = try Shell().run("keyplan schema drift").out.joined()
    let schema = try #require(JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String: Any])
    let definitions = schema["$defs"] as? [String: [String: Any]]
    let properties = definitions?["finding"]?["properties"] as? [String: [String: Any]]
    let kinds = try #require(properties?["kind"]?["enum"] as? [String])
    let page = try DocumentationTests.text("docs/diagnostics.md")
    let tables = try #require(page.range(of: "## What drift says of a target")).lowerBound
    let named = Set(page[tables...].matches(of: /`(\w+)`/).map { String($0.1) })
    #expect(kinds.count > 30 && Set(kinds).subtracting(named) == [])
  }

  @Test("lists every variable that the program reads, and none of keyplan's that it does not")
  func variables() throws {
    let sources = ReferenceTests.sources()
    let read = Set(
      sources.flatMap { text in
        text.matches(of: /\bKEYPLAN_(?!PG_|XML_)[A-Z]+(_[A-Z]+)*/).map { String($0.0) }
      })
    let page = try DocumentationTests.text("docs/environment-variables.md")
    let listed = page.matches(of: /\n\| `(KEYPLAN_[A-Z_]+)` \|/).map { String($0.1) }
    #expect(listed.sorted() == read.sorted())
    for name in sources.flatMap({ $0.matches(of: /variable\("([A-Z_]+)"\)/).map { String($0.1) } }) {
      #expect(page.contains("`\(name)`"), "\(name)")
    }
  }

  private static func sources() -> [String] {
    let folder = ReadmeTests.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return files.filter { $0.hasSuffix(".swift") }.compactMap {
      try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }
  }
}

/// What the program says of its commands.
struct Program {
  /// By the words that call it, its long options.
  private(set) var commands: [String: Set<String>] = [:]
  private(set) var groups: Set<String> = []

  static let shared = Program()

  private init() {
    guard let out = try? Shell().run("keyplan --experimental-dump-help").out.joined(separator: "\n"),
      let dump = try? JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any],
      let root = dump["command"] as? [String: Any]
    else { return }
    add(root, below: [])
  }

  /// The options of a group: those of the command that it stands for, of which the dump does not say which one it is.
  func options(below group: String) -> Set<String> {
    commands.filter { $0.key.hasPrefix(group + " ") }.reduce(into: []) { $0.formUnion($1.value) }
  }

  private mutating func add(_ command: [String: Any], below path: [String]) {
    let path = path + [command["commandName"] as? String ?? ""]
    let children = (command["subcommands"] as? [[String: Any]] ?? []).filter { $0["commandName"] as? String != "help" }
    let arguments = command["arguments"] as? [[String: Any]] ?? []
    let names = arguments.flatMap { $0["names"] as? [[String: String]] ?? [] }
    if children.isEmpty {
      commands[path.joined(separator: " ")] = Set(
        names.filter { $0["kind"] == "long" }.compactMap { $0["name"].map { "--" + $0 } })
    } else {
      groups.insert(path.joined(separator: " "))
      for child in children { add(child, below: path) }
    }
  }
}
