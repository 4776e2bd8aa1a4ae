import Foundation
import Testing

/// The import list is the architecture, so it is read and compared.
@Suite struct SourceScanTests {
  /// What each module may import, beside the system's libraries: exactly this. A module that is not here is a new one, and belongs here.
  static let arrows: [String: Set<String>] = [
    "KeyplanModel": [], "KeyplanPlanning": ["KeyplanModel"], "KeyplanPorts": ["KeyplanModel", "KeyplanSecrets"],
    "KeyplanCodecs": [], "KeyplanSecrets": ["KeyplanCodecs"], "KeyplanThreads": [], "KeyplanFiles": ["CFiles"],
    "KeyplanClocks": ["KeyplanFiles"], "KeyplanJSON": ["KeyplanSecrets"],
    "KeyplanKnownValues": ["KeyplanJSON", "KeyplanSecrets"],
    "KeyplanYAML": ["CLibYAML"], "KeyplanDocuments": ["KeyplanJSON", "KeyplanSecrets", "KeyplanYAML"],
    "KeyplanCloudKit": ["KeyplanCodecs", "KeyplanHTTP", "KeyplanJSON", "KeyplanModel", "KeyplanSecrets", "Crypto"],
    "KeyplanAge": ["KeyplanCodecs", "KeyplanSecrets", "COpenSSL", "Crypto", "CryptoExtras"],
    "KeyplanHTTP": ["KeyplanSecrets", "KeyplanThreads", "CCurl"],
    "KeyplanApply": ["KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanSecrets"],
    "KeyplanOAuth": [
      "KeyplanCodecs", "KeyplanDocuments", "KeyplanHTTP", "KeyplanModel", "KeyplanSecrets", "Crypto", "CryptoExtras",
      "Dispatch",
    ],
    "KeyplanReporting": ["KeyplanApply", "KeyplanCodecs", "KeyplanModel", "KeyplanPlanning", "KeyplanPorts"],
    "KeyplanManifest": ["KeyplanCodecs", "KeyplanModel", "KeyplanPlanning", "KeyplanYAML"],
    "KeyplanProviders": ["KeyplanModel", "CServices"],
    "KeyplanLocal": [
      "KeyplanAge", "KeyplanDocuments", "KeyplanFiles", "KeyplanModel", "KeyplanPorts", "KeyplanSecrets",
      "KeyplanThreads", "CSpawn", "CSystemd", "CoreFoundation", "Crypto", "Security",
    ],
    "KeyplanCalendars": [
      "KeyplanFiles", "KeyplanHTTP", "KeyplanModel", "KeyplanOAuth", "KeyplanPorts", "KeyplanSecrets", "CExpat",
    ],
    "KeyplanRemote": [
      "KeyplanCloudKit", "KeyplanHTTP", "KeyplanJSON", "KeyplanModel", "KeyplanOAuth", "KeyplanPorts", "KeyplanSecrets",
      "KeyplanServices", "KeyplanYAML", "Crypto",
    ],
    "KeyplanServices": [
      "KeyplanHTTP", "KeyplanJSON", "KeyplanModel", "KeyplanOAuth", "KeyplanPorts", "KeyplanSecrets", "KeyplanYAML",
      "CServices", "Crypto",
    ],
    "KeyplanStore": [
      "KeyplanAge", "KeyplanFiles", "KeyplanModel", "KeyplanPorts", "KeyplanSecrets", "KeyplanThreads", "CPostgres",
      "CSQLite", "Crypto",
    ],
    "KeyplanTesting": ["KeyplanApply", "KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanSecrets"],
    "KeyplanReader": ["KeyplanClocks", "KeyplanFiles", "KeyplanSecrets", "CoreFoundation", "Crypto", "Security"],
    "KeyplanReaderHTTP": [
      "KeyplanCloudKit", "KeyplanHTTP", "KeyplanJSON", "KeyplanReader", "KeyplanSecrets", "Foundation",
    ],
    "KeyplanReaderStore": [
      "KeyplanManifest", "KeyplanModel", "KeyplanOperations", "KeyplanPorts", "KeyplanReader", "KeyplanReporting",
      "KeyplanSecrets", "KeyplanStore",
    ],
    "KeyplanOperations": [
      "KeyplanAge", "KeyplanApply", "KeyplanCalendars", "KeyplanClocks", "KeyplanDocuments", "KeyplanFiles",
      "KeyplanHTTP", "KeyplanJSON", "KeyplanKnownValues", "KeyplanLocal", "KeyplanManifest", "KeyplanModel",
      "KeyplanOAuth", "KeyplanPlanning", "KeyplanPorts", "KeyplanProviders", "KeyplanRemote", "KeyplanReporting",
      "KeyplanSecrets", "KeyplanServices", "KeyplanStore", "CSchemas",
    ],
    "KeyplanLibrary": [
      "KeyplanApply", "KeyplanModel", "KeyplanOperations", "KeyplanPlanning", "KeyplanPorts", "KeyplanReporting",
    ],
    "KeyplanCLI": [
      "KeyplanAge", "KeyplanApply", "KeyplanCalendars", "KeyplanDocuments", "KeyplanFiles", "KeyplanLocal",
      "KeyplanManifest", "KeyplanModel", "KeyplanOperations", "KeyplanPlanning", "KeyplanPorts", "KeyplanProviders",
      "KeyplanReporting", "KeyplanSecrets", "KeyplanStore", "ArgumentParser", "CProcess", "Dispatch",
    ],
    "keyplan": ["KeyplanCLI"],
  ]
  /// Libraries of the system, which every module may use.
  static let system: Set<String> = ["Glibc", "Darwin", "Synchronization", "FoundationEssentials", "Observation"]
  /// Edge modules: none imports another.
  static let edges: Set<String> = [
    "KeyplanManifest", "KeyplanStore", "KeyplanLocal", "KeyplanProviders", "KeyplanCalendars", "KeyplanRemote",
  ]
  /// Modules without words for people.
  static let inner: Set<String> = ["KeyplanModel", "KeyplanPlanning", "KeyplanPorts", "KeyplanApply"]
  /// What products offer to other packages. Everything else is for this package.
  static let offered: Set<String> = [
    "KeyplanLibrary", "KeyplanReader", "KeyplanReaderHTTP", "KeyplanReaderStore", "KeyplanSecrets",
  ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources").resolvingSymlinksInPath()

  struct File {
    let module: String
    let name: String
    let lines: [Substring]

    /// The modules that it imports.
    var imports: [String] { lines.compactMap { $0.firstMatch(of: Self.pattern).map { String($0.module) } } }

    private nonisolated(unsafe) static let pattern =
      /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(?<module>\w+)/
  }

  private static func files() throws -> [File] {
    let all = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    return try all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" && !$0.path.contains(".docc/") }.map {
      file in
      let path = file.resolvingSymlinksInPath().path().dropFirst(root.path().count).split(separator: "/")
      let text = try String(contentsOf: file, encoding: .utf8)
      return File(
        module: String(path[0]), name: path.joined(separator: "/"),
        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  @Test("the model imports nothing at all")
  func model() throws {
    let files = try Self.files().filter { $0.module == "KeyplanModel" }
    #expect(files.count > 20)
    for file in files { #expect(file.imports == [], "\(file.name)") }
  }

  @Test("the scan sees imports")
  func seen() {
    let lines = [
      "import A", "public import B", "@preconcurrency import C", "  x.import D", "// import E",
      "@_exported public import F",
      "  import struct G.H", "@_spi(I) @testable private import J", "reimport K",
    ]
    let file = File(module: "", name: "", lines: lines.map { $0[...] })
    #expect(file.imports == ["A", "B", "C", "F", "G", "J"])
  }

  @Test("modules import only what the architecture draws, and no edge imports another")
  func modules() throws {
    let files = try Self.files()
    #expect(Set(files.map(\.module)) == Set(Self.arrows.keys))
    for (module, files) in Dictionary(grouping: files, by: \.module) {
      let imported = Set(files.flatMap(\.imports)).subtracting(Self.system)
      #expect(imported == Self.arrows[module], "\(module)")
    }
    for edge in Self.edges {
      #expect(Self.arrows[edge]?.isDisjoint(with: Self.edges.subtracting([edge])) == true, "\(edge)")
    }
  }

  @Test("a test that is not run says why")
  func skipped() throws {
    let tests = Self.root.deletingLastPathComponent().appending(path: "Tests")
    let all = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    var found = 0
    for case let file as URL in all
    where file.pathExtension == "swift" && file.lastPathComponent != "SourceScanTests.swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for start in text.ranges(of: ".enabled(") {
        found += 1
        #expect(Self.arguments(in: text[start.upperBound...]) > 1, "\(file.lastPathComponent)")
      }
    }
    #expect(found > 80)
    #expect(Self.arguments(in: "if: a(b, c) == [d, e])") == 1 && Self.arguments(in: "if: a, \"b\"), c") == 2)
  }

  /// How many arguments there are up to the closing parenthesis.
  private static func arguments(in text: Substring) -> Int {
    var (depth, count) = (0, 1)
    for character in text {
      switch character {
      case "(", "[", "{": depth += 1
      case ")" where depth == 0: return count
      case ")", "]", "}": depth -= 1
      case "," where depth == 0: count += 1
      default: break
      }
    }
    return count
  }

  /// A function that is bound by the name of its symbol needs no import, and its declaration is compared with nothing.
  @Test(
    "nothing is reached past the imports: not by the name of a symbol, and not by an attribute of the compiler's own")
  func symbols() throws {
    let pattern = try Regex<Substring>(
      #"@_(?!exported\b)\w+|@(?:c|cdecl|extern)\b|\b(?:dlsym|dlopen|NSClassFromString)\b"#)
    for line in [#"@_silgen_name("prctl") func a()"#, "@_cdecl(\"b\")", "@extern(c) func c()", "dlsym(handle, name)"] {
      #expect(line.firstMatch(of: pattern) != nil)
    }
    #expect("@_exported public import A".firstMatch(of: pattern) == nil)
    #expect(Self.lines(in: try Self.files(), with: pattern) == [])
    let exported = Self.lines(in: try Self.files(), with: try Regex<Substring>("@_exported"))
    #expect(exported == ["KeyplanReader/KeyReader.swift:2"])
  }

  @Test("a program with the reader's small products links neither SQLite nor libyaml nor libpq")
  func smallProducts() {
    for product in ["KeyplanReader", "KeyplanReaderHTTP"] {
      var reached: Set<String> = []
      var ahead: Set<String> = [product]
      while let next = ahead.popFirst() {
        if reached.insert(next).inserted { ahead.formUnion(Self.arrows[next] ?? []) }
      }
      #expect(reached.contains("KeyplanFiles"))
      #expect(reached.isDisjoint(with: ["CSQLite", "CLibYAML", "CPostgres"]), "\(product)")
    }
  }

  @Test("nothing is public but what a product offers")
  func access() throws {
    let pattern = try Regex<Substring>(#"^\s*(?:@\w+ )*public (?!import)"#)
    #expect("  public let a".firstMatch(of: pattern) != nil && "public import B".firstMatch(of: pattern) == nil)
    let files = try Self.files().filter {
      !Self.offered.contains($0.module)
    }
    #expect(Self.lines(in: files, with: pattern) == [])
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
    #expect(
      !found.isEmpty && found.allSatisfy { $0.hasPrefix("KeyplanCLI/Terminal/StartArguments.swift:") }, "\(found)")
  }

  @Test("doc comments name things: none begins with a question word as a noun")
  func nounsInComments() throws {
    let pattern = try Regex<Substring>(#"///(?: - [A-Za-z ]+:)? (?:What|Who|Whose|Which|Why|When|Where|How) "#)
    let files =
      try Self.files() + [File(module: "Sample", name: "Sample.swift", lines: ["/// What is recorded of it."])]
    let found = files.flatMap { file in
      file.lines.enumerated().compactMap { number, line in
        line.firstMatch(of: pattern) == nil ? nil : "\(file.name):\(number + 1)"
      }
    }
    #expect(found == ["Sample.swift:1"])
  }

  @Test("nothing waits by `async let`, whose end can crash up to Swift 6.3: a task group does, or a task")
  func asyncLet() throws {
    let pattern = try Regex<Substring>(#"\basync let\b"#)
    #expect("  async let one = two()".firstMatch(of: pattern) != nil)
    #expect(Self.lines(in: try Self.files(), with: pattern) == [])
  }

  @Test("model, planning, ports and the interpreter make no sentences: they state facts, and reporting finds the words")
  func sentences() throws {
    let pattern = try Regex<Substring>(#""[^"]*[\w)] [^"]*[.!?]""#)
    #expect(#"  return "It is \(a) so.""#.firstMatch(of: pattern) != nil)
    #expect(#"  return "a b", "c.d""#.firstMatch(of: pattern) == nil)
    let honest: Set<String> = [
      // What this version lacks, or a port's caller did wrong, in place of the words of an edge that is not there.
      "KeyplanApply/Applying/Accounts/TokenProvider.swift", "KeyplanApply/Observing/AskingAccounts.swift",
      "KeyplanApply/Observing/AskingTargets.swift", "KeyplanApply/Observing/Observer.swift",
      "KeyplanPorts/Issuing/KeyIssuing.swift",
      // The schema and the reference page say it in these words, as they do of the fields of backends.
      "KeyplanModel/Described/KeyText.swift",
      // Edges report it in these words.
      "KeyplanPorts/ValueFault.swift",
    ]
    // A decoder's words are for programmers.
    let files = try Self.files().filter { Self.inner.contains($0.module) }.map { file in
      File(
        module: file.module, name: file.name,
        lines: file.lines.map { $0.contains("debugDescription:") ? "" : $0 })
    }
    let found = Self.lines(in: files, with: pattern)
    let names = Set(found.compactMap { $0.split(separator: ":").first.map(String.init) })
    #expect(names == honest, "\(found.filter { line in !honest.contains { line.hasPrefix($0) } })")
  }

  @Test("one place writes times for people, so that each says its zone")
  func times() throws {
    let pattern = try Regex<Substring>(#"\bdateAndMinute\b"#)
    let files = try Self.files().filter { ["KeyplanCLI", "KeyplanOperations", "KeyplanReporting"].contains($0.module) }
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
