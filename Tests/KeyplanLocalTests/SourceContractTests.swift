import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import TestTools
import Testing

@Suite("Every source keeps the contract")
struct SourceContractTests {
  @Test("the twin in memory")
  func memory() async {
    let scheme = BackendDescription(
      "memory", reference: ReferenceGrammar(.variable, example: "memory://NAME", isLocal: false))
    let names = ["a", "b", "c", "d"].map { Reference(scheme: "memory", location: $0, isLocal: false) }
    let source = MemorySource(
      scheme,
      [
        names[0]: .value(Array("1".utf8)), names[1]: .value(Array("2".utf8)),
        names[2]: .unreachable("It is asleep."), names[3]: .unreadable("It is a riddle."),
      ])
    let contract = SourceContract(
      source, present: [(names[0], "1"), (names[1], "2")],
      missing: [Reference(scheme: "memory", location: "nowhere", isLocal: false)], unreachable: [names[2]],
      unreadable: [names[3]])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("a source that mixes answers up is caught")
  func mixedUp() async {
    struct Backwards: SecretSource {
      let inner: MemorySource
      var backend: BackendDescription { inner.backend }
      func read(_ references: [Reference]) async -> [SourceAnswer] { await inner.read(references).reversed() }
    }
    let (a, b) = (Reference.env("A"), Reference.env("B"))
    let inner = MemorySource(EnvSource.backend, [a: .value([65]), b: .value([66])])
    #expect(await SourceContract(inner, present: [(a, "A"), (b, "B")]).violations() == [])
    #expect(await SourceContract(Backwards(inner: inner), present: [(a, "A"), (b, "B")]).violations() != [])
  }

  @Test("a reason that shows a value is caught")
  func leak() async {
    let (a, b) = (Reference.env("A"), Reference.env("B"))
    let source = MemorySource(
      EnvSource.backend, [a: .value(Array("hunter2".utf8)), b: .unreadable("It holds hunter2.")])
    #expect(
      await SourceContract(source, present: [(a, "hunter2")], unreadable: [b]).violations().contains(
        "a reason shows a value"))
  }

  @Test("env")
  func env() async throws {
    let context = SourceContext(variables: ["A": "eins", "B": "zwei", "EMPTY": ""], folder: "/", home: nil)
    let contract = SourceContract(
      EnvSource(context), present: [(.env("A"), "eins"), (.env("B"), "zwei")],
      missing: [.env("C"), .env("EMPTY"), .env("a")], unreadable: [.env("KEYPLAN_IDENTITY")])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("file")
  func file() async throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "a")
    try scratch.write("two\nlines", to: "b")
    try scratch.folder("folder")
    let contract = SourceContract(
      FileSource(SourceContext(scratch)), present: [(.file("file", "a"), "one"), (.file("file", "b"), "two\nlines")],
      missing: [.file("file", "c"), .file("file", "folder/c"), .file("file", "no/c")],
      unreadable: [.file("file", "folder"), .file("file", "a/b")])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test(
    "files with names in them",
    arguments: [
      (scheme: "dotenv", text: "A=eins\nB='zwei'\n", a: "A", b: "B", broken: "what is this"),
      (scheme: "json", text: #"{"A": "eins", "deep": {"B": "zwei"}}"#, a: "/A", b: "/deep/B", broken: "{"),
      (scheme: "yaml", text: "A: eins\ndeep: {B: zwei}\n", a: "/A", b: "/deep/B", broken: "a: [1"),
      (
        scheme: "plist",
        text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>A</key><string>eins</string>
        <key>deep</key><dict><key>B</key><string>zwei</string></dict></dict></plist>
        """, a: "A", b: "deep/B", broken: "<plist>"
      ),
    ])
  func documents(_ given: (scheme: String, text: String, a: String, b: String, broken: String)) async throws {
    let scratch = try Scratch()
    try scratch.write(given.text, to: "good")
    try scratch.write(given.text, to: "twin")
    try scratch.write(given.broken, to: "broken")
    try scratch.folder("folder")
    try scratch.pipe("pipe")
    let sources = LocalBackends.sources(SourceContext(scratch))
    let source = try #require(sources.first { $0.backend.name == given.scheme })
    let contract = SourceContract(
      source,
      present: [
        (.file(given.scheme, "good", given.a), "eins"), (.file(given.scheme, "good", given.b), "zwei"),
        (.file(given.scheme, "twin", given.a), "eins"),
      ],
      missing: [.file(given.scheme, "good", given.a + "X"), .file(given.scheme, "absent", given.a)],
      unreadable: ["broken", "folder", "pipe"].map { .file(given.scheme, $0, given.a) })
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("command")
  func command() async throws {
    let scratch = try Scratch()
    let context = SourceContext(scratch, variables: ["PATH": "/usr/bin:/bin"])
    let contract = SourceContract(
      CommandSource(context), present: [(.command(["echo", "one"]), "one"), (.command(["printf", "zwei"]), "zwei")],
      unreachable: [.command(["false"]), .command(["no-such-program-anywhere"])], unreadable: [.command(["true"])])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("each source is registered once, under its scheme")
  func registry() {
    let context = SourceContext(variables: [:], folder: "/", home: nil)
    #expect(
      LocalBackends.sources(context).map(\.backend.name) == [
        "env", "file", "dotenv", "json", "yaml", "plist", "age", "sops", "pass", "secret-service",
        "op", "command",
      ])
  }
}
