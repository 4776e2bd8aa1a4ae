import KeyplanSecrets

/// The credentials that gcalcli pickles (`google.oauth2.credentials.Credentials`), read without executing anything.
///
/// A pickle is a program for a stack machine that in Python can call arbitrary functions. This implementation calls
/// none: classes are only names, the objects they would create are ignored, and only the state of the credentials is
/// read. An instruction that gcalcli's files do not contain, or a name from outside of Google's library and `datetime`,
/// causes an error.
struct PickledCredentials {
  private enum Node {
    /// A value that is not needed.
    case other
    case text(Range<Int>)
    case name(isCredentials: Bool)
    case object(isCredentials: Bool)
    case dictionary
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// All values; the stack and the memo contain indices into it, like Python's references.
  private var nodes: [Node] = []
  private var stack: [Int] = []
  private var marks: [Int] = []
  private var memo: [Int: Int] = [:]
  /// The entries of dictionaries whose names are texts. A later entry replaces an earlier one.
  private var entries: [Int: [(name: Range<Int>, value: Range<Int>?)]] = [:]
  private var states: [Int: Int] = [:]
  private var fields: [(name: Range<Int>, value: Range<Int>?)] = []

  /// The bytes must stay valid during the call.
  init(_ bytes: UnsafeRawBufferPointer) throws(ImportedTokenError) {
    self.bytes = bytes
    guard try byte() == 0x80, (3...5).contains(try byte()) else { throw .pickle(byte: 0) }
    while try step() {}
    guard position == bytes.count, stack.count == 1, marks.isEmpty, let top = stack.first,
      case .object(isCredentials: true) = nodes[top], let state = states[top]
    else { throw .pickle(byte: position) }
    fields = entries[state] ?? []
  }

  /// The refresh token in the credentials.
  func token() throws(ImportedTokenError) -> ImportedToken {
    guard let token = field("_refresh_token") else { throw .noRefreshToken }
    guard
      let imported = ImportedToken(
        bytes[token], client: text("_client_id"), address: text("_token_uri"),
        names: [text("_account")].compactMap(\.self).filter { !$0.isEmpty })
    else { throw .noRefreshToken }
    return imported
  }

  private func field(_ name: String) -> Range<Int>? {
    fields.last { bytes[$0.name].elementsEqual(name.utf8) }.flatMap(\.value)
  }

  private func text(_ name: String) -> String? { field(name).map { String(decoding: bytes[$0], as: UTF8.self) } }
}

/// The stack machine: executes one instruction at a time, as `pickletools` describes them.
extension PickledCredentials {
  /// False after the last instruction.
  private mutating func step() throws(ImportedTokenError) -> Bool {
    let start = position
    let fault = ImportedTokenError.pickle(byte: start)
    switch try byte() {
    case UInt8(ascii: "."): return false
    case 0x95: guard try number(8) <= bytes.count - position else { throw fault }  // FRAME
    case UInt8(ascii: "("): marks.append(stack.count)
    case UInt8(ascii: "N"), 0x88, 0x89: push(.other)
    case UInt8(ascii: "K"): try skip(1)
    case UInt8(ascii: "M"): try skip(2)
    case UInt8(ascii: "J"): try skip(4)
    case UInt8(ascii: "G"): try skip(8)
    case 0x8A, UInt8(ascii: "C"): try skip(try number(1))  // LONG1, SHORT_BINBYTES
    case UInt8(ascii: "B"): try skip(try number(4))
    case 0x8C: push(.text(try take(try number(1))))
    case UInt8(ascii: "X"): push(.text(try take(try number(4))))
    case UInt8(ascii: "}"): push(.dictionary)
    case UInt8(ascii: "]"), UInt8(ascii: ")"), 0x8F: push(.other)
    case 0x85: try replace(1, by: .other)
    case 0x86: try replace(2, by: .other)
    case 0x87: try replace(3, by: .other)
    case UInt8(ascii: "t"), 0x91:  // TUPLE, FROZENSET
      _ = try popToMark()
      push(.other)
    case UInt8(ascii: "a"): _ = try pop()
    case UInt8(ascii: "e"), 0x90: _ = try popToMark()  // APPENDS, ADDITEMS
    case UInt8(ascii: "s"):
      let (value, name) = (try pop(), try pop())
      try enter([name, value], fault)
    case UInt8(ascii: "u"): try enter(try popToMark(), fault)
    case 0x94: memo[memo.count] = try top()
    case UInt8(ascii: "q"): memo[try number(1)] = try top()
    case UInt8(ascii: "r"): memo[try number(4)] = try top()
    case UInt8(ascii: "h"): try recall(try number(1), fault)
    case UInt8(ascii: "j"): try recall(try number(4), fault)
    case UInt8(ascii: "c"): push(try name(try line(), try line(), fault))
    case 0x93:
      let (name, module) = (try pop(), try pop())
      guard case .text(let name) = nodes[name], case .text(let module) = nodes[module] else { throw fault }
      push(try self.name(module, name, fault))
    case 0x81, UInt8(ascii: "R"):  // NEWOBJ, REDUCE
      _ = try pop()
      guard case .name(let isCredentials) = nodes[try pop()] else { throw fault }
      push(.object(isCredentials: isCredentials))
    case UInt8(ascii: "b"):
      let state = try pop()
      guard case .object = nodes[try top()] else { throw fault }
      if case .dictionary = nodes[state] { states[try top()] = state }
    default: throw fault
    }
    return true
  }

  /// A class or a function, which is never called.
  private func name(_ module: Range<Int>, _ name: Range<Int>, _ fault: ImportedTokenError) throws(ImportedTokenError)
    -> Node
  {
    let module = bytes[module]
    if module.elementsEqual("google.oauth2.credentials".utf8) {
      return .name(isCredentials: bytes[name].elementsEqual("Credentials".utf8))
    }
    guard
      module.elementsEqual("datetime".utf8) || module.starts(with: "google.auth.".utf8)
        || module.starts(with: "google.oauth2.".utf8)
    else { throw fault }
    return .name(isCredentials: false)
  }

  private mutating func enter(_ pairs: [Int], _ fault: ImportedTokenError) throws(ImportedTokenError) {
    let dictionary = try top()
    guard case .dictionary = nodes[dictionary], pairs.count.isMultiple(of: 2) else { throw fault }
    for index in stride(from: 0, to: pairs.count, by: 2) {
      guard case .text(let name) = nodes[pairs[index]] else { continue }
      let value: Range<Int>? = if case .text(let text) = nodes[pairs[index + 1]] { text } else { nil }
      entries[dictionary, default: []].append((name, value))
    }
  }

  private mutating func push(_ node: Node) {
    stack.append(nodes.count)
    nodes.append(node)
  }

  private mutating func replace(_ count: Int, by node: Node) throws(ImportedTokenError) {
    for _ in 0..<count { _ = try pop() }
    push(node)
  }

  private mutating func recall(_ index: Int, _ fault: ImportedTokenError) throws(ImportedTokenError) {
    guard let node = memo[index] else { throw fault }
    stack.append(node)
  }

  private func top() throws(ImportedTokenError) -> Int {
    guard stack.count > marks.last ?? 0, let top = stack.last else { throw .pickle(byte: position) }
    return top
  }

  private mutating func pop() throws(ImportedTokenError) -> Int {
    let top = try top()
    stack.removeLast()
    return top
  }

  private mutating func popToMark() throws(ImportedTokenError) -> [Int] {
    guard let mark = marks.popLast() else { throw .pickle(byte: position) }
    defer { stack.removeSubrange(mark...) }
    return Array(stack[mark...])
  }

  private mutating func byte() throws(ImportedTokenError) -> UInt8 { bytes[try take(1).lowerBound] }

  /// Little-endian.
  private mutating func number(_ count: Int) throws(ImportedTokenError) -> Int {
    var number: UInt64 = 0
    for (shift, byte) in bytes[try take(count)].enumerated() { number |= UInt64(byte) << UInt64(8 * shift) }
    guard let number = Int(exactly: number) else { throw .pickle(byte: position) }
    return number
  }

  private mutating func skip(_ count: Int) throws(ImportedTokenError) {
    _ = try take(count)
    push(.other)
  }

  private mutating func take(_ count: Int) throws(ImportedTokenError) -> Range<Int> {
    guard count <= bytes.count - position else { throw .pickle(byte: position) }
    defer { position += count }
    return position..<position + count
  }

  /// The bytes before the next line feed, which is skipped.
  private mutating func line() throws(ImportedTokenError) -> Range<Int> {
    guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { throw .pickle(byte: position) }
    defer { position = end + 1 }
    return position..<end
  }
}
