import Foundation
import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@Suite("Every source that secrets can be taken away from keeps the contract")
struct RemovalContractTests {
  private static func reference(_ name: String) -> Reference {
    Reference(scheme: "memory", location: name, isLocal: false)
  }

  private static let backend = BackendDescription(
    "memory", reference: ReferenceGrammar(.file, example: "memory://NAME", isLocal: false, isRemovable: true))

  @Test("the twin in memory")
  func memory() async {
    let (a, b) = (Self.reference("a"), Self.reference("b"))
    let source = MemorySource(Self.backend, [a: .value(Array("eins".utf8)), b: .value(Array("zwei".utf8))])
    let contract = RemovalContract(source, present: [(a, "eins"), (b, "zwei")], missing: Self.reference("c"))
    #expect(await contract.violations() == [])
  }

  @Test("a source that removes what was not meant, or nothing, is caught")
  func careless() async {
    struct Careless: RemovableSource {
      let inner: MemorySource
      let isIdle: Bool
      var backend: BackendDescription { inner.backend }
      func read(_ references: [Reference]) async -> [SourceAnswer] { await inner.read(references) }
      func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
        if !isIdle { inner.say(.missing, to: reference) }
      }
    }
    let (a, b) = (Self.reference("a"), Self.reference("b"))
    for isIdle in [true, false] {
      let inner = MemorySource(Self.backend, [a: .value([65]), b: .value([66])])
      let contract = RemovalContract(
        Careless(inner: inner, isIdle: isIdle), present: [(a, "A"), (b, "B")], missing: Self.reference("c"))
      #expect(await contract.violations() != [])
    }
  }

  @Test("file")
  func file() async throws {
    let scratch = try Scratch()
    try scratch.write("eins\n", to: "a")
    try scratch.write("zwei", to: "b")
    let contract = RemovalContract(
      FileSource(SourceContext(scratch)), present: [(.file("file", "a"), "eins"), (.file("file", "b"), "zwei")],
      missing: .file("file", "c"))
    #expect(await contract.violations() == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }

  static let samples: [(scheme: String, text: String, a: String, b: String, rest: String)] = [
    ("dotenv", "# one\nA=eins\nC=3 # kept\nexport B='zwei'\n", "A", "B", "# one\nC=3 # kept\n"),
    (
      "json", "{\n  \"A\": \"eins\",\n  \"C\": [ 1,2 ],\n  \"deep\": {\"B\": \"zwei\"}\n}\n", "/A", "/deep/B",
      "{\n  \"C\": [ 1,2 ],\n  \"deep\": {}\n}\n"
    ),
    (
      "yaml", "# one\nA: eins\nC: [ 1,2 ]  # kept\ndeep:\n  B: zwei\n  D: 4\n", "/A", "/deep/B",
      "# one\nC: [ 1,2 ]  # kept\ndeep:\n  D: 4\n"
    ),
    (
      "plist",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
        <key>A</key><string>eins</string>
        <key>C</key><integer>3</integer>
        <key>deep</key><dict><key>B</key><string>zwei</string></dict>
      </dict></plist>
      """, "A", "deep/B",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
        <key>C</key><integer>3</integer>
        <key>deep</key><dict></dict>
      </dict></plist>
      """
    ),
  ]

  private func source(_ scheme: String, _ scratch: Scratch) throws -> any RemovableSource {
    let all = LocalBackends.sources(SourceContext(scratch))
    return try #require(all.first { $0.backend.name == scheme } as? any RemovableSource)
  }

  @Test("files with names in them: one value goes, and every byte around it stays", arguments: samples)
  func documents(_ given: (scheme: String, text: String, a: String, b: String, rest: String)) async throws {
    let scratch = try Scratch()
    try scratch.write(given.text, to: "file", mode: 0o640)
    let contract = RemovalContract(
      try source(given.scheme, scratch),
      present: [(.file(given.scheme, "file", given.a), "eins"), (.file(given.scheme, "file", given.b), "zwei")],
      missing: .file(given.scheme, "absent", given.a))
    #expect(await contract.violations() == [])
    #expect(try scratch.text("file") == given.rest)
    let mode = try FileManager.default.attributesOfItem(atPath: scratch["file"])[.posixPermissions] as? NSNumber
    #expect(mode == 0o640)
  }

  @Test("what cannot be taken out alone is refused, with its reason and without its value", arguments: samples)
  func refused(_ given: (scheme: String, text: String, a: String, b: String, rest: String)) async throws {
    let scratch = try Scratch()
    let source = try source(given.scheme, scratch)
    try scratch.write(given.text, to: "file", mode: 0o440)
    try scratch.write("\"{[ <eins", to: "broken")
    try scratch.write(given.text, to: "first")
    try #require(Foundation.link(scratch["first"], scratch["second"]) == 0)
    for name in ["file", "broken", "second"] {
      let before = try scratch.text(name)
      do throws(AccessFailure) {
        try await source.remove(
          .file(given.scheme, name, given.a), holding: SecretBox(Array("eins".utf8)))
        Issue.record("\(name) was changed")
      } catch {
        #expect(error.reason.hasSuffix(".") && !error.reason.contains("eins") && !error.kind.isOutage, "\(error)")
      }
      #expect(try scratch.text(name) == before)
    }
  }

  @Test("what a killed removal left beside a file goes, and the file stays", arguments: ["file", "dotenv"])
  func leftovers(scheme: String) async throws {
    let scratch = try Scratch()
    try scratch.write("B=zwei\n", to: "kept")
    for name in ["kept", "removed"] { try scratch.write("A=eins\n", to: name + ".keyplan-new", mode: 0o600) }
    let source = try source(scheme, scratch)
    for name in ["kept", "removed"] {
      await source.removeLeftovers(at: .file(scheme, name, scheme == "file" ? nil : "A"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["kept"])
    #expect(try scratch.text("kept") == "B=zwei\n")
  }

  @Test("an element of a list stays: the others would move")
  func elements() async throws {
    let scratch = try Scratch()
    try scratch.write(#"{"list": ["eins", "zwei"]}"#, to: "f")
    for scheme in ["json", "yaml"] {
      let source = try source(scheme, scratch)
      await #expect(throws: AccessFailure.self) {
        try await source.remove(.file(scheme, "f", "/list/0"), holding: SecretBox(Array("eins".utf8)))
      }
      #expect(try scratch.text("f") == #"{"list": ["eins", "zwei"]}"#)
    }
  }

  @Test("null is nothing, and nothing is no error")
  func null() async throws {
    let scratch = try Scratch()
    try scratch.write(#"{"A": null}"#, to: "f")
    try await source("json", scratch).remove(.file("json", "f", "/A"), holding: SecretBox([1]))
    #expect(try scratch.text("f") == #"{"A": null}"#)
  }

  @Test("no link leads out of the folder, and one inside it stays")
  func links() async throws {
    let (scratch, elsewhere) = (try Scratch(), try Scratch())
    try elsewhere.write("A=eins\n", to: "secret")
    try scratch.write("A=eins\n", to: "real")
    try scratch.link("out", to: elsewhere["secret"])
    try scratch.link("in", to: scratch["real"])
    let value = SecretBox(Array("eins".utf8))
    let source = try source("dotenv", scratch)
    await #expect(throws: AccessFailure.self) { try await source.remove(.file("dotenv", "out", "A"), holding: value) }
    #expect(try elsewhere.text("secret") == "A=eins\n")
    try await source.remove(.file("dotenv", "in", "A"), holding: value)
    #expect(try scratch.text("real") == "")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch["in"]) == scratch["real"])
    try await source.remove(.file("dotenv", "out", "A", allowed: elsewhere["secret"]), holding: value)
    #expect(try elsewhere.text("secret") == "")
  }

  @Test("exactly files and keyrings can be taken from, and their schemes say so")
  func registry() {
    let sources = LocalBackends.sources(SourceContext(variables: [:], folder: "/", home: nil))
    #expect(
      sources.filter { $0 is any RemovableSource }.map(\.backend.name) == [
        "file", "dotenv", "json", "yaml", "plist", "secret-service",
      ])
    for source in sources { #expect(source.backend.reference?.isRemovable == source is any RemovableSource) }
  }
}
