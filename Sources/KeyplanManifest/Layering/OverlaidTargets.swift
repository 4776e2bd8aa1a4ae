import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestReader {
  /// Adds the targets of an environment: those that its overlay names.
  ///
  /// Each has the fields of the manifest's target, except its place, so that two environments do not write to one, and `takeOver`, which
  /// permits overwriting the values at that place. An overlay that sets a target to null declares that it does without.
  func withTargets(
    _ tree: LayeredNode, of lower: LayeredNode, _ upper: LayeredNode, _ notes: inout DiagnosticSink
  ) -> LayeredNode {
    guard let common = lower.field("targets"), case .mapping(let inherited) = common.value.content else { return tree }
    let section = upper.field("targets")
    if let section, section.value.isNull { return tree }
    var own: [LayeredNode.Field] = []
    if let section {
      guard case .mapping(let fields) = section.value.content else { return tree }
      own = fields
    }
    let named = Set(own.map(\.name))
    let absent = inherited.map(\.name).filter { !named.contains($0) }
    if !absent.isEmpty {
      notes.report(
        .targetNotInherited,
        "\(Self.list(absent)) of \(common.place.file) \(absent.count == 1 ? "is" : "are") not in this environment: an overlay "
          + "does not inherit targets.",
        hint:
          "Name \(absent.count == 1 ? "it" : "each") in \(upper.place.file) with a place of its own, or set it to null there.",
        at: section?.place ?? common.place)
    }
    guard !own.isEmpty else { return tree }
    let bases = Dictionary(inherited.map { ($0.name, $0) }) { first, _ in first }
    let fields = own.filter { !$0.value.isNull }.map { field in
      guard let base = bases[field.name] else { return field }
      return LayeredNode.Field(
        name: field.name, place: field.place, value: target(base.value, overlaidWith: field.value, &notes))
    }
    return tree.without("targets").adding(
      LayeredNode.Field(
        name: "targets", place: common.place, value: LayeredNode(content: .mapping(fields), place: common.place)))
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(4).map { ManifestMessages.isHarmless($0) ? $0 : "a target" }
    let more = names.count - shown.count
    return "\(names.count == 1 ? "Target" : "Targets") \(shown.joined(separator: ", "))"
      + (more > 0 ? " and \(more) more" : "")
  }

  private func target(
    _ base: LayeredNode, overlaidWith own: LayeredNode, _ notes: inout DiagnosticSink
  ) -> LayeredNode {
    guard case .mapping(let fields) = base.content, case .mapping = own.content,
      let type = base.field("type")?.value.text
    else { return own.withoutNulls }
    if let other = own.field("type")?.value.text, other != type { return own.withoutNulls }
    let grammar = backends.target(type)?.target
    let place = Set((grammar?.fields ?? []).filter { $0.kind != .mode }.map(\.name))
    if base.field("connection") != nil, own.field("connection") == nil {
      notes.report(
        .missingField,
        "\"connection\" is missing: it belongs to the place of a target, which an overlay does not inherit.",
        hint: "Name the connection here, too.", at: own.place)
    }
    let kept = fields.filter { !place.contains($0.name) && !["connection", "takeOver"].contains($0.name) }
    return LayeredNode(
      content: LayeredNode(content: .mapping(kept), place: own.place).overlaid(with: own).content, place: own.place)
  }
}

extension LayeredNode {
  fileprivate func field(_ name: String) -> Field? {
    guard case .mapping(let fields) = content else { return nil }
    return fields.first { $0.name == name }
  }

  fileprivate func adding(_ field: Field) -> LayeredNode {
    guard case .mapping(let fields) = content else { return self }
    return LayeredNode(content: .mapping(fields + [field]), place: place)
  }

  /// Of a scalar.
  fileprivate var text: String? {
    guard case .scalar(let scalar) = content else { return nil }
    return scalar.text
  }
}
