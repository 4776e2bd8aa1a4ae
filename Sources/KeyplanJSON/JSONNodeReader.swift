/// Reads a JSON text (RFC 8259) strictly: no duplicate names, no unpaired surrogates, UTF-8 only, at most 64 levels.
package struct JSONNodeReader {
  /// The text is not JSON. The reason is not reported, because the user cannot change a service's answer.
  package struct Malformed: Error {}

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  package static let depth = 64

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package static func document(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> JSONNode {
    guard invalidUTF8(in: bytes) == nil else { throw Malformed() }
    var reader = JSONNodeReader(bytes)
    reader.skipSpace()
    let root = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.offset == bytes.count else { throw Malformed() }
    return root
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    offset += 1
    return true
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard offset + count <= bytes.count else { return false }
    let matches = word.withUTF8Buffer { word in (0..<count).allSatisfy { bytes[offset + $0] == word[$0] } }
    if matches { offset += count }
    return matches
  }

  private mutating func value(depth: Int) throws(Malformed) -> JSONNode {
    let start = offset
    guard depth <= Self.depth else { throw Malformed() }
    switch next {
    case UInt8(ascii: "{"): return JSONNode(content: .object(try members(depth)), range: start..<offset)
    case UInt8(ascii: "["): return JSONNode(content: .array(try elements(depth)), range: start..<offset)
    case UInt8(ascii: "\""):
      try string()
      return JSONNode(content: .string, range: start..<offset)
    case UInt8(ascii: "t"):
      guard take("true") else { throw Malformed() }
      return JSONNode(content: .bool(true), range: start..<offset)
    case UInt8(ascii: "f"):
      guard take("false") else { throw Malformed() }
      return JSONNode(content: .bool(false), range: start..<offset)
    case UInt8(ascii: "n"):
      guard take("null") else { throw Malformed() }
      return JSONNode(content: .null, range: start..<offset)
    default:
      try number()
      return JSONNode(content: .number, range: start..<offset)
    }
  }

  private mutating func elements(_ depth: Int) throws(Malformed) -> [JSONNode] {
    offset += 1
    skipSpace()
    if take(UInt8(ascii: "]")) { return [] }
    var elements: [JSONNode] = []
    while true {
      skipSpace()
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return elements }
      guard take(UInt8(ascii: ",")) else { throw Malformed() }
    }
  }

  private mutating func members(_ depth: Int) throws(Malformed) -> [JSONMember] {
    offset += 1
    skipSpace()
    if take(UInt8(ascii: "}")) { return [] }
    var members: [JSONMember] = []
    var names: Set<[UInt8]> = []
    while true {
      skipSpace()
      let start = offset
      guard next == UInt8(ascii: "\"") else { throw Malformed() }
      try string()
      let name = JSONText.content(of: start..<offset, in: bytes)
      guard names.insert(name).inserted else { throw Malformed() }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw Malformed() }
      skipSpace()
      members.append(JSONMember(name: String(decoding: name, as: UTF8.self), value: try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return members }
      guard take(UInt8(ascii: ",")) else { throw Malformed() }
    }
  }

  private mutating func string() throws(Malformed) {
    offset += 1
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw Malformed()
      default: offset += 1
      }
    }
    throw Malformed()
  }

  private mutating func escape() throws(Malformed) {
    offset += 1
    guard let escaped = next else { throw Malformed() }
    offset += 1
    switch escaped {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      switch try unit() {
      case 0xD800..<0xDC00:
        guard take("\\u"), case 0xDC00..<0xE000 = try unit() else { throw Malformed() }
      case 0xDC00..<0xE000: throw Malformed()
      default: return
      }
    default: throw Malformed()
    }
  }

  private mutating func unit() throws(Malformed) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap(JSONText.hexadecimal) else { throw Malformed() }
      unit = unit << 4 | UInt32(digit)
      offset += 1
    }
    return unit
  }

  private mutating func number() throws(Malformed) {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
  }

  private mutating func digits() throws(Malformed) {
    let start = offset
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
    guard offset > start else { throw Malformed() }
  }
}
