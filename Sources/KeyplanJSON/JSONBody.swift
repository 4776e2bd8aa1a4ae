package import KeyplanSecrets

/// A JSON value to be sent.
package indirect enum JSONBody: Redacted, Sendable {
  case text(String)
  /// A string that is UTF-8.
  case secret(SecretBox)
  case number(Int)
  case bool(Bool)
  case list([JSONBody])
  /// Members that are nil are left out.
  case object([(name: String, value: JSONBody?)])

  package func bytes() -> SecretBox {
    var writer = SecretWriter()
    write(to: &writer)
    return writer.finished()
  }

  private func write(to writer: inout SecretWriter) {
    switch self {
    case .text(let text): JSONText.write(text, to: &writer)
    case .secret(let secret): secret.withBytes { JSONText.write($0, to: &writer) }
    case .number(let number): writer.append(String(number))
    case .bool(let flag): writer.append(flag ? "true" : "false")
    case .list(let elements):
      writer.append("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { writer.append(",") }
        element.write(to: &writer)
      }
      writer.append("]")
    case .object(let members):
      writer.append("{")
      var isFirst = true
      for case (let name, let value?) in members {
        if !isFirst { writer.append(",") }
        isFirst = false
        JSONText.write(name, to: &writer)
        writer.append(":")
        value.write(to: &writer)
      }
      writer.append("}")
    }
  }
}
