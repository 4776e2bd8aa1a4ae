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

  /// Where the schema has the fields of each place.
  private static let places: [(path: [String], shape: Shape)] = [
    ([], .manifest), (["properties", "store", "oneOf", "-1"], .store),
    (["$defs", "recipient", "oneOf", "-1"], .recipient),
    (["$defs", "provider"], .provider), (["$defs", "check"], .check), (["$defs", "policy"], .policy),
    (["properties", "exposed"], .exposed), (["properties", "verify"], .verify), (["$defs", "key"], .key),
    (["$defs", "slot", "oneOf", "-1"], .slot), (["$defs", "command"], .command),
    (["$defs", "source", "oneOf", "-1"], .reference), (["$defs", "generated"], .generated),
    (["$defs", "generator"], .generator), (["$defs", "composed"], .composed), (["$defs", "minted"], .mint),
    (["$defs", "cache"], .cache),
    (["$defs", "calendar"], .calendar), (["$defs", "endpoints"], .endpoints), (["$defs", "client"], .client),
    (["$defs", "entry"], .entry), (["$defs", "migration"], .migration), (["$defs", "rule"], .rule),
  ]

  @Test("the fields of each place, in their order, with what they take and say, are what the rows make")
  func rows() throws {
    #expect(Self.places.count == Shape.all.count)
    let rows = Self.places.map { place in
      ["path": place.path, "properties": place.shape.rows.map { ["name": $0.name, "schema": $0.schema] }]
        as [String: Any]
    }
    let isRecording = ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] == "keyplan.schema.json"
    let program = """
      import json, sys
      places = json.load(sys.stdin)
      path = sys.argv[1]
      written = open(path).read()
      schema = json.loads(written)
      for place in places:
          at = schema
          for part in place["path"]: at = at[int(part)] if part == "-1" else at[part]
          old = at["properties"]
          def arranged(form):
              order = ["description", "type", "minLength", "minItems", "items", "$ref", "enum"]
              return {
                  name: arranged(form[name]) if isinstance(form[name], dict) else form[name]
                  for name in sorted(form, key=order.index)}
          def ordered(row, old):
              # A form of its own stands in the schema alone.
              return arranged(row) if len(row) > 1 else {"description": row["description"], **{
                  name: form for name, form in old.items() if name != "description"}}
          at["properties"] = {
              row["name"]: ordered(row["schema"], old.get(row["name"], {})) for row in place["properties"]}
      made = json.dumps(schema, indent=2, ensure_ascii=False) + "\\n"
      if sys.argv[2] == "record": open(path, "w").write(made)
      print("same" if made == written else "different")
      """
    let path = Self.root.appending(path: "schemas/keyplan.schema.json").path
    let answer = try python(
      program, [path, isRecording ? "record" : "compare"], JSONSerialization.data(withJSONObject: rows))
    #expect(answer == "same\n", "record it with KEYPLAN_TEST_RECORD=keyplan.schema.json")
  }

  @Test("the schema and the reader know the same fields of connections, targets and descriptions") func fields() throws
  {
    let definitions = try #require(try schema()["$defs"] as? [String: [String: Any]])
    func fields(_ name: String) -> [String] {
      ((definitions[name]?["properties"] as? [String: Any])?.keys).map { $0.sorted() } ?? []
    }
    #expect(fields("connection") == reader.backends.anyConnection.sorted())
    #expect(fields("backend") == DescriptionReader.fields.sorted())
    #expect(fields("target") == reader.backends.anyTarget.sorted())
  }

  @Test("each document that has a key's facts has its texts", arguments: ["keys", "plan", "report", "show"])
  func texts(document: String) throws {
    let data = try Data(contentsOf: Self.root.appending(path: "schemas/\(document).schema.json"))
    func places(_ value: Any) -> [[String: Any]] {
      if let list = value as? [Any] { return list.flatMap(places) }
      guard let object = value as? [String: Any] else { return [] }
      let properties = object["properties"] as? [String: Any] ?? [:]
      let isOfFacts = ["provider", "variable", "isProtected"].allSatisfy { properties[$0] != nil }
      return (isOfFacts ? [properties] : []) + object.values.flatMap(places)
    }
    let found = places(try JSONSerialization.jsonObject(with: data))
    #expect(!found.isEmpty)
    for properties in found { for text in KeyText.allCases { #expect(properties[text.rawValue] != nil, "\(text)") } }
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
    "version: 1\nbackends: { a: { summary: x, base: 'https://x.dev', sources: [docs] } }",
    "version: 1\nbackends: { a: { summary: x, base: 'https://x.dev', sources: { docs: 2026 } } }",
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
    let question = try JSONSerialization.data(withJSONObject: ["schema": try schema(), "instances": instances])
    let answer = Data(try python(program, [], question).utf8)
    return try #require(try JSONSerialization.jsonObject(with: answer) as? [String: Bool])
  }

  /// What a program of Python prints.
  private func python(_ program: String, _ arguments: [String], _ input: Data) throws -> String {
    let question = FileManager.default.temporaryDirectory.appending(path: "keyplan-schema-\(UUID().uuidString).json")
    try input.write(to: question)
    defer { try? FileManager.default.removeItem(at: question) }
    let process = Process()
    process.executableURL = URL(
      filePath: ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] ?? "/usr/bin/python3")
    process.arguments = ["-c", program] + arguments
    process.standardInput = try FileHandle(forReadingFrom: question)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: answer, as: UTF8.self)
  }
}

extension Shape.Row {
  /// What the schema says of it; only its description where its form stands in the schema alone.
  fileprivate var schema: [String: Any] { ["description": help].merging(form.schema) { first, _ in first } }
}

extension Shape.Form {
  fileprivate var schema: [String: Any] {
    switch self {
    case .text: ["type": "string", "minLength": 1]
    case .flag: ["type": "boolean"]
    case .duration: ["$ref": "#/$defs/duration"]
    case .moment: ["$ref": "#/$defs/moment"]
    case .name: ["$ref": "#/$defs/name"]
    case .variable: ["$ref": "#/$defs/variable"]
    case .source: ["$ref": "#/$defs/source"]
    case .defined(let name): ["$ref": "#/$defs/\(name)"]
    case .choice(let words): ["enum": words]
    case .list(let form): ["type": "array", "minItems": 1, "items": form.schema]
    case .own: [:]
    }
  }
}
