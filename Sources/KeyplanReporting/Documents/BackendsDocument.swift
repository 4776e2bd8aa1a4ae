package import KeyplanModel

/// `schemas/backends.schema.json`.
package struct BackendsDocument: Encodable {
  package let formatVersion = 1
  private let backends: [BackendFields]

  package init(_ backends: [BackendDescription]) { self.backends = backends.map(BackendFields.init) }

  private struct BackendFields: Encodable {
    let name: String
    let title: String
    let help: String
    let isPreview: Bool
    let connection: ConnectionFields?
    let source: SourceFields?
    let target: TargetFields?
    let issuer: IssuerFields?
    let pace: PaceFields?
    /// A complete manifest.
    let example: String

    init(_ backend: BackendDescription) {
      (name, title, help) = (backend.name, backend.title, backend.help)
      isPreview = backend.isPreview
      connection = backend.connection.map(ConnectionFields.init)
      source = backend.reference.map(SourceFields.init)
      target = backend.target.map(TargetFields.init)
      issuer = backend.issuer.map(IssuerFields.init)
      pace = backend.pace.map(PaceFields.init)
      example = BackendExample(of: backend).lines.joined(separator: "\n") + "\n"
    }
  }

  private struct ConnectionFields: Encodable {
    let isOptional: Bool
    let hosts: [String]
    let fields: [Field]

    init(_ grammar: ConnectionGrammar) {
      (isOptional, hosts, fields) = (grammar.isOptional, grammar.hosts, grammar.allFields.map(Field.init))
    }
  }

  private struct SourceFields: Encodable {
    let example: String
    let help: String
    let isLocal: Bool
    let isRemovable: Bool

    init(_ grammar: ReferenceGrammar) {
      (example, help) = (grammar.example, grammar.help)
      (isLocal, isRemovable) = (grammar.isLocal, grammar.isRemovable)
    }
  }

  private struct TargetFields: Encodable {
    let readsBack: String
    let takesEffect: TakesEffect
    let notices: [String]
    let names: Names
    let valueBytes: Int?
    let nameCount: Int?
    let fields: [Field]

    init(_ grammar: TargetGrammar) {
      (readsBack, takesEffect) = (grammar.readsBack.word, grammar.takesEffect)
      notices = grammar.notices.map(\.sentence)
      names = Names(grammar.names)
      (valueBytes, nameCount) = (grammar.limits.valueBytes, grammar.limits.names)
      fields = grammar.fields.map(Field.init)
    }
  }

  private struct IssuerFields: Encodable {
    let parts: [String]
    let isManual: Bool
    let page: String?
    let canDisable: Bool
    let canRevoke: Bool
    let canRenew: Bool
    let fields: [Field]

    init(_ grammar: IssuerGrammar) {
      (parts, isManual, page) = (grammar.parts, grammar.manual != nil, grammar.manual?.page)
      (canDisable, canRevoke, canRenew) = (grammar.canDisable, grammar.canRevoke, grammar.canRenew)
      fields = grammar.place.fields.map(Field.init)
    }
  }

  private struct Names: Encodable {
    let alphabet: String
    let pattern: String?
    let reserved: [String]
    let taken: [String]
    let longest: Int?
    let foldsCase: Bool

    init(_ rule: NameRule) {
      switch rule.alphabet {
      case .text: (alphabet, pattern) = ("text", nil)
      case .nested: (alphabet, pattern) = ("nested", nil)
      case .variable: (alphabet, pattern) = ("variable", nil)
      case .pattern(let form): (alphabet, pattern) = ("pattern", form.text)
      }
      (reserved, taken, longest, foldsCase) = (rule.reserved, rule.taken, rule.longest, rule.foldsCase)
    }
  }

  private struct Field: Encodable {
    let name: String
    let kind: String
    let choices: [String]?
    let least: Int?
    let most: Int?
    let pattern: String?
    let `default`: String?
    let variables: [String]?
    let isRequired: Bool
    let help: String

    init(_ field: BackendField) {
      (name, kind) = (field.name, field.kindName)
      choices =
        switch field.kind {
        case .choice(let words): words
        case .method(let methods): methods.map(\.name)
        default: nil
        }
      (least, most) =
        if case .int(let bounds) = field.kind { (bounds.lowerBound, bounds.upperBound) } else { (nil, nil) }
      (pattern, `default`) = (field.pattern?.text, field.defaultText)
      variables = field.variables.isEmpty ? nil : field.variables
      (isRequired, help) = (field.isRequired, field.help)
    }
  }

  private struct PaceFields: Encodable {
    let concurrency: Int
    let gapMilliseconds: Int64
    let patienceSeconds: Int64

    init(_ pace: Pace) {
      concurrency = pace.concurrency
      gapMilliseconds =
        pace.gap.components.seconds * 1000 + pace.gap.components.attoseconds / 1_000_000_000_000_000
      patienceSeconds = pace.patience.components.seconds
    }
  }
}
