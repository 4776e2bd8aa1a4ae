package import KeyplanJSON
package import KeyplanSecrets

extension Match {
  /// Whether all conditions hold.
  package func holds(for node: JSONNode, in answer: JSONAnswer, _ bindings: Bindings) -> Bool {
    conditions.allSatisfy { condition in
      let found = answer.values(at: condition.pointer, in: node)
      return condition.wanted.contains { $0.isAmong(found, in: answer, bindings) }
    }
  }
}

extension Match.Wanted {
  package func isAmong(_ found: [JSONNode], in answer: JSONAnswer, _ bindings: Bindings) -> Bool {
    let literal: JSONLiteral
    switch self {
    case .literal(.null): return found.allSatisfy { answer.isEqual($0, .null) }
    case .literal(let wanted): literal = wanted
    case .text(let template):
      guard let wanted = BodyTree.text(template).literal(bindings) else {
        return found.allSatisfy { answer.isEqual($0, .null) }
      }
      literal = wanted
    }
    return found.contains { node in
      if answer.isEqual(node, literal) { return true }
      guard case .array(let elements) = node.content else { return false }
      return elements.contains { answer.isEqual($0, literal) }
    }
  }
}

extension ExactMatch {
  package func holds(for node: JSONNode, in answer: JSONAnswer, _ bindings: Bindings) -> Bool {
    conditions.allSatisfy { condition in
      let found = answer.values(at: condition.pointer, in: node)
      guard let literal = condition.value.literal(bindings) else { return found.isEmpty }
      return found.count == 1 && answer.isEqual(found[0], literal)
    }
  }
}

/// A value from an answer.
package enum ExtractedValue: Redacted, Sendable {
  case string(SecretBox)
  case number(String)
  case bool(Bool)
  /// An object or an array.
  case other

  /// As a text: of a string if it is UTF-8.
  package var text: String? {
    switch self {
    case .string(let secret):
      secret.withBytes { invalidUTF8(in: $0) == nil ? String(decoding: $0, as: UTF8.self) : nil }
    case .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .other: nil
    }
  }
}

extension Extract {
  /// The reason that an extract has no valid value in an answer.
  package enum Fault: Error { case ambiguous, notDecodable, wrongChecksum }

  /// The value; nil if it is absent or null.
  package func value(
    in node: JSONNode, key: String?, of answer: JSONAnswer, _ bindings: Bindings
  ) throws(Fault) -> ExtractedValue? {
    let pointer: AnswerPointer
    switch origin {
    case .key: return key.map { .string(SecretBox(Array($0.utf8))) }
    case .pointer(let path): pointer = path
    }
    guard let base = try selected(in: node, of: answer, bindings) else { return nil }
    let found = answer.values(at: pointer, in: base)
    guard found.count <= 1 else { throw .ambiguous }
    guard let node = found.first else { return nil }
    switch node.content {
    case .null: return nil
    case .bool(let flag): return .bool(flag)
    case .number: return answer.number(node).map { .number($0) }
    case .array, .object: return .other
    case .string:
      guard let text = answer.secret(node) else { return nil }
      let decoded = try decoded(text)
      try verify(decoded, in: base, of: answer)
      return .string(decoded)
    }
  }

  private func selected(in node: JSONNode, of answer: JSONAnswer, _ bindings: Bindings) throws(Fault) -> JSONNode? {
    guard let selection else { return node }
    let elements = answer.values(at: selection.list, in: node).flatMap { list in
      if case .array(let elements) = list.content { elements } else { [] as [JSONNode] }
    }
    let matching = elements.filter { selection.match.holds(for: $0, in: answer, bindings) }
    guard matching.count <= 1 else { throw .ambiguous }
    return matching.first
  }

  private func decoded(_ text: SecretBox) throws(Fault) -> SecretBox {
    var text = text
    for step in decode {
      switch step {
      case .base64:
        guard let bytes = text.withBytes({ SecretBase64.bytes(in: $0) }) else { throw .notDecodable }
        text = bytes
      case .lastSegment:
        text = text.withBytes { bytes in
          let kept = bytes.lastIndex { $0 != UInt8(ascii: "/") }.map { bytes[...$0] } ?? bytes[..<0]
          let start = kept.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? kept.startIndex
          return SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: kept[start...])))
        }
      case .upToColon:
        text = text.withBytes { bytes in
          let start = bytes.lastIndex(of: UInt8(ascii: "#")).map { $0 + 1 } ?? 0
          let end = bytes[start...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
          return SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
        }
      }
    }
    return text
  }

  private func verify(_ value: SecretBox, in node: JSONNode, of answer: JSONAnswer) throws(Fault) {
    guard let crc32c, let found = answer.values(at: crc32c, in: node).first else { return }
    let wanted = answer.text(found) ?? answer.number(found)
    guard wanted == String(value.withBytes { CRC32C.checksum($0) }) else { throw .wrongChecksum }
  }
}
