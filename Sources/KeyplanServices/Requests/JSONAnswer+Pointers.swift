package import KeyplanJSON

extension JSONAnswer {
  /// The values at a pointer; several if it has a `*`.
  package func values(at pointer: AnswerPointer, in node: JSONNode) -> [JSONNode] {
    var found = [node]
    for segment in pointer.segments {
      found = found.flatMap { node -> [JSONNode] in
        switch (segment, node.content) {
        case (.each, .array(let elements)): elements
        case (.each, .object(let members)): members.map(\.value)
        case (.member(let name), .object(let members)):
          members.first { $0.name.utf8.elementsEqual(name.utf8) }.map { [$0.value] } ?? []
        default: []
        }
      }
    }
    return found
  }

  /// A value with all that it contains; nil if a text in it is not UTF-8.
  package func literal(_ node: JSONNode) -> JSONLiteral? {
    switch node.content {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .number: return number(node).map { .number($0) }
    case .string: return text(node).map { .string($0) }
    case .array(let elements):
      let values = elements.compactMap { literal($0) }
      return values.count == elements.count ? .array(values) : nil
    case .object(let members):
      let values = members.compactMap { member in literal(member.value).map { Named(member.name, $0) } }
      return values.count == members.count ? .object(values) : nil
    }
  }

  package func isEqual(_ node: JSONNode, _ literal: JSONLiteral) -> Bool {
    switch (node.content, literal) {
    case (.null, .null): return true
    case (.bool(let flag), .bool(let wanted)): return flag == wanted
    case (.number, .number(let wanted)): return number(node).map { JSONLiteral.isSameNumber($0, wanted) } ?? false
    case (.string, .string(let wanted)): return text(node)?.utf8.elementsEqual(wanted.utf8) ?? false
    case (.array(let elements), .array(let wanted)):
      return elements.count == wanted.count && zip(elements, wanted).allSatisfy { isEqual($0, $1) }
    case (.object(let members), .object(let wanted)):
      return members.count == wanted.count
        && wanted.allSatisfy { wanted in
          members.contains { $0.name.utf8.elementsEqual(wanted.name.utf8) && isEqual($0.value, wanted.value) }
        }
    default: return false
    }
  }
}
