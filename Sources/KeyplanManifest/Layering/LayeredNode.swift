import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

/// A YAML node with the file of each location, so that nodes of several files can be combined.
struct LayeredNode: Sendable {
  enum Content: Sendable {
    case scalar(Scalar)
    case list([LayeredNode])
    case mapping([Field])
  }

  struct Field: Sendable {
    let name: String
    /// The location of the name.
    let place: FileLocation
    var value: LayeredNode
  }

  var content: Content
  let place: FileLocation

  var isNull: Bool {
    if case .scalar(let scalar) = content, case .null = scalar.resolved { return true }
    return false
  }

  /// The kind of the value, without its content.
  var found: String {
    switch content {
    case .list: "a list"
    case .mapping: "a mapping"
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: "null"
      case .bool: "a boolean"
      case .int, .float: "a number"
      case .string: "a string"
      }
    }
  }
}

extension LayeredNode {
  /// A mapping without fields for an empty file; nil, with a diagnostic, for invalid YAML. Double-quoted scalars are
  /// searched for secrets, which escapes may hide in the bytes.
  init?(reading text: ManifestReader.Text, secrets: SecretScanner, _ notes: inout DiagnosticSink) {
    do {
      guard let node = try Node.parse(text.bytes) else {
        self.init(content: .mapping([]), place: FileLocation(file: text.file, line: 1, column: 1))
        return
      }
      self.init(node, file: text.file, secrets, &notes)
    } catch {
      guard !Self.reportConflict(in: text, &notes) else { return nil }
      notes.report(
        .yamlInvalid, error.detail, hint: error.hint,
        at: FileLocation(file: text.file, line: error.mark.line, column: error.mark.column))
      return nil
    }
  }

  /// Reports an unresolved merge, which is then the cause of the syntax error.
  private static func reportConflict(in text: ManifestReader.Text, _ notes: inout DiagnosticSink) -> Bool {
    let lines = text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let index = lines.firstIndex(where: { $0.starts(with: "<<<<<<< ".utf8) }) else { return false }
    notes.report(
      .yamlInvalid, "This is a git conflict marker.", hint: "Resolve the merge, and try again.",
      at: FileLocation(file: text.file, line: index + 1, column: 1, width: 7))
    return true
  }

  private init(_ node: Node, file: String, _ secrets: SecretScanner, _ notes: inout DiagnosticSink) {
    place = FileLocation(node, in: file)
    switch node.content {
    case .scalar(let scalar):
      content = .scalar(scalar)
      if scalar.style == .doubleQuoted, !secrets.hits(in: Array(scalar.text.utf8)).isEmpty {
        notes.refuseEscapedSecret(at: place)
      }
    case .sequence(let nodes):
      content = .list(nodes.map { LayeredNode($0, file: file, secrets, &notes) })
    case .mapping(let entries):
      content = .mapping(Self.fields(entries, file: file, secrets, &notes))
    }
  }

  private static func fields(
    _ entries: [Entry], file: String, _ secrets: SecretScanner, _ notes: inout DiagnosticSink
  ) -> [Field] {
    var fields: [Field] = []
    fields.reserveCapacity(entries.count)
    let isLarge = entries.count > 12
    var seen = [String: Int](minimumCapacity: isLarge ? entries.count : 0)
    for entry in entries {
      let place = FileLocation(entry.key, in: file)
      guard case .scalar(let name) = entry.key.content else {
        notes.report(.wrongType, "A field's name must be a string.", at: place)
        continue
      }
      let value = LayeredNode(entry.value, file: file, secrets, &notes)
      if let first = isLarge ? seen[name.text] : fields.firstIndex(where: { $0.name == name.text }) {
        let line = fields[first].place.line
        notes.report(
          .duplicateField, "\(ManifestMessages.quoted(name.text, or: "This name")) is already defined in line \(line).",
          at: place)
        continue
      }
      if isLarge { seen[name.text] = fields.count }
      fields.append(Field(name: name.text, place: place, value: value))
    }
    return fields
  }
}

extension FileLocation {
  /// A node's location, with the width of the node if it ends on the same line.
  fileprivate init(_ node: Node, in file: String) {
    let width = node.start.line == node.end.line ? node.end.column - node.start.column : 1
    self.init(file: file, line: node.start.line, column: node.start.column, width: max(1, width))
  }
}
