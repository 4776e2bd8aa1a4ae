import Foundation
import KeyplanModel
import KeyplanYAML
import Testing

@testable import KeyplanManifest
@testable import KeyplanRemote
@testable import KeyplanServices

/// The published JSON Schema is held to the reader, in both directions.
@Suite struct SchemaTests {
  private static let root = fixtures.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func schema() throws -> [String: Any] {
    let data = try Data(contentsOf: Self.root.appending(path: "schemas/keyplan.schema.json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("the schema and the reader know the same fields everywhere") func fields() throws {
    let schema = try schema()
    let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
    func fields(_ object: [String: Any]?) -> [String] {
      ((object?["properties"] as? [String: Any])?.keys).map { $0.sorted() } ?? []
    }
    func forms(_ name: String) -> [[String: Any]] { definitions[name]?["oneOf"] as? [[String: Any]] ?? [] }
    #expect(fields(schema) == Shape.manifest.fields.sorted())
    let places: [(name: String, shape: [String], fields: [String])] = [
      (
        "store", Shape.store.fields,
        fields(
          (((schema["properties"] as? [String: Any])?["store"] as? [String: Any])?["oneOf"] as? [[String: Any]])?.last)
      ),
      ("recipient", Shape.recipient.fields, fields(forms("recipient").last)),
      ("connection", reader.backends.anyConnection, fields(definitions["connection"])),
      ("backend", DescriptionReader.fields, fields(definitions["backend"])),
      ("provider", Shape.provider.fields, fields(definitions["provider"])),
      ("check", Shape.check.fields, fields(definitions["check"])),
      ("policy", Shape.policy.fields, fields(definitions["policy"])),
      ("exposed", Shape.exposed.fields, fields((schema["properties"] as? [String: [String: Any]])?["exposed"])),
      ("key", Shape.key.fields, fields(definitions["key"])),
      ("slot", Shape.slot.fields, fields(forms("slot").last)),
      ("command", Shape.command.fields, fields(definitions["command"])),
      ("hook", Shape.hook.fields, fields(definitions["command"])),
      ("reference", Shape.reference.fields, fields(forms("source").last)),
      ("generated", Shape.generated.fields, fields(definitions["generated"])),
      ("generator", Shape.generator.fields, fields(definitions["generator"])),
      ("cache", Shape.cache.fields, fields(definitions["cache"])),
      ("calendar", Shape.calendar.fields, fields(definitions["calendar"])),
      ("endpoints", Shape.endpoints.fields, fields(definitions["endpoints"])),
      ("client", Shape.client.fields, fields(definitions["client"])),
      ("target", reader.backends.anyTarget, fields(definitions["target"])),
      ("entry", Shape.entry.fields, fields(definitions["entry"])),
      ("migration", Shape.migration.fields, fields(definitions["migration"])),
      ("rule", Shape.rule.fields, fields(definitions["rule"])),
    ]
    for place in places { #expect(place.fields == place.shape.sorted(), "\(place.name)") }
  }

  @Test(
    "connections and targets in the schema are what the descriptions of backends make", .serialized,
    arguments: ["connection", "target"])
  func backends(name: String) throws {
    let made = BackendSchema.definition(name, reader.backends)
    guard ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] != "keyplan.schema.json" else {
      let path = Self.root.appending(path: "schemas/keyplan.schema.json")
      let text = try String(contentsOf: path, encoding: .utf8)
      let start = try #require(text.range(of: "\n    \"\(name)\": {\n"))
      let end = try #require(text.range(of: "\n    }", range: start.upperBound..<text.endIndex))
      let recorded = text[..<start.lowerBound] + "\n    \"\(name)\": " + made.text(indent: 4) + text[end.upperBound...]
      try Data(recorded.utf8).write(to: path)
      Issue.record("\(name) was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
      return
    }
    let definitions = try #require(try schema()["$defs"] as? [String: Any])
    let written = try #require(definitions[name] as? NSDictionary)
    let expected = try JSONSerialization.jsonObject(with: Data(made.text(indent: 0).utf8)) as? NSDictionary
    let isSame = written == expected
    #expect(isSame, "record it with KEYPLAN_TEST_RECORD=keyplan.schema.json")
  }

  @Test("the schema names each scheme that needs no connection")
  func schemes() throws {
    let definitions = try #require(try schema()["$defs"] as? [String: [String: Any]])
    let reference = (definitions["source"]?["oneOf"] as? [[String: Any]])?.first?["description"] as? String
    for name in reader.backends.readable
    where name != "command" && reader.backends.source(name)?.connection == nil {
      #expect(reference?.contains("\(name)://") == true, "\(name)")
    }
  }

  @Test("every field has a description for editors, and no place takes fields that are not named") func descriptions()
    throws
  {
    func walk(_ value: Any, _ path: String) {
      if let list = value as? [Any] { return list.forEach { walk($0, path) } }
      guard let object = value as? [String: Any] else { return }
      if let properties = object["properties"] as? [String: [String: Any]], !path.hasSuffix("/if") {
        for (name, property) in properties { #expect(property["description"] is String, "\(path)/\(name)") }
        #expect(object["additionalProperties"] != nil, "\(path)")
      }
      for (name, inner) in object { walk(inner, "\(path)/\(name)") }
    }
    walk(try schema(), "")
  }

  @Test(
    "what the reader accepts the schema accepts, and what it refuses for its structure the schema refuses",
    .enabled(
      if: ["KEYPLAN_TEST_PYTHON", "CI"].contains { ProcessInfo.processInfo.environment[$0] != nil },
      "SKIPPED: run make setup-test: jsonschema in KEYPLAN_TEST_PYTHON"))
  func validation() throws {
    var instances: [String: Any] = [:]
    let files = try FileManager.default.contentsOfDirectory(
      at: fixtures.appending(path: "accepted"), includingPropertiesForKeys: nil)
    #expect(files.count >= 3)
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      let reading = reader.read(base: .init(file: file.lastPathComponent, bytes: bytes))
      #expect(reading.manifest != nil, "\(told(reading))")
      instances["accepted \(file.lastPathComponent)"] = json(try #require(try Node.parse(bytes)))
    }
    for (number, yaml) in structural.enumerated() {
      let reading = reader.read(base: text(yaml))
      #expect(reading.manifest == nil, "\(yaml)")
      instances["refused \(number) \(yaml)"] = json(try #require(try Node.parse(Array(yaml.utf8))))
    }
    let verdicts = try validate(instances)
    #expect(verdicts.count == instances.count)
    for (name, isValid) in verdicts { #expect(isValid == name.hasPrefix("accepted"), "\(name)") }
  }

  /// Manifests with one structural fault each: the kind that an editor can underline.
  private let structural = [
    "keys: {}",
    "version: 2",
    "version: '1'",
    "version: 1\nsecrets: {}",
    "version: 1\nstore: 5",
    "version: 1\nkeys: { a: { provider: generic, source: { generate: base32 } } }",
    "version: 1\nkeys: { a: { provider: generic, source: { generate: { bytes: 8 } } } }",
    "version: 1\nkeys: { a: { provider: generic, source: { generate: { format: uuid, bytes: 16 } } } }",
    "version: 1\nkeys: { a: { provider: generic, source: [{ generate: hex }] } }",
    "version: 1\nkeys: { a: { provider: generic, expires: { after: 9d, then: turn } } }",
    "version: 1\nrecipients: { A: passphrase }",
    "version: 1\nrecipients: { a: age1short }",
    "version: 1\nrecipients: { a: { key: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p, can: read } }",
    "version: 1\nconnections: { bao: { address: 'https://x.dev' } }",
    "version: 1\nconnections: { bao: { type: vault, password: x } }",
    "version: 1\nconnections: { bao: { type: vault, region: eu } }",
    "version: 1\nconnections: { bao: { type: vault, address: 'bao.example' } }",
    "version: 1\nproviders: { a: { formats: x } }",
    "version: 1\nproviders: { a: { variable: A-B } }",
    "version: 1\nproviders: { a: { variable: KEYPLAN_X } }",
    "version: 1\nproviders: { a: { check: { valid: [200] } } }",
    "version: 1\nproviders: { a: { check: { url: 'https://x.dev', valid: [2] } } }",
    "version: 1\nproviders: { a: { check: { url: 'https://x.dev', header: 'X: y' } } }",
    "version: 1\npolicies: { p: { warn: 3d } }",
    "version: 1\npolicies: { p: { after: 3d, on: 2027-01-01 } }",
    "version: 1\npolicies: { p: { after: 3 } }",
    "version: 1\npolicies: { p: { after: 0d } }",
    "version: 1\npolicies: { p: { after: 3d, then: drop } }",
    "version: 1\nkeys: []",
    "version: 1\nkeys: { a: }",
    "version: 1\nkeys: { a: {} }",
    "version: 1\nkeys: { a.b: { provider: openai } }",
    "version: 1\nkeys: { a: { provider: openai, soruce: env://A } }",
    "version: 1\nkeys: { a: { provider: openai, source: A } }",
    "version: 1\nkeys: { a: { provider: openai, source: [] } }",
    "version: 1\nkeys: { a: { provider: openai, source: { command: op } } }",
    "version: 1\nkeys: { a: { provider: openai, source: { command: [op], shell: true } } }",
    "version: 1\nkeys: { a: { provider: openai, source: { from: env } } }",
    "version: 1\nkeys: { a: { provider: openai, issued: yesterday } }",
    "version: 1\nkeys: { a: { provider: openai, protected: yes } }",
    "version: 1\nkeys: { a: { provider: openai, labels: { a: 1 } } }",
    "version: 1\nkeys: { a: { provider: openai, cache: { hard: 1d } } }",
    "version: 1\nkeys: { a: { provider: openai, follow: never } }",
    "version: 1\nkeys: { a: { provider: openai } }\nactive: { s: [] }",
    "version: 1\nkeys: { a: { provider: openai } }\nactive: [a, a]",
    "version: 1\ncalendars: { a: { service: google, account: x } }",
    "version: 1\ncalendars: { a: { service: caldav, account: x, url: 'https://x.dev' } }",
    "version: 1\ncalendars: { a: { service: yahoo, account: x, client: { id: x } } }",
    "version: 1\ncalendars: { a: { service: google, account: x, client: { tenant: x } } }",
    "version: 1\ntargets: { t: { type: dotenv, keys: {} } }",
    "version: 1\ntargets: { t: { type: dotenv, path: x } }",
    "version: 1\ntargets: { t: { type: json, path: x, container: y, keys: {} } }",
    "version: 1\ntargets: { t: { type: cloudkit, container: x, mode: '0600', keys: {} } }",
    "version: 1\ntargets: { t: { type: yaml, path: x, connection: y, keys: {} } }",
    "version: 1\ntargets: { t: { path: x, keys: {} } }",
    "version: 1\ntargets: { t: { type: dotenv, path: x, keys: { A: 1 } } }",
    "version: 1\ntargets: { t: { type: dotenv, path: x, keys: { A: { from: active.x } } } }",
    "version: 1\nmigrations: { moved: a, to: b }",
    "version: 1\nmigrations: [{ to: a }]",
    "version: 1\nmigrations: [{ moved: a }]",
    "version: 1\nkeys: { b: { provider: openai } }\nmigrations: [{ moved: a, to: b, original: keep }]",
    "version: 1\nkeys: { b: { provider: openai } }\nmigrations: [{ moved: a, adopt: 'env://A', to: b }]",
    "version: 1\nrules: [{ maxAge: 1d }]",
    "version: 1\nrules: { r: {} }",
    "version: 1\nrules: { r: { maxAge: 3 } }",
    "version: 1\nrules: { r: { forbidSources: env } }",
    "version: 1\nrules: { r: { forbidSources: [] } }",
    "version: 1\nrules: { r: { maxAge: 3d, environments: [Production] } }",
    "version: 1\nrules: { r: { maxAge: 3d, forbid: [env] } }",
  ]

  private func json(_ node: Node) -> Any {
    switch node.content {
    case .sequence(let nodes): return nodes.map { json($0) }
    case .mapping(let entries):
      var object: [String: Any] = [:]
      for entry in entries {
        if case .scalar(let name) = entry.key.content { object[name.text] = json(entry.value) }
      }
      return object
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: return NSNull()
      case .bool(let value): return value
      case .int(let value): return value
      case .float(let value): return value
      case .string(let value): return value
      }
    }
  }

  /// Asks an implementation that is not our own, all at once.
  private func validate(_ instances: [String: Any]) throws -> [String: Bool] {
    let program = """
      import json, sys
      from jsonschema import Draft202012Validator
      question = json.load(sys.stdin)
      Draft202012Validator.check_schema(question["schema"])
      validator = Draft202012Validator(question["schema"])
      print(json.dumps({name: validator.is_valid(value) for name, value in question["instances"].items()}))
      """
    let question = FileManager.default.temporaryDirectory.appending(path: "keyplan-schema-\(UUID().uuidString).json")
    try JSONSerialization.data(withJSONObject: ["schema": try schema(), "instances": instances]).write(to: question)
    defer { try? FileManager.default.removeItem(at: question) }
    let process = Process()
    process.executableURL = URL(
      filePath: try #require(ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]))
    process.arguments = ["-c", program]
    process.standardInput = try FileHandle(forReadingFrom: question)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try #require(try JSONSerialization.jsonObject(with: answer) as? [String: Bool])
  }
}
