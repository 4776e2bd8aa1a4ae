import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  /// `{ mint: CONNECTION, FIELD: VALUE, … }`. Nil for any other source.
  mutating func minted(_ tree: LayeredNode) -> Located<RawMinting?>? {
    switch soleSource("mint", in: tree, example: "{ mint: NAME }") {
    case nil: nil
    case .listed(let place): Located(value: nil, place: place)
    case .alone(let name): Located(value: minting(tree, name), place: tree.place)
    }
  }

  private mutating func minting(_ tree: LayeredNode, _ written: LayeredNode) -> RawMinting? {
    guard let name = text(written, "mint"), let connection = issuingConnection(name) else { return nil }
    guard let issuer = connection.backend.issuer else {
      notes.report(
        .conflict, "\(connection.backend.title), the service of \"\(name.value)\", does not make keys.",
        hint: "Use a connection of a type that ends with \"-keys\": keyplan backends lists them.", at: name.place)
      return nil
    }
    let names = issuer.place.fields.map(\.name)
    guard let fields = fields(tree, Shape(Shape.mint.what, names: Shape.mint.fields + names)) else { return nil }
    var texts: [String: String] = [:]
    var isComplete = true
    for field in issuer.place.fields {
      guard let value = field.isRequired ? required(field.name, of: fields, in: tree) : fields[field.name] else {
        if field.isRequired { isComplete = false }
        continue
      }
      guard case .value(let value)? = self.value(value, of: field) else {
        isComplete = false
        continue
      }
      texts[field.name] = value.description
    }
    guard isComplete, let used = connection.usable else { return nil }
    return RawMinting(connection: used, issuer: issuer, fields: texts)
  }

  /// The connection with a name, or the one of a backend's own name.
  private mutating func issuingConnection(
    _ name: Located<String>
  ) -> (backend: BackendDescription, usable: Connection?)? {
    if let declared = connections[name.value] {
      return declared.backend.map { ($0, Identifier(name.value).flatMap { usable[$0] }) }
    }
    if let backend = reader.backends.connection(name.value), let own = ownConnection(of: backend) {
      return (backend, own)
    }
    let hint = reader.backends.connection(name.value).map(Self.connectionHint)
    let near = notes.nearest(to: name.value, among: notes.suggests ? connections.keys.sorted() : [])
    notes.report(
      .undeclaredName, "Unknown connection \(ManifestMessages.quoted(name.value, or: "with this name")).",
      hint: hint ?? ManifestMessages.didYouMean(near)
        ?? "Declare one: connections: { NAME: { type: openai-keys, adminKey: env://… } }.", at: name.place)
    return nil
  }

  /// `{ accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }`
  mutating func parts(_ tree: LayeredNode) -> [RawPart] {
    guard case .mapping(let fields) = tree.content else {
      wrongType(tree, "\"parts\"", mustBe: "a mapping from the parts of the key to variables")
      return []
    }
    return fields.map { field in
      RawPart(
        name: Located(value: field.name, place: field.place),
        variable: field.value.isNull ? nil : variable(field.value, "parts"))
    }
  }
}
