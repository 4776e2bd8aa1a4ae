import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

@Suite struct ReferenceTests {
  private func sources(_ source: String) -> [Reference]? {
    let reading = reader.read(base: text("version: 1\nkeys:\n  k: { provider: generic, source: \(source) }"))
    return reading.manifest?.keys.values.first?.sources
  }

  @Test(
    "references are read to their canonical text, and what leaves the folder is surface",
    arguments: [
      (source: "env://OPENAI_API_KEY", canonical: "env://OPENAI_API_KEY", surface: nil),
      (source: "dotenv://.env#A", canonical: "dotenv://.env#A", surface: nil),
      (source: "dotenv://./a//b/../.env#A", canonical: "dotenv://a/.env#A", surface: nil),
      (source: "json://config/a.json#/a/b~1c", canonical: "json://config/a.json#/a/b~1c", surface: nil),
      (source: "plist://Legacy/Secrets.plist#/A/B", canonical: "plist://Legacy/Secrets.plist#/A/B", surface: nil),
      (source: "plist://Secrets.plist#/A/B~1C", canonical: "plist://Secrets.plist#/A/B~1C", surface: nil),
      (source: "json://a.json#KEY", canonical: "json://a.json#KEY", surface: nil),
      (source: "yaml://a.yaml#a.b~c", canonical: "yaml://a.yaml#a.b~c", surface: nil),
      (source: "file://../x", canonical: "file://../x", surface: "path ../x"),
      (source: "file://a/../../x", canonical: "file://../x", surface: "path ../x"),
      (source: "file:///etc/../run//secret", canonical: "file:///run/secret", surface: "path /run/secret"),
      (source: "file://~/x", canonical: "file://~/x", surface: "path ~/x"),
      (source: "file://~/../../etc/x", canonical: "file://~/../../etc/x", surface: "path ~/../../etc/x"),
      (source: "pass://a/b#user", canonical: "pass://a/b#user", surface: "path pass://a/b"),
      (source: "file://a%20b%23c", canonical: "file://a b%23c", surface: nil),
      (source: "dotenv://a%25b#sp%20a%23c%25", canonical: "dotenv://a%25b#sp a#c%25", surface: nil),
      (source: "{ from: dotenv, path: \"a b\", field: A }", canonical: "dotenv://a b#A", surface: nil),
      (
        source: "{ command: [op, read, \"op://a b/c\", \"\"], timeout: 10s, variables: [OP_TOKEN] }",
        canonical: "command: op read \"op://a b/c\" \"\"", surface: "command op read \"op://a b/c\" \"\""
      ),
    ] as [(source: String, canonical: String, surface: String?)])
  func canonical(source: String, canonical: String, surface: String?) throws {
    let reference = try #require(sources(source)?.first)
    #expect(reference.description == canonical)
    #expect(reference.surface?.description == surface)
    #expect(reference.isLocal == (reference.scheme != "command"))
    if reference.scheme != "command" { #expect(sources("\"\(canonical)\"") == [reference]) }
  }

  @Test("a command brings its time and its variables") func command() throws {
    let reference = try #require(sources("{ command: [a], timeout: 10s, variables: [B] }")?.first)
    #expect(reference.arguments == ["a"])
    #expect(reference.timeout == Interval(seconds: 10))
    #expect(reference.variables == ["B"])
  }

  @Test("no two commands read the same in a review") func commandsDiffer() {
    let commands = [
      ["a", "b c"], ["a", "b", "c"], ["a", "\"b", "c\""], ["a b c"], ["a", "b\\", "c"], ["a", "b\u{202E}c"],
    ]
    #expect(Set(commands.map { ManifestParser.quoted($0) }).count == commands.count)
    #expect(!ManifestParser.quoted(["a\u{202E}\n"]).unicodeScalars.contains("\u{202E}"))
  }

  @Test(
    "near misses show the right form",
    arguments: [
      (source: "env:OPENAI_API_KEY", hint: "Write env://OPENAI_API_KEY."),
      (source: "env:/OPENAI_API_KEY", hint: "Write env://OPENAI_API_KEY."),
      (source: "$OPENAI_API_KEY", hint: "Write env://OPENAI_API_KEY."),
      (source: "\"${OPENAI_API_KEY}\"", hint: "Write env://OPENAI_API_KEY."),
      (source: "\"${OPENAI_API_KEY:-x}\"", hint: "Write env://OPENAI_API_KEY."),
      (source: "OPENAI_API_KEY", hint: "Write env://OPENAI_API_KEY."),
      (source: "\"op:Team/Item/field\"", hint: "Write op://Team/Item/field."),
      (source: "ref+vault://secret/path#key", hint: "Write vault://secret/path#key."),
      (source: "dotnev://.env#A", hint: "dotenv://"),
      (source: "evn://A", hint: "env://"),
      (source: "hunter2", hint: "A reference has a scheme"),
      (source: "json://a.json#a/b", hint: "Write #/a/b."),
      (source: "yaml://a.yaml#a/b~c", hint: "Write #/a/b~0c."),
      (source: "correct-horse", hint: "A reference has a scheme"),
      (source: "\"dotenv:.env#X\"", hint: "Write dotenv://.env#X."),
      (source: "\"dotenv:/.env#X\"", hint: "Write dotenv://.env#X."),
      (source: "key.other", hint: "Write env://NAME or dotenv://.env#NAME here."),
    ])
  func nearMisses(source: String, hint: String) {
    let reading = reader.read(base: text("version: 1\nkeys:\n  k: { provider: generic, source: \(source) }"))
    #expect(reading.diagnostics.count == 1, "\(told(reading))")
    #expect(reading.diagnostics.first?.code == .invalidReference)
    #expect(reading.diagnostics.first?.hint?.contains(hint) == true, "\(told(reading))")
    #expect(reading.diagnostics.first?.place?.column == 35)
  }

  @Test(
    "references that name nothing are refused",
    arguments: [
      "env://", "file://a%E2%80%AEb", "env://A-B", "env://1A", "env://A#B", "env://KEYPLAN_IDENTITY", "dotenv://.env",
      "dotenv://.env#",
      "dotenv://#A", "file://", "file://.", "file:///", "file://~", "file://a#b", "json://a.json", "json://a.json#a/b",
      "yaml://a.yaml#a/b",
      "plist://a.plist#/~2",
      "json://a.json#/~2", "plist://a.plist#a//b", "plist://a.plist#A/B", "file://%zz", "file://%ff", "file://a%00b",
      "vault://",
      "{ from: nothing, path: a }", "{ from: command, path: a }", "command://ls",
    ])
  func refused(source: String) {
    let reading = reader.read(base: text("version: 1\nkeys:\n  k: { provider: generic, source: \"\(source)\" }"))
    let mapped = reader.read(base: text("version: 1\nkeys:\n  k: { provider: generic, source: \(source) }"))
    let read = source.hasPrefix("{") ? mapped : reading
    #expect(read.manifest == nil)
    #expect(read.diagnostics.map(\.code) == [.invalidReference], "\(told(read))")
  }

  @Test("commands are lists of texts") func commands() {
    check(
      """
      version: 1
      keys:
        a: { provider: generic, source: { command: 1️⃣op read x } }
        b: { provider: generic, source: { command: 2️⃣[] } }
        c: { provider: generic, source: { command: [a, 3️⃣[b], 4️⃣5] } }
        d: { provider: generic, source: { command: [a], variables: [5️⃣KEYPLAN_IDENTITY], timeout: 6️⃣ten } }
        e: { provider: generic, source: { 7️⃣comand: [a] } }
        f: { provider: generic, source: 8️⃣[] }
      """.replacing("source: { 7️⃣comand", with: "source: 8️⃣{ 7️⃣comand").replacing("source: 8️⃣[]", with: "source: 9️⃣[]"),
      Fault(.wrongType, "without a shell"), Fault(.invalidValue, "empty"), Fault(.wrongType), Fault(.wrongType),
      Fault(.invalidValue), Fault(.invalidValue), Fault(.unknownField), Fault(.missingField, "\"from\""),
      Fault(.invalidValue, "empty"))
  }

  @Test("a key whose sources include one that cannot be read yet is held back and still declared") func unsupported()
    throws
  {
    let manifest = try #require(
      check(
        """
        version: 1
        connections: { team: { type: keychain } }
        keys:
          a: { provider: openai, source: [team://x#y, env://A] }
          b: { provider: openai, source: keychain://x/y }
          c: { provider: openai, source: { from: keychain, path: a b } }
        targets:
          t: { type: dotenv, path: .env, keys: { "*": a, B: b } }
        """
      ).manifest)
    #expect(
      manifest.unsupported.map { "\($0.address): \($0.what)" } == [
        "key.a: keychain sources", "key.b: keychain sources", "key.c: keychain sources",
      ])
    #expect(manifest.keys.keys.map(\.name).sorted() == ["a", "b", "c"])
    #expect(Identifier<Key>("a").flatMap { manifest.keys[$0] }?.facts.sources == ["env://A"])
    #expect(manifest.targets.keys.map(\.name) == ["t"])
    #expect(manifest.unsupported.first?.place?.line == 4)
  }
}
