import Crypto
package import KeyplanYAML

/// Identifies the meaning of a description: comments, order, quotes and layout do not change it.
package enum DescriptionDigest {
  /// `sha256:` and 64 hexadecimal digits.
  package static func text(of node: Node, as kind: String = "backend") -> String {
    var hash = SHA256()
    hash.update(data: Array("keyplan.\(kind).1\n".utf8))
    hash.update(data: Array(canonical(node).utf8))
    return "sha256:"
      + hash.finalize().map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
  }

  /// Every text with its length, so that no two documents have the same canonical text.
  private static func canonical(_ node: Node) -> String {
    func text(_ text: String) -> String { "\(text.utf8.count):\(text)" }
    switch node.content {
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: return "n"
      case .bool(let flag): return flag ? "t" : "f"
      case .int(let number): return "i" + text(String(number))
      case .float: return "d" + text(scalar.text)
      case .string(let value): return "s" + text(value)
      }
    case .sequence(let items): return "[" + items.map(canonical).joined() + "]"
    case .mapping(let entries):
      let members = entries.map { (canonical($0.key), canonical($0.value)) }.sorted {
        $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
      }
      return "{" + members.map { $0.0 + $0.1 }.joined() + "}"
    }
  }
}
