/// Parses JSON, strictly by RFC 8259, into a tree.
///
/// Also rejects duplicate names (the RFC does not define which one counts) and unpaired surrogates (they are not valid
/// text).
struct JSONScanner {
  private var cursor: Cursor
  private var tree: JSONTree

  /// Parses `bytes`. No bytes at all result in a tree without a root.
  static func tree(of bytes: [UInt8]) throws(DocumentError) -> JSONTree {
    var scanner = JSONScanner(cursor: try Cursor(bytes), tree: JSONTree(source: bytes))
    guard !bytes.isEmpty else { return scanner.tree }
    scanner.space()
    scanner.tree.before = 0..<scanner.cursor.offset
    scanner.tree.root = try scanner.value(in: nil, depth: 0)
    scanner.tree.after = scanner.space()
    guard scanner.cursor.isAtEnd else {
      throw scanner.cursor.error(.malformed, "Expected the end of the file after the JSON value.")
    }
    return scanner.tree
  }

  @discardableResult
  private mutating func space() -> Range<Int> { cursor.take { $0.isSpace } }

  private mutating func value(in parent: Int?, depth: Int) throws(DocumentError) -> JSONTree.Value {
    let start = cursor.offset
    switch cursor.peek() {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return try container(in: parent, depth: depth + 1)
    case .quote: return .scalar(.string, try string())
    case let byte? where byte.isDigit || byte == UInt8(ascii: "-"): return .scalar(.number, try number())
    default: break
    }
    if cursor.take("true") || cursor.take("false") { return .scalar(.boolean, start..<cursor.offset) }
    if cursor.take("null") { return .scalar(.null, start..<cursor.offset) }
    throw cursor.error(.malformed, "Expected a JSON value.")
  }

  private mutating func container(in parent: Int?, depth: Int) throws(DocumentError) -> JSONTree.Value {
    guard depth <= DocumentLimit.depth else {
      throw cursor.error(.tooDeep, "The file is nested deeper than 64 levels.")
    }
    let isObject = cursor.peek() == UInt8(ascii: "{")
    let close = UInt8(ascii: isObject ? "}" : "]")
    let index = tree.containers.count
    tree.containers.append(JSONTree.Container(isObject: isObject, parent: parent))
    cursor.offset += 1
    var space = space()
    if cursor.take(close) {
      tree.containers[index].inner = space
      return .container(index)
    }
    tree.containers[index].opening = space
    while true {
      var member = JSONTree.Member()
      if !tree.containers[index].members.isEmpty { member.lead = space }
      if isObject { try name(of: &member, in: index) }
      member.value = try value(in: index, depth: depth)
      space = self.space()
      let isLast = cursor.peek() == close
      if !isLast { member.trail = space }
      tree.containers[index].members.append(member)
      guard !isLast else { break }
      guard cursor.take(UInt8(ascii: ",")) else {
        throw cursor.error(.malformed, "Expected a comma or the closing bracket.")
      }
      space = self.space()
    }
    cursor.offset += 1
    tree.containers[index].closing = space
    return .container(index)
  }

  private mutating func name(of member: inout JSONTree.Member, in object: Int) throws(DocumentError) {
    guard cursor.peek() == .quote else { throw cursor.error(.malformed, "Expected a name in double quotes.") }
    member.name = try string()
    let child = Child(container: object, name: JSONString.read(tree.source[member.name]))
    guard tree.slots.updateValue(tree.containers[object].members.count, forKey: child) == nil else {
      throw cursor.error(.duplicateName, at: member.name.lowerBound, "This name occurs twice in its object.")
    }
    let start = cursor.offset
    space()
    guard cursor.take(UInt8(ascii: ":")) else { throw cursor.error(.malformed, "Expected a colon after the name.") }
    space()
    member.separator = start..<cursor.offset
  }

  private mutating func string() throws(DocumentError) -> Range<Int> {
    let start = cursor.offset
    cursor.offset += 1
    while let byte = cursor.peek() {
      switch byte {
      case .quote:
        cursor.offset += 1
        return start..<cursor.offset
      case .backslash: try escape()
      case 0..<0x20: throw cursor.error(.malformed, "Control characters in a string must be escaped.")
      default: cursor.offset += 1
      }
    }
    throw cursor.error(.malformed, at: start, "The string that starts here is not terminated.")
  }

  private mutating func escape() throws(DocumentError) {
    let start = cursor.offset
    guard let escaped = cursor.peek(1), "\"\\/bfnrtu".utf8.contains(escaped) else {
      throw cursor.error(.malformed, "Invalid escape sequence.")
    }
    cursor.offset += 2
    guard escaped == UInt8(ascii: "u") else { return }
    switch try hexadecimal() {
    case 0xD800..<0xDC00:
      guard cursor.take("\\u"), case 0xDC00..<0xE000 = try hexadecimal() else { fallthrough }
    case 0xDC00..<0xE000: throw cursor.error(.malformed, at: start, "Unpaired surrogate.")
    default: break
    }
  }

  private mutating func hexadecimal() throws(DocumentError) -> UInt32 {
    let end = min(cursor.offset + 4, cursor.bytes.count)
    guard let value = JSONString.hexadecimal(cursor.bytes[cursor.offset..<end]) else {
      throw cursor.error(.malformed, "Expected four hexadecimal digits after \\u.")
    }
    cursor.offset = end
    return value
  }

  private mutating func number() throws(DocumentError) -> Range<Int> {
    let start = cursor.offset
    _ = cursor.take(UInt8(ascii: "-"))
    if !cursor.take(UInt8(ascii: "0")) { try digits() }
    if cursor.take(UInt8(ascii: ".")) { try digits() }
    if cursor.take(UInt8(ascii: "e")) || cursor.take(UInt8(ascii: "E")) {
      if !cursor.take(UInt8(ascii: "+")) { _ = cursor.take(UInt8(ascii: "-")) }
      try digits()
    }
    return start..<cursor.offset
  }

  private mutating func digits() throws(DocumentError) {
    guard !cursor.take(while: \.isDigit).isEmpty else { throw cursor.error(.malformed, "Expected a digit.") }
  }
}
