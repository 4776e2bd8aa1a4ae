package import KeyplanSecrets

/// The JSON text of an answer. Strings stay where they arrived, in memory that is wiped with the answer; only those that
/// are asked for are copied.
package struct JSONAnswer: Redacted, Sendable {
  private let body: SecretBox
  package let root: JSONNode

  /// Nil if the body is not JSON.
  package init?(_ body: SecretBox) {
    let root = body.withBytes { bytes in try? JSONNodeReader.document(bytes) }
    guard let root else { return nil }
    self.body = body
    self.root = root
  }

  /// The value below the root by the names on the way to it.
  package subscript(names: String...) -> JSONNode? { self[names] }

  package subscript(names: [String]) -> JSONNode? {
    var node: JSONNode? = root
    for name in names { node = node?.members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
    return node
  }

  /// The content of a string; nil for anything else.
  package func text(_ node: JSONNode) -> String? {
    guard case .string = node.content else { return nil }
    return body.withBytes { String(decoding: JSONText.content(of: node.range, in: $0), as: UTF8.self) }
  }

  package func secret(_ node: JSONNode) -> SecretBox? {
    guard case .string = node.content else { return nil }
    return body.withBytes { JSONText.secret(of: node.range, in: $0) }
  }

  /// The content of a string, or a number or boolean as written; nil for anything else.
  package func scalar(_ node: JSONNode) -> SecretBox? {
    switch node.content {
    case .string: return secret(node)
    case .number, .bool:
      return body.withBytes { SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: $0[node.range]))) }
    case .null, .array, .object: return nil
    }
  }

  /// The source text of a number; nil for anything else.
  package func number(_ node: JSONNode) -> String? {
    guard case .number = node.content else { return nil }
    return body.withBytes { String(decoding: $0[node.range], as: UTF8.self) }
  }

  /// Writes a value as in the text.
  package func write(_ node: JSONNode, to writer: inout SecretWriter) {
    body.withBytes { writer.append(UnsafeRawBufferPointer(rebasing: $0[node.range])) }
  }
}
