package import KeyplanSecrets

extension JSONAnswer {
  /// The member of an object; nil if it is absent or null, or if this is not an object.
  package func member(_ name: String, of node: JSONNode? = nil) -> JSONNode? {
    guard case .object(let members) = (node ?? root).content,
      let value = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.value
    else { return nil }
    if case .null = value.content { return nil }
    return value
  }

  /// The elements of an array that is a member; empty if it is absent.
  package func elements(_ name: String, of node: JSONNode? = nil) -> [JSONNode] {
    guard case .array(let elements)? = member(name, of: node)?.content else { return [] }
    return elements
  }

  /// A string that is a member.
  package func text(_ name: String, of node: JSONNode? = nil) -> String? { member(name, of: node).flatMap { text($0) } }

  /// A string that is a member, without leaving a copy in memory.
  package func secret(_ name: String, of node: JSONNode? = nil) -> SecretBox? {
    member(name, of: node).flatMap { secret($0) }
  }

  /// A whole number that is a member.
  package func integer(_ name: String, of node: JSONNode? = nil) -> Int64? {
    member(name, of: node).flatMap { number($0) }.flatMap { Int64($0) }
  }
}
