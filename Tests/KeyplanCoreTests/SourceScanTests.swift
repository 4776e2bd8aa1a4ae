import Foundation
import Testing

/// The import list is the architecture, so it is read and compared.
@Suite struct SourceScanTests {
  /// What each module may import of ours. A module that is not here is a new one, and belongs here.
  static let arrows: [String: Set<String>] = [
    "KeyplanCore": [], "KeyplanSecrets": [], "KeyplanFiles": [], "KeyplanYAML": ["CLibYAML"], "CLibYAML": [],
    "KeyplanThreads": [], "KeyplanHTTP": ["KeyplanSecrets", "KeyplanThreads", "CCurl"],
    "KeyplanOAuth": ["KeyplanCore", "KeyplanDocuments", "KeyplanHTTP", "KeyplanSecrets"],
    "KeyplanAge": ["KeyplanSecrets"], "KeyplanDocuments": ["KeyplanSecrets", "KeyplanYAML", "KeyplanFiles"],
    "KeyplanApply": ["KeyplanCore", "KeyplanSecrets"],
    "KeyplanReporting": ["KeyplanApply", "KeyplanCore"],
    "KeyplanManifest": ["KeyplanCore", "KeyplanYAML"], "KeyplanProviders": ["KeyplanCore"],
    "KeyplanLocal": ["KeyplanApply", "KeyplanCore", "KeyplanDocuments", "KeyplanFiles", "KeyplanSecrets"],
    "KeyplanCalendars": ["KeyplanApply", "KeyplanCore", "KeyplanHTTP", "KeyplanOAuth", "KeyplanSecrets", "CExpat"],
  ]
  /// Edge modules: none imports another; all may use the leaves.
  static let edges: Set<String> = [
    "KeyplanManifest", "KeyplanStore", "KeyplanLocal", "KeyplanProviders", "KeyplanCalendars",
  ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources").resolvingSymlinksInPath()

  struct File {
    let module: String
    let name: String
    let lines: [Substring]

    /// The modules that it imports.
    var imports: [String] {
      lines.compactMap { line in
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at <= 2, words.count > at + 1,
          words[..<at].allSatisfy({ ["public", "internal", "private", "package", "@preconcurrency"].contains($0) })
        else { return nil }
        return String(words[at + 1])
      }
    }
  }

  private static func files() throws -> [File] {
    let all = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    return try all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
      let path = file.resolvingSymlinksInPath().path().dropFirst(root.path().count).split(separator: "/")
      let text = try String(contentsOf: file, encoding: .utf8)
      return File(
        module: String(path[0]), name: path.joined(separator: "/"),
        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  @Test("the core imports nothing at all")
  func core() throws {
    let files = try Self.files().filter { $0.module == "KeyplanCore" }
    #expect(files.count > 20)
    for file in files { #expect(file.imports == [], "\(file.name)") }
  }

  @Test("the scan sees imports")
  func seen() {
    let lines = ["import A", "public import B", "@preconcurrency import C", "  x.import D", "// import E"]
    let file = File(module: "", name: "", lines: lines.map { $0[...] })
    #expect(file.imports == ["A", "B", "C"])
  }

  @Test("modules import only what the architecture draws, and no edge imports another")
  func modules() throws {
    let files = try Self.files()
    let ours = Set(files.map(\.module)).union(["CLibYAML", "CCurl", "CExpat", "CPostgres", "CSchemas"])
    for file in files {
      let imported = Set(file.imports).intersection(ours)
      if Self.edges.contains(file.module) {
        #expect(imported.isDisjoint(with: Self.edges.subtracting([file.module])), "\(file.name)")
        #expect(!imported.contains("KeyplanCLI") && !imported.contains("KeyplanTesting"), "\(file.name)")
      }
      if let allowed = Self.arrows[file.module] {
        #expect(imported.subtracting([file.module]).isSubset(of: allowed), "\(file.name): \(imported)")
      }
      #expect(!file.imports.contains("Foundation"), "\(file.name): FoundationEssentials starts faster")
    }
  }

  @Test("only the command line prints, reads the terminal or exits")
  func printing() throws {
    let banned = [
      try Regex<Substring>(#"(?:^|[^.\w])(?:print|debugPrint|_?exit|readLine|fputs|puts|printf|fatalError|abort)\("#),
      try Regex<Substring>(#"FileHandle\.standard"#),
    ]
    let files = try Self.files().filter { !["KeyplanCLI", "keyplan"].contains($0.module) }
    #expect(files.count > 50)
    for pattern in banned { #expect(Self.lines(in: files, with: pattern) == []) }
    #expect("  print(x)".firstMatch(of: banned[0]) != nil && "blueprint(x)".firstMatch(of: banned[0]) == nil)
  }

  @Test("one place asks for the program's arguments: Swift's own are empty on Linux without /proc")
  func arguments() throws {
    let pattern = try Regex<Substring>(#"\bCommandLine\.|\bProcessInfo\b"#)
    #expect("  CommandLine.arguments[1]".firstMatch(of: pattern) != nil)
    let found = Self.lines(in: try Self.files(), with: pattern)
    #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("KeyplanCLI/World/StartArguments.swift:") }, "\(found)")
  }

  @Test("nothing waits by `async let`, whose end can crash up to Swift 6.3: a task group does, or a task")
  func asyncLet() throws {
    let pattern = try Regex<Substring>(#"\basync let\b"#)
    #expect("  async let one = two()".firstMatch(of: pattern) != nil)
    #expect(Self.lines(in: try Self.files(), with: pattern) == [])
  }

  @Test("one place writes times for people, so that each says its zone")
  func times() throws {
    let pattern = try Regex<Substring>(#"\bdateAndMinute\b"#)
    let files = try Self.files().filter { ["KeyplanCLI", "KeyplanReporting"].contains($0.module) }
    let found = Self.lines(in: files, with: pattern)
    #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("KeyplanReporting/Page/Style+Time.swift:") }, "\(found)")
  }

  /// Where a pattern is found in code.
  private static func lines(in files: [File], with pattern: Regex<Substring>) -> [String] {
    files.flatMap { file in
      file.lines.enumerated().compactMap { number, line in
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        return code.firstMatch(of: pattern) == nil ? nil : "\(file.name):\(number + 1)"
      }
    }
  }
}
