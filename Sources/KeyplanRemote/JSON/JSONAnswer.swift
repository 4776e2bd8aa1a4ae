import KeyplanSecrets

/// The JSON text of an answer. Strings stay where they arrived, in memory that is wiped with the answer; only those that
/// are asked for are copied.
struct JSONAnswer: Redacted, Sendable {
  private let body: SecretBox
  let root: JSONNode

  /// Nil if the body is not JSON.
  init?(_ body: SecretBox) {
    let root = body.withBytes { bytes in try? JSONNodeReader.document(bytes) }
    guard let root else { return nil }
    self.body = body
    self.root = root
  }

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

  /// The value below the root by the names on the way to it.
  subscript(names: String...) -> JSONNode? { self[names] }

  subscript(names: [String]) -> JSONNode? {
    var node: JSONNode? = root
    for name in names { node = node?.members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
    return node
  }

  /// The content of a string; nil for anything else.
  func text(_ node: JSONNode) -> String? {
    guard case .string = node.content else { return nil }
    return body.withBytes { String(decoding: JSONText.content(of: node.range, in: $0), as: UTF8.self) }
  }

  func secret(_ node: JSONNode) -> SecretBox? {
    guard case .string = node.content else { return nil }
    return body.withBytes { JSONText.secret(of: node.range, in: $0) }
  }

  /// The source text of a number; nil for anything else.
  func number(_ node: JSONNode) -> String? {
    guard case .number = node.content else { return nil }
    return body.withBytes { String(decoding: $0[node.range], as: UTF8.self) }
  }

  /// Writes a value as it is in the text.
  func write(_ node: JSONNode, to writer: inout SecretWriter) {
    body.withBytes { writer.append(UnsafeRawBufferPointer(rebasing: $0[node.range])) }
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
