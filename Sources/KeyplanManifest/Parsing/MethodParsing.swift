import KeyplanModel
import KeyplanPlanning

extension ManifestParser {
  /// A method's name, or a mapping from it to its fields: `token`, `{ jwt: { role: ci } }`.
  mutating func method(_ tree: LayeredNode, _ field: String, among methods: [BackendMethod]) -> RawFieldValue? {
    guard case .mapping(let written) = tree.content else {
      guard let name = choice(tree, field, among: methods.map(\.name)),
        let method = methods.first(where: { $0.name == name.value })
      else { return nil }
      let missing = method.fields.filter(\.isRequired).map(\.name)
      guard missing.isEmpty else {
        let fields = missing.map { "\($0): …" }.joined(separator: ", ")
        notes.report(
          .missingField, "\"\(name.value)\" needs further fields.",
          hint: "Write \(field): { \(name.value): { \(fields) } }.", at: name.place)
        return nil
      }
      return .method(name.value, [:])
    }
    let names = methods.map(\.name)
    guard written.count == 1, let method = methods.first(where: { $0.name == written[0].name }) else {
      if written.count != 1, written.allSatisfy({ names.contains($0.name) }) {
        notes.report(
          .invalidValue, "\"\(field)\" must have exactly one of these: \(names.joined(separator: ", ")).",
          at: tree.place)
      } else {
        _ = fields(tree, Shape("\"\(field)\"", names: names))
      }
      return nil
    }
    return values(written[0].value, of: method)
  }

  private mutating func values(_ tree: LayeredNode, of method: BackendMethod) -> RawFieldValue? {
    guard let fields = fields(tree, Shape("\"\(method.name)\"", names: method.fields.map(\.name))) else { return nil }
    var values: [String: Connection.Value] = [:]
    var isComplete = true
    for field in method.fields {
      guard let value = field.isRequired ? required(field.name, of: fields, in: tree) : fields[field.name] else {
        if field.isRequired { isComplete = false }
        continue
      }
      switch self.value(value, of: field) {
      case .value(let value): values["\(method.name).\(field.name)"] = value
      case .unsupported(let what): return .unsupported(what)
      case .method, nil: isComplete = false
      }
    }
    return isComplete ? .method(method.name, values) : nil
  }

  /// A reference, `{ github: AUDIENCE }`, `{ gitlab: VARIABLE }` or `{ file: PATH }`.
  mutating func identityToken(_ tree: LayeredNode, _ field: String) -> RawFieldValue? {
    guard case .mapping(let written) = tree.content,
      let way = written.first(where: { Shape.identityToken.fields.contains($0.name) })
    else { return secret(tree) }
    guard written.count == 1 else {
      _ = fields(tree, Shape("\"\(field)\"", names: [way.name]))
      return nil
    }
    switch way.name {
    case "github":
      return text(way.value, "github").map { .value(.githubToken(audience: $0.value)) }
    case "file":
      return self.file(way.value, "file").map { .value(.secret($0)) }
    default:
      guard let variable = text(way.value, "gitlab") else { return nil }
      guard case .supported(let reference) = reference(Located(value: "env://" + variable.value, place: variable.place))
      else { return nil }
      return .value(.secret(reference))
    }
  }
}

extension Shape {
  /// The place in which a CI service puts the token of a job.
  fileprivate static let identityToken = Shape("a token", names: ["github", "gitlab", "file"])
}
