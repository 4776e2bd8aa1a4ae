import KeyplanJSON

extension JSONAnswer {
  /// The values at a pointer; several if it has a `*`.
  func values(at pointer: AnswerPointer, in node: JSONNode) -> [JSONNode] {
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

  func isEqual(_ node: JSONNode, _ literal: JSONLiteral) -> Bool {
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
