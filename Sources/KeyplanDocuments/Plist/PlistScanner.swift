/// Reads an XML property list into an index of its values.
struct PlistScanner {
  private var xml: XMLReader
  private var index = ChildIndex()

  /// Reads `bytes`.
  static func index(of bytes: [UInt8]) throws(DocumentError) -> ChildIndex {
    var scanner = PlistScanner(xml: try XMLReader(bytes))
    try scanner.xml.prologue()
    guard case .open("plist") = try scanner.xml.tag(attributes: true) else {
      throw scanner.xml.error(.malformed, "A property list starts with <plist>.")
    }
    let start = try scanner.xml.tag()
    let root = try scanner.value(start)
    if root.isContainer { try scanner.content(of: start, in: ChildIndex.root, depth: 1) }
    try scanner.expectClose("plist")
    try scanner.xml.end()
    return scanner.index
  }

  /// The value that `tag` starts. The content of a container is left for `content`.
  private mutating func value(_ tag: XMLReader.Tag) throws(DocumentError) -> DocumentValue {
    switch tag {
    case .open("dict"), .empty("dict"): return .other(.object)
    case .open("array"), .empty("array"): return .other(.array)
    case .empty("true"), .open("true"): return try literal("true", tag)
    case .empty("false"), .open("false"): return try literal("false", tag)
    case .empty("string"): return .text([])
    case .empty("data"): return .other(.data)
    case .open("string"): return .text(try text(until: "string"))
    case .open("data"):
      _ = try text(until: "data")
      return .other(.data)
    case .open(let name) where ["integer", "real", "date"].contains(name):
      return .text(trimmed(try text(until: name)))
    default: throw xml.error(.malformed, "A value of a property list is expected before this place.")
    }
  }

  private mutating func content(of start: XMLReader.Tag, in container: Int, depth: Int) throws(DocumentError) {
    guard depth <= DocumentLimit.depth else { throw xml.error(.tooDeep, "The file is nested deeper than 64 levels.") }
    guard case .open(let kind) = start else { return }
    var count = 0
    while true {
      var tag = try xml.tag()
      if tag == .close(kind) { return }
      var name = Array("\(count)".utf8)
      let place = xml.offset
      if kind == "dict" {
        switch tag {
        case .open("key"): name = try text(until: "key")
        case .empty("key"): name = []
        default: throw xml.error(.malformed, "A <key> is expected before this place.")
        }
        tag = try xml.tag()
      }
      let value = try value(tag)
      guard let inner = index.add(value, as: name, in: container) else {
        throw xml.error(.duplicateName, at: place, "This name stands twice in its dictionary.")
      }
      if value.isContainer { try content(of: tag, in: inner, depth: depth + 1) }
      count += 1
    }
  }

  private mutating func literal(_ name: String, _ tag: XMLReader.Tag) throws(DocumentError) -> DocumentValue {
    if tag == .open(name) { try expectClose(name) }
    return .text(Array(name.utf8))
  }

  private mutating func text(until name: String) throws(DocumentError) -> [UInt8] {
    let text = try xml.text()
    try expectClose(name)
    return text
  }

  private mutating func expectClose(_ name: String) throws(DocumentError) {
    guard try xml.tag() == .close(name) else {
      throw xml.error(.malformed, "The end of an element is expected before this place.")
    }
  }

  private func trimmed(_ text: [UInt8]) -> [UInt8] {
    Array(text.drop(while: \.isSpace).reversed().drop(while: \.isSpace).reversed())
  }
}

extension DocumentValue {
  fileprivate var isContainer: Bool { self == .other(.object) || self == .other(.array) }
}
