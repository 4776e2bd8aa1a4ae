import KeyplanModel

@testable import KeyplanManifest

/// The schema's definitions of connections and targets, as the descriptions of backends make them.
enum BackendSchema {
  /// JSON whose fields keep their order.
  indirect enum JSON {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([JSON])
    case object([(String, JSON)])

    func text(indent: Int) -> String {
      let inner = String(repeating: " ", count: indent + 2)
      let end = "\n" + String(repeating: " ", count: indent)
      switch self {
      case .text(let text):
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
      case .number(let number): return "\(number)"
      case .flag(let flag): return "\(flag)"
      case .list(let items):
        return "[\n" + items.map { inner + $0.text(indent: indent + 2) }.joined(separator: ",\n") + end + "]"
      case .object(let fields):
        return "{\n" + fields.map { "\(inner)\"\($0.0)\": \($0.1.text(indent: indent + 2))" }.joined(separator: ",\n")
          + end + "}"
      }
    }
  }

  static func definition(_ name: String, _ backends: Backends) -> JSON {
    name == "connection" ? connection(backends) : target(backends)
  }

  private static func connection(_ backends: Backends) -> JSON {
    let types = backends.connectionTypes
    let fields = types.map { backends.connection($0)?.connection?.fields ?? [] }
    return definition(
      "A way to a service: its address and how to sign in, never a secret.", type: "The kind of service.",
      Array(zip(types, fields)), common: [], required: [])
  }

  private static func target(_ backends: Backends) -> JSON {
    let types = backends.targetTypes
    let connection = BackendField("connection", help: "The connection to the service, by its name under connections.")
    let fields = types.compactMap { backends.target($0) }.map { backend in
      (backend.connection == nil ? [] : [connection]) + (backend.target?.fields ?? [])
    }
    return definition(
      "Where values are synced to.", type: "The kind of target.", Array(zip(types, fields)), common: common,
      required: ["keys"])
  }

  /// What all targets have.
  private static let common: [(String, JSON)] = [
    (
      "keys",
      .object([
        described("What is synced, by its name at the target. \"*\" stands for the key's own variable."),
        ("type", .text("object")),
        (
          "properties",
          .object([
            (
              "*",
              .object([
                described("Keys and slots that are written under the variable of the key."),
                ("oneOf", .list([feed, entry, .object([("type", .text("array")), ("items", feedOrEntry)])])),
              ])
            )
          ])
        ),
        (
          "additionalProperties",
          .object([
            described("A key, a slot, or a slot with a name for each provider."),
            ("oneOf", .list([feed, entry])),
          ])
        ),
      ])
    ),
    (
      "takeOver",
      .object([
        described("Whether values that somebody else put there may be overwritten."), ("type", .text("boolean")),
      ])
    ),
    (
      "unsafeName",
      .object([
        described("Whether its names may be variables that decide what programs load, run or trust, such as PATH."),
        ("type", .text("boolean")),
      ])
    ),
    (
      "after",
      .object([
        described("A program that is run once after something was written to the target or withdrawn from it."),
        ("$ref", .text("#/$defs/command")),
      ])
    ),
  ]

  private static let entry = JSON.object([("$ref", .text("#/$defs/entry"))])
  private static let feedOrEntry = JSON.object([("oneOf", .list([feed, entry]))])
  private static let feed = JSON.object([("$ref", .text("#/$defs/feed"))])

  private static func described(_ text: String) -> (String, JSON) { ("description", .text(text)) }

  /// A mapping whose `type` decides which fields it has.
  private static func definition(
    _ description: String, type: String, _ types: [(name: String, fields: [BackendField])], common: [(String, JSON)],
    required: [String]
  ) -> JSON {
    var names: [String] = []
    for field in types.flatMap(\.fields) where !names.contains(field.name) { names.append(field.name) }
    let any = names.map { name in
      // For editors that offer fields before there is a type.
      let helps = types.flatMap(\.fields).filter { $0.name == name }.map(\.help)
      return (
        name,
        JSON.object([
          described(helps.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: " "))
        ])
      )
    }
    var groups: [(names: [String], fields: [BackendField])] = []
    for (name, fields) in types {
      if let index = groups.firstIndex(where: { $0.fields == fields }) {
        groups[index].names.append(name)
      } else {
        groups.append(([name], fields))
      }
    }
    let known = JSON.object([("enum", .list(types.map { .text($0.name) }))])
    let words = (["type"] + required).map { JSON.text($0) }
    return .object([
      // Types that the manifest describes itself have fields of their own.
      described(description), ("type", .text("object")), ("additionalProperties", .flag(true)),
      ("required", .list(words)),
      (
        "properties",
        .object(
          [
            (
              "type",
              .object([described(type), ("anyOf", .list([known, .object([("$ref", .text("#/$defs/name"))])]))])
            )
          ]
            + any + common)
      ),
      ("allOf", .list(groups.map { branch($0.names, $0.fields, type, common) })),
    ])
  }

  private static func branch(
    _ names: [String], _ fields: [BackendField], _ type: String, _ common: [(String, JSON)]
  ) -> JSON {
    let chosen = JSON.object([("enum", .list(names.map { .text($0) }))])
    let shared = (["type"] + common.map(\.0)).map { name -> (String, JSON) in
      guard case .object(let parts)? = common.first(where: { $0.0 == name })?.1 else {
        return (name, .object([described(type)]))
      }
      return (name, .object([parts[0]]))
    }
    let required = fields.filter(\.isRequired).map { JSON.text($0.name) }
    return .object([
      ("if", .object([("properties", .object([("type", chosen)])), ("required", .list([.text("type")]))])),
      (
        "then",
        .object(
          [
            ("properties", .object(shared + fields.map { ($0.name, schema(of: $0)) })),
            ("additionalProperties", .flag(false)),
          ] + (required.isEmpty ? [] : [("required", .list(required))]))
      ),
    ])
  }

  private static func schema(of field: BackendField) -> JSON {
    var parts: [(String, JSON)] = [described(field.help)]
    switch field.kind {
    case .text, .name, .path, .label, .file:
      parts += [("type", .text("string")), ("minLength", .number(1))]
      if let pattern = field.pattern { parts.append(("pattern", .text("^(\(pattern.text))$"))) }
    case .url: parts += [("type", .text("string")), ("pattern", .text("^https?://"))]
    case .bool: parts.append(("type", .text("boolean")))
    case .int(let bounds):
      parts += [
        ("type", .text("integer")), ("minimum", .number(bounds.lowerBound)), ("maximum", .number(bounds.upperBound)),
      ]
    case .list:
      parts += [("type", .text("array")), ("items", .object([("type", .text("string")), ("minLength", .number(1))]))]
    case .urls:
      parts += [
        ("type", .text("array")),
        ("items", .object([("type", .text("string")), ("pattern", .text("^https?://"))])),
      ]
    case .command:
      parts += [
        ("type", .text("array")), ("minItems", .number(1)), ("items", .object([("type", .text("string"))])),
      ]
    case .choice(let words): parts.append(("enum", .list(words.map { .text($0) })))
    case .secret: parts.append(("$ref", .text("#/$defs/source")))
    case .identityToken: parts.append(("oneOf", .list([.object([("$ref", .text("#/$defs/source"))]), issuedToken])))
    case .method(let methods): parts.append(("oneOf", .list(self.methods(methods))))
    case .mode:
      parts += [("type", .list([.text("string"), .text("integer")])), ("pattern", .text("^(0o|0)?[0-7]{3}$"))]
    }
    return .object(parts)
  }

  /// A method's name, or a mapping with one method.
  private static func methods(_ methods: [BackendMethod]) -> [JSON] {
    let alone = methods.filter { !$0.fields.contains(where: \.isRequired) }.map { JSON.text($0.name) }
    let names = alone.isEmpty ? [] : [JSON.object([("enum", .list(alone))])]
    return names
      + methods.map { method in
        let required = method.fields.filter(\.isRequired).map { JSON.text($0.name) }
        let fields = JSON.object(
          [
            described(method.help), ("type", .text("object")), ("additionalProperties", .flag(false)),
            ("properties", .object(method.fields.map { ($0.name, schema(of: $0)) })),
          ] + (required.isEmpty ? [] : [("required", .list(required))]))
        return .object([
          ("type", .text("object")), ("additionalProperties", .flag(false)),
          ("required", .list([.text(method.name)])), ("properties", .object([(method.name, fields)])),
        ])
      }
  }

  /// The token of a CI job by its service.
  private static var issuedToken: JSON {
    let helps = [
      ("github", "The audience of the token that GitHub Actions issues for the job."),
      ("gitlab", "The variable with the token, as declared under id_tokens."),
      ("file", "The file with the token; it is read for each sign-in."),
    ]
    return .object([
      ("type", .text("object")), ("additionalProperties", .flag(false)), ("minProperties", .number(1)),
      ("maxProperties", .number(1)),
      (
        "properties",
        .object(
          helps.map { name, help in
            (name, .object([described(help), ("type", .text("string")), ("minLength", .number(1))]))
          })
      ),
    ])
  }
}
