import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestReader {
  /// A reader that also has the backends that the manifest describes.
  func declaring(_ tree: LayeredNode, _ notes: inout DiagnosticSink) -> ManifestReader {
    guard case .mapping(let sections) = tree.content,
      let section = sections.first(where: { $0.name == "backends" })?.value,
      case .mapping(let written) = section.content
    else { return self }
    var declared: [BackendDescription] = []
    var broken: Set<String> = []
    for field in written {
      guard Identifier<Connection>(field.name) != nil else {
        notes.report(.invalidValue, "The name of a backend consists of a-z, 0-9, - and _.", at: field.place)
        continue
      }
      guard !backends.isName(field.name), !Rule.ownKinds.contains(field.name) else {
        notes.report(
          .conflict, "\"\(field.name)\" is a built-in name and cannot be the name of a backend.",
          hint: "Choose another name.", at: field.place)
        continue
      }
      switch backends.declare(field.name, field.value.node) {
      case .success(let backend): declared.append(backend)
      case .failure(let faults):
        broken.insert(field.name)
        for fault in faults.all { notes.report(fault, in: field.name, at: field.value.place(at: fault.path)) }
      }
    }
    return ManifestReader(self, backends.adding(declared, broken: broken))
  }
}

extension LayeredNode {
  /// The same without the files of its locations.
  var node: Node {
    let content: Node.Content =
      switch self.content {
      case .scalar(let scalar): .scalar(scalar)
      case .list(let items): .sequence(items.map(\.node))
      case .mapping(let fields):
        .mapping(
          fields.map { Entry(merged: $0.name, line: $0.place.line, column: $0.place.column, $0.value.node) })
      }
    return Node(merged: content, line: place.line, column: place.column)
  }

  /// The location of the value at a JSON Pointer, or of the closest one around it.
  func place(at pointer: String) -> FileLocation {
    var node = self
    for name in (try? NestedName(pointer))?.parts ?? [] {
      switch node.content {
      case .mapping(let fields):
        guard let field = fields.first(where: { $0.name == name }) else { return node.place }
        node = field.value
      case .list(let items):
        guard let index = Int(name), items.indices.contains(index) else { return node.place }
        node = items[index]
      case .scalar: return node.place
      }
    }
    return node.place
  }
}
