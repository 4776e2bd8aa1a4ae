package import KeyplanModel

extension BackendDescription {
  /// The manifest's view of a described service.
  /// - Parameter digest: the digest of a description from the manifest; nil for a built-in one.
  package init(_ api: SecretAPI, digest: String? = nil) {
    let fields = api.connection.map { $0.asBackendField(isPlace: api.placeFields.contains($0.name)) }
    self.init(
      api.name, title: api.summary, help: api.help, isPreview: api.isPreview && digest == nil, digest: digest,
      connection: ConnectionGrammar(
        fields, hosts: api.hostTemplates, isOptional: fields.allSatisfy { !$0.isRequired || !$0.variables.isEmpty }),
      reference: api.reads.isEmpty ? nil : api.reference, target: api.isWritable ? api.targetGrammar : nil,
      issuer: api.issuerGrammar,
      pace: KeyplanModel.Pace(
        concurrency: api.pace.concurrency, gap: .zero, patience: .seconds(api.pace.patience)))
  }
}

extension SecretAPI {
  fileprivate var help: String {
    if let rotate {
      guard case .manual = rotate.mint else { return "Its keys are made and revoked through its HTTP interface." }
      return rotate.revoke == nil
        ? "A person makes and revokes its keys."
        : "A person makes its keys. They are revoked through its HTTP interface."
    }
    return switch readsBack {
    case .values: "Read and written through its HTTP interface."
    case .marks, .presence: "Written through its HTTP interface, which does not show values."
    }
  }

  /// The fields of the connection that requests use for anything but signing in: they decide which place is meant.
  fileprivate var placeFields: Set<String> {
    var used = base.variables
    for header in headers { used.formUnion(header.value.variables) }
    for place in places { used.formUnion(place.path.variables) }
    for request in requests where !request.name.hasPrefix("auth/") { used.formUnion(request.value.path.variables) }
    for request in requests where !request.name.hasPrefix("auth/") {
      for parameter in request.value.query { used.formUnion(parameter.value.variables) }
    }
    // The hosts are the connection's surface already.
    return used.intersection(connection.filter { $0.kind != .url && !$0.kind.isSecret }.map(\.name))
  }

  /// The hosts of `base` and of logins, unless they are those of a `url` field.
  fileprivate var hostTemplates: [String] {
    let bases = [base] + auth.flatMap { $0.login.compactMap(\.request.base) }
    let urls = Set(connection.filter { $0.kind == .url }.map(\.name))
    var hosts: [String] = []
    for base in bases where base.variables.isDisjoint(with: urls) {
      let text = base.pieces.map { piece in
        switch piece {
        case .literal(let literal): literal
        case .variable(let variable): "{\(variable.name)}"
        }
      }.joined()
      guard let start = text.firstRange(of: "://")?.upperBound else { continue }
      let host = String(text[start...].prefix { $0 != "/" })
      if !hosts.contains(host) { hosts.append(host) }
    }
    return hosts
  }

  private var rule: NameRule { names?.rule ?? .text }

  fileprivate var reference: ReferenceGrammar {
    let named = ["NAME", "name", "a-name"].first { rule.fault(in: $0) == nil } ?? "NAME"
    guard !target.isEmpty else {
      return ReferenceGrammar(
        .place(what: "the name of a secret"), example: "\(name)://\(named)", isLocal: false,
        help: "A secret by its name.")
    }
    let fields = place
    let location = fields.positional.map { $0.example ?? "my-\($0.name)" }.joined(separator: "/")
    let more = fields.named.isEmpty ? "" : " Other fields of targets follow after `?`: `?name=value&…`."
    return ReferenceGrammar(
      .fields(fields), selector: .name, example: "\(name)://\(location)#\(named)", isLocal: false,
      help: "A secret by its place and name.\(more)")
  }

  /// The fields of a place as references have them. By position: those that are required, or else those of the first kind of
  /// place that does not extend another one.
  package var place: PlaceFields {
    var first = target.filter(\.isRequired).map(\.name)
    if first.isEmpty { first = choices.first ?? [] }
    let fields = target.map { $0.asBackendField(isPlace: true) }
    return PlaceFields(
      first.compactMap { name in fields.first { $0.name == name } }, named: fields.filter { !first.contains($0.name) })
  }

  /// The kinds of places that do not extend another one.
  private var choices: [[String]] {
    places.map(\.fields).filter { fields in
      !places.contains { $0.fields.count < fields.count && Set($0.fields).isSubset(of: fields) }
    }
  }

  fileprivate var targetGrammar: TargetGrammar {
    TargetGrammar(
      fields: target.map { $0.asBackendField(isPlace: true) }, choices: choices, names: rule,
      limits: TargetGrammar.Limits(valueBytes: limits.value), readsBack: readsBack, takesEffect: takesEffect,
      notices: notices)
  }
}

extension SecretAPI.Field {
  package func asBackendField(isPlace: Bool) -> BackendField {
    BackendField(
      name, fieldKind, default: initial, isRequired: isRequired && initial == nil, pattern: pattern,
      variables: environment, isPlace: isPlace, example: example, help: help ?? "")
  }

  private var fieldKind: BackendField.Kind {
    switch kind {
    case .name: .name
    case .text, .json: .text
    case .path: .path
    case .label: .label
    case .url: .url
    case .bool: .bool
    case .int: .int(0...Int(Int32.max))
    case .list: .list
    case .secret: .secret
    case .jwt: .identityToken
    }
  }
}
