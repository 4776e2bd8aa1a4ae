/// Parses an XML property list into a tree of values.
struct PlistScanner {
  private var xml: XMLReader
  private var tree: ValueTree<PlistPlace>

  static func tree(of bytes: [UInt8]) throws(DocumentError) -> ValueTree<PlistPlace> {
    var scanner = PlistScanner(xml: try XMLReader(bytes), tree: ValueTree(.other(.object), at: nil))
    try scanner.xml.prologue()
    guard case .open("plist") = try scanner.xml.tag(attributes: true) else {
      throw scanner.xml.error(.malformed, "Expected <plist>.")
    }
    let start = try scanner.xml.tag()
    let (root, place) = try scanner.value(start, key: nil)
    scanner.tree = ValueTree(root, at: place)
    if root.isContainer { try scanner.content(of: start, in: 0, at: place, depth: 1) }
    try scanner.expectClose("plist")
    try scanner.xml.end()
    return scanner.tree
  }

  /// The value that `tag` starts. The content of a container is left to `content`.
  private mutating func value(
    _ tag: XMLReader.Tag, key: Range<Int>?
  ) throws(DocumentError) -> (value: DocumentValue, place: PlistPlace) {
    let (start, inner) = (xml.tagStart, xml.offset)
    let value = try value(tag)
    let hasText = if case .open("string") = tag { !xml.hasMarkup } else { tag == .empty("string") }
    let isClosed = xml.offset > inner
    return (
      value,
      PlistPlace(
        key: key, element: start..<xml.offset, content: isClosed ? inner..<xml.tagStart : inner..<inner,
        isEditable: hasText, isEmptyTag: tag == .empty("string") || tag == .empty("dict"))
    )
  }

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
    default: throw xml.error(.malformed, "Expected a property-list value before this position.")
    }
  }

  private mutating func content(
    of start: XMLReader.Tag, in container: Int, at place: PlistPlace, depth: Int
  ) throws(DocumentError) {
    guard depth <= DocumentLimit.depth else { throw xml.error(.tooDeep, "The file is nested deeper than 64 levels.") }
    guard case .open(let kind) = start else { return }
    var count = 0
    while true {
      var tag = try xml.tag()
      if tag == .close(kind) { return tree.locate(container, at: place.closed(by: xml.tagStart..<xml.offset)) }
      var name = Array("\(count)".utf8)
      let offset = xml.offset
      var key: Range<Int>?
      if kind == "dict" {
        let start = xml.tagStart
        switch tag {
        case .open("key"): name = try text(until: "key")
        case .empty("key"): name = []
        default: throw xml.error(.malformed, "Expected a <key> before this position.")
        }
        key = start..<xml.offset
        tag = try xml.tag()
      }
      let (value, place) = try value(tag, key: key)
      guard let inner = tree.add(value, as: name, in: container, at: place) else {
        throw xml.error(.duplicateName, at: offset, "This name occurs twice in its dictionary.")
      }
      if value.isContainer { try content(of: tag, in: inner, at: place, depth: depth + 1) }
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
      throw xml.error(.malformed, "Expected the closing tag of an element before this position.")
    }
  }

  private func trimmed(_ text: [UInt8]) -> [UInt8] {
    Array(text.drop(while: \.isSpace).reversed().drop(while: \.isSpace).reversed())
  }
}

extension DocumentValue {
  fileprivate var isContainer: Bool { self == .other(.object) || self == .other(.array) }
}
