/// A connection to a service, as the manifest declares it: its address and credential.
package struct Connection: Hashable, Sendable {
  /// The scheme of references, and the type of destinations, that use it. For a connection that the manifest does not declare,
  /// the backend's name.
  package let name: Identifier<Connection>
  /// The backend's name.
  package let type: String
  /// The declared and default values of its fields; those of a method by `auth.jwt.role`. Other fields may come from the
  /// environment.
  package let values: [String: Value]
  /// The fields that the manifest sets.
  package let declared: Set<String>
  /// The hosts that get a credential.
  package let hosts: [ExternalAccess]
  /// The fields of the connection that identify a target's place: `namespace team`.
  package let placeParts: [String]
  /// The references to its secrets.
  package let secrets: [Reference]
  /// The files that it reads.
  package let files: [Reference]
  /// The permissions that the connection requires, with the terms of each.
  package private(set) var surfaceTerms: [ExternalAccess: Set<String>]
  /// Its items in order: looked up for each reference that uses the connection.
  let surfaceItems: [ExternalAccess]
  /// Whether keys at the service can be made unusable in such a way that a person can undo it.
  package let canDisable: Bool
  /// Whether keys at the service can be revoked.
  package let canRevoke: Bool
  /// Whether the lifetime of keys at the service can be extended.
  package let canRenew: Bool
  /// The location of the declaration.
  package let place: FileLocation?

  /// The value of one field.
  package enum Value: Hashable, Sendable {
    /// A text; also numbers and booleans, as YAML writes them.
    case text(String)
    /// Texts.
    case list([String])
    /// A reference to a secret.
    case secret(Reference)
    /// A file that it reads.
    case file(Reference)
    /// The audience of a token that GitHub Actions issues for the job.
    case githubToken(audience: String)

    /// The reference; nil for texts and audiences.
    package var reference: Reference? {
      switch self {
      case .secret(let reference), .file(let reference): reference
      case .text, .list, .githubToken: nil
      }
    }
  }

  /// Trusts its arguments: the manifest's reader has checked the values that it declares.
  package init(
    _ name: Identifier<Connection>, to backend: BackendDescription, _ declared: [String: Value] = [:],
    place: FileLocation? = nil
  ) {
    let fields = backend.connection?.allFields ?? []
    var values = declared
    for field in fields where values[field.name] == nil {
      // A method's defaults count if it is chosen.
      let method = field.name.split(separator: ".").dropLast()
      guard method.isEmpty || values[String(method[0])] == .text(String(method[1])) else { continue }
      values[field.name] = field.defaultText.map { .text($0) }
    }
    self.name = name
    type = backend.name
    canDisable = backend.issuer?.canDisable ?? false
    canRevoke = backend.issuer?.canRevoke ?? false
    canRenew = backend.issuer?.canRenew ?? false
    self.values = values
    self.declared = Set(declared.keys)
    self.place = place
    hosts = Self.hosts(fields, backend.connection?.hosts ?? [], values)
    placeParts = fields.filter(\.isPlace).compactMap { field in
      values[field.name].map { "\(field.name) \(QuotedWord.quoted($0.description, reserving: ",()"))" }
    }
    let parts = declared.sorted { $0.key < $1.key }
      .filter { name, value in fields.first { $0.name == name }?.defaultText.map { .text($0) } != value }
      .map { "\($0.key) \($0.value)" }
    // All declared fields as one text, so that fields of two connections to one host cannot be swapped unnoticed.
    let term = parts.isEmpty ? "connection \(name)" : "connection \(name): \(parts.joined(separator: ", "))"
    let inOrder = values.sorted { $0.key < $1.key }.map(\.value)
    secrets = inOrder.compactMap { if case .secret(let reference) = $0 { reference } else { nil } }
    files = inOrder.compactMap { if case .file(let reference) = $0 { reference } else { nil } }
    var hostTerms = [term]
    if backend.isPreview { hostTerms.append("the preview backend \(backend.name)") }
    if let digest = backend.digest { hostTerms.append("the backend \(backend.name) \(digest)") }
    var terms = Dictionary(hosts.map { ($0, Set(hostTerms)) }) { first, _ in first }
    for reference in secrets + files {
      if let item = reference.surface { terms[item, default: []].formUnion(reference.terms) }
    }
    surfaceTerms = terms
    surfaceItems = terms.keys.sorted()
  }

  /// The same with further terms for its hosts: the fields of targets that decide which host gets a credential.
  package func requiring(_ terms: Set<String>) -> Connection {
    var connection = self
    for host in hosts { connection.surfaceTerms[host]?.formUnion(terms) }
    return connection
  }

  private static func hosts(
    _ fields: [BackendField], _ templates: [String], _ values: [String: Value]
  ) -> [ExternalAccess] {
    // A value from the environment is unknown here. The environment is trusted.
    func text(_ field: BackendField) -> String? {
      if case .text(let text) = values[field.name] { return text }
      return field.variables.first.map { "$\($0)" }
    }
    let single = fields.filter { $0.kind == .url }.compactMap(text)
    let several = fields.filter { $0.kind == .urls }.flatMap { field -> [String] in
      if case .list(let texts) = values[field.name] { texts } else { [] }
    }
    let addresses = (single + several).map { AccountFacts.host(of: $0) ?? $0 }
    let named = templates.map { template in
      fields.reduce(template) { filled, field in filled.replacing("{\(field.name)}", with: text(field) ?? "") }
    }
    return (addresses + named).map { ExternalAccess(.host, $0) }
  }
}

extension Connection.Value: CustomStringConvertible {
  /// The text, the texts in order, or the reference.
  package var description: String {
    switch self {
    case .text(let text): text
    case .list(let texts): texts.joined(separator: " ")
    case .secret(let reference): reference.description
    case .file(let reference): reference.location
    case .githubToken(let audience): "github \(QuotedWord.quoted(audience))"
    }
  }
}

extension Connection {
  /// The item that represents the connection in references and destinations: its first host or, if it has none, the first item
  /// that its credentials access.
  package var surface: ExternalAccess? { hosts.first ?? (secrets + files).lazy.compactMap(\.surface).first }

  /// The suffix that identifies the connection in the text of a target's place; empty if no field of it does.
  var placeSuffix: String { placeParts.isEmpty ? "" : " (\(placeParts.joined(separator: ", ")))" }

  /// Whether a recorded place still belongs to this connection.
  package func leads(to destination: Destination) -> Bool {
    guard destination.surface == surface else { return false }
    guard !placeSuffix.isEmpty else { return !destination.location.hasSuffix(")") }
    // A place without fields of its own has no space before the suffix.
    return destination.location.hasSuffix(placeSuffix) || destination.location == placeSuffix.dropFirst()
  }
}

extension Manifest {
  /// The connection that a scheme of references, or a type of destinations, names.
  package func connection(named scheme: String) -> Connection? {
    guard !connections.isEmpty else { return nil }
    return Identifier<Connection>(scheme).flatMap { connections[$0] }
  }

  /// The same with further connections, unless it has them. Through those, values are withdrawn from places that it no longer
  /// declares.
  package func adding(_ connections: [Connection]) -> Manifest {
    var manifest = self
    for connection in connections where manifest.connections[connection.name] == nil {
      manifest.connections[connection.name] = connection
    }
    return manifest
  }

  /// The connections that a source, an original, an account or a target uses.
  package var usedConnections: [Connection] {
    guard !connections.isEmpty else { return [] }
    var schemes = Set(targets.values.map(\.destination.type))
    for key in keys.values {
      schemes.formUnion(key.sources.lazy.map(\.scheme))
      if let minting = key.minting { schemes.insert(minting.place.type) }
    }
    schemes.formUnion(migrations.compactMap(\.original?.scheme))
    for account in accounts.values { schemes.formUnion(account.references.lazy.map(\.scheme)) }
    return connections.inOrder.map(\.value).filter { schemes.contains($0.name.name) }
  }

  /// The permissions that reading a reference requires.
  package func surface(of reference: Reference) -> [ExternalAccess] {
    guard let connection = connection(named: reference.scheme) else {
      return [reference.surface].compactMap(\.self)
    }
    return connection.surfaceItems
  }

  /// The permissions that reading or writing a place requires.
  package func surface(at destination: Destination) -> [ExternalAccess] {
    guard let connection = connection(named: destination.type), connection.leads(to: destination) else {
      return [destination.surface].compactMap(\.self)
    }
    return connection.surfaceItems
  }

  /// The permissions that a key requires.
  package func surface(of key: Key) -> [ExternalAccess] {
    guard !connections.isEmpty else { return key.surface }
    if let minting = key.minting { return surface(at: minting.place) + [key.unsafeVariable].compactMap(\.self) }
    return key.sources.flatMap(surface) + [key.unsafeVariable].compactMap(\.self)
  }
}
