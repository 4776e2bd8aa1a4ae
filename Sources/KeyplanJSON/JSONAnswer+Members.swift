package import KeyplanSecrets

extension JSONAnswer {
  /// The member of an object, or of objects within each other; nil if there is none.
  package func member(_ path: String..., in node: JSONNode? = nil) -> JSONNode? {
    var node = node ?? root
    for name in path {
      guard case .object(let members) = node.content,
        let found = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
      else { return nil }
      node = found.value
    }
    return node
  }

  /// The elements of an array; empty for anything else.
  package func elements(_ node: JSONNode?) -> [JSONNode] {
    guard case .array(let elements)? = node?.content else { return [] }
    return elements
  }

  /// The members of an object; empty for anything else.
  package func members(_ node: JSONNode?) -> [JSONMember] {
    guard case .object(let members)? = node?.content else { return [] }
    return members
  }
}
