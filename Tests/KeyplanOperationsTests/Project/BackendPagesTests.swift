import Foundation
import KeyplanManifest
import KeyplanModel
import KeyplanProviders
import KeyplanReporting
import Testing

@testable import KeyplanOperations

/// `docs/backends/` has one page for each backend, generated from its description.
/// `KEYPLAN_TEST_RECORD=docs/backends/NAME.md` writes one page, `KEYPLAN_TEST_RECORD=docs/backends` all, and fails.
@Suite("The pages of backends") struct BackendPagesTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/backends")

  @Test("are what the descriptions make", arguments: KnownBackends.all.map(\.name))
  func page(name: String) throws {
    let backend = try KnownBackends.named(name)
    let made = BackendPage.render(backend, sources: KnownBackends.sources(of: backend))
    let path = Self.folder.appending(path: "\(name).md")
    let recording = ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"]
    guard recording != "docs/backends", recording != "docs/backends/\(name).md" else {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(made.utf8).write(to: path)
      Issue.record("\(name).md was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
      return
    }
    let written = try? String(contentsOf: path, encoding: .utf8)
    #expect(written == made, "record it with KEYPLAN_TEST_RECORD=docs/backends/\(name).md")
  }

  @Test("have the documents that statements about another's format, program or service come from")
  func sources() {
    // Formats and programs of keyplan itself, and those that everybody knows.
    let plain: Set = ["age", "command", "dotenv", "env", "file", "json", "keychain", "plist", "yaml"]
    for backend in KnownBackends.all where !plain.contains(backend.name) {
      let documents = KnownBackends.sources(of: backend)
      #expect(!documents.isEmpty, "\(backend.name)")
      for document in documents {
        #expect(document.name.contains(/\d/) && document.name.count > 8, "\(document.name)")
        #expect(!document.name.contains { "|\n<>".contains($0) }, "\(document.name)")
      }
      guard !backend.isPreview, backend.connection == nil else { continue }
      #expect(Set(documents.flatMap(\.subjects)).isSuperset(of: [.request, .answer, .outcome]), "\(backend.name)")
    }
  }

  @Test("are of backends that there are")
  func noOther() throws {
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(pages == KnownBackends.all.map { "\($0.name).md" }.sorted())
  }

  @Test("have examples that are valid", arguments: KnownBackends.all.map(\.name))
  func examples(name: String) throws {
    let reader = ManifestReader(
      catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
      secretPrefixes: SecretPrefixes.builtIn, backends: KnownBackends.all)
    let lines = BackendExample(of: try KnownBackends.named(name)).lines
    let reading = reader.read(base: .init(file: "keyplan.yaml", bytes: Array(lines.joined(separator: "\n").utf8)))
    #expect(reading.manifest != nil && reading.diagnostics.isEmpty, "\(lines)\n\(reading.diagnostics)")
  }

  @Test("explain every field, each in sentences on one line", arguments: KnownBackends.all.map(\.name))
  func help(name: String) throws {
    let backend = try KnownBackends.named(name)
    let fields = (backend.connection?.fields ?? []) + (backend.target?.fields ?? [])
    let helps = [backend.help] + fields.map(\.help) + [backend.reference?.help].compactMap(\.self)
    for help in helps { #expect(help.hasSuffix(".") && !help.contains("\n") && !help.contains("|"), "\(help)") }
  }

  @Test(
    "describe hosts that no field can move to another domain",
    arguments: KnownBackends.all.filter { $0.connection != nil }.map(\.name))
  func hosts(name: String) throws {
    let connection = try #require(try KnownBackends.named(name).connection)
    let labels = Set(connection.fields.filter { $0.kind == .label }.map(\.name))
    for host in connection.hosts {
      for found in host.matches(of: /\{([^}]*)\}/) { #expect(labels.contains(String(found.1)), "\(host)") }
    }
  }

  @Test(
    "describe targets without secrets of their own: those belong to a connection",
    arguments: KnownBackends.all.map(\.name))
  func secrets(name: String) throws {
    let fields = try KnownBackends.named(name).target?.fields ?? []
    #expect(!fields.contains { $0.kind == .secret })
  }

  @Test("a backend is found by its name, and a near miss is helped")
  func named() throws {
    #expect(throws: Failure.self) { try KnownBackends.named("dotnev") }
    do {
      _ = try KnownBackends.named("dotnev")
    } catch {
      #expect(error.hint == "Did you mean dotenv?")
    }
  }
}
