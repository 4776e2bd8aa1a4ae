package import KeyplanModel

/// A complete manifest that uses a backend in every way that it can be used.
package struct BackendExample {
  /// The manifest's lines.
  package let lines: [String]

  package init(of backend: BackendDescription) {
    var lines = ["version: 1"]
    let needsConnection = backend.connection.map { !$0.isOptional || $0.fields.contains(where: \.isRequired) } ?? false
    let way = needsConnection ? "my-\(backend.name)" : backend.name
    if needsConnection {
      let shown = backend.connection?.exampleFields
      let fields =
        backend.connection?.fields.filter { $0.isRequired || shown?.contains($0.name) ?? ($0.kind == .secret) } ?? []
      lines += ["connections:", "  \(way):", "    type: \(backend.name)"]
      lines += fields.map { "    \($0.name): \(Self.value(of: $0, at: backend))" }
    }
    lines += ["keys:", "  example:", "    provider: generic"]
    if backend.issuer?.parts.count ?? 1 == 1 { lines.append("    variable: EXAMPLE") }
    if let issuer = backend.issuer { lines += Self.minting(issuer, backend, way) }
    if let reference = backend.reference { lines.append("    source: \(Self.source(reference, backend, way))") }
    if let target = backend.target {
      lines += ["targets:", "  my-target:", "    type: \(backend.name)"]
      if needsConnection { lines.append("    connection: \(way)") }
      let chosen = target.choices.first ?? []
      lines += target.fields.filter { $0.isRequired || chosen.contains($0.name) }.map {
        "    \($0.name): \(Self.value(of: $0, at: backend))"
      }
      let name = ["EXAMPLE", "example", "content"].first { target.names.fault(in: $0) == nil } ?? "EXAMPLE"
      lines += ["    keys:", "      \(name): example"]
    }
    self.lines = lines
  }

  private static func minting(_ issuer: IssuerGrammar, _ backend: BackendDescription, _ way: String) -> [String] {
    var lines = ["    source:", "      mint: \(way)"]
    lines += issuer.place.fields.filter(\.isRequired).map { "      \($0.name): \(value(of: $0, at: backend))" }
    if issuer.parts.count > 1 {
      lines.append("    parts:")
      lines += issuer.parts.map { "      \($0): EXAMPLE_\($0.uppercased())" }
    }
    let policy = issuer.manual == nil ? "{ after: 90d, then: rotate }" : "{ after: 90d }"
    return lines + ["    expires: \(policy)"]
  }

  private static func source(_ grammar: ReferenceGrammar, _ backend: BackendDescription, _ way: String) -> String {
    if grammar.location == .command { return "{ \(grammar.example) }" }
    let rest = grammar.example.dropFirst(backend.name.count)
    return "\"\(way)\(rest)\""
  }

  private static func value(of field: BackendField, at backend: BackendDescription) -> String {
    if let example = field.example { return example }
    switch field.kind {
    case .text, .name, .label: return "my-\(field.name)"
    case .path: return "path/to/\(field.name)"
    case .url: return "https://\(backend.name).example.com"
    case .urls: return "[https://\(backend.name).example.com]"
    case .bool: return "true"
    case .int(let bounds): return "\(bounds.lowerBound)"
    case .list: return "[my-\(field.name)]"
    case .choice(let words): return words.first ?? "my-\(field.name)"
    case .secret:
      let own = "\(backend.name)_\(field.name)".uppercased().map { $0 == "-" ? "_" : $0 }
      return "env://\(field.variables.first ?? String(own))"
    case .identityToken: return "{ github: https://\(backend.name).example.com }"
    case .method(let methods): return methods.first?.name ?? "my-\(field.name)"
    case .file: return "path/to/file"
    case .mode: return "\"0640\""
    case .command: return "[./\(field.name).sh]"
    }
  }
}
