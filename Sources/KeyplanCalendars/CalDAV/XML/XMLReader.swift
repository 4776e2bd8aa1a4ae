import CExpat

/// Parses a document to a tree, in time and memory linear in its size.
enum XMLReader {
  /// More than any valid multistatus: ten thousand events have some 80,000 elements.
  static let limits = keyplan_xml_limits(bytes: 8 << 20, elements: 1 << 17, depth: 32, tag: 16 << 10, name: 256)

  static func read(
    _ document: UnsafeRawBufferPointer, within limits: keyplan_xml_limits = limits
  ) throws(XMLFault) -> XMLElement {
    if let reason = ExpatLibrary.fault { throw .libraryMissing(reason) }
    let builder = XMLBuilder()
    let end = withExtendedLifetime(builder) {
      var handler = keyplan_xml_handler()
      handler.context = Unmanaged.passUnretained(builder).toOpaque()
      handler.start = { context, name, attributes in
        guard let builder = XMLBuilder.at(context), let name, let attributes else { return false }
        builder.start(name, attributes)
        return true
      }
      handler.text = { context, bytes, count in
        XMLBuilder.at(context)?.text(UnsafeRawBufferPointer(start: bytes, count: count))
        return true
      }
      handler.end = { context in
        XMLBuilder.at(context)?.end()
        return true
      }
      return keyplan_xml_read(
        document.baseAddress?.assumingMemoryBound(to: CChar.self), document.count, limits, &handler)
    }
    switch end.outcome {
    case KEYPLAN_XML_READ: break
    case KEYPLAN_XML_DOCTYPE: throw .doctype
    case KEYPLAN_XML_LIMIT, KEYPLAN_XML_MEMORY: throw .tooLarge
    default: throw .malformed(line: end.line)
    }
    guard let root = builder.root else { throw .malformed(line: end.line) }
    return root
  }
}

/// Builds the tree from a stack of open elements.
private final class XMLBuilder {
  private(set) var root: XMLElement?
  private var open: [XMLElement] = []

  static func at(_ context: UnsafeMutableRawPointer?) -> XMLBuilder? {
    context.map { Unmanaged<XMLBuilder>.fromOpaque($0).takeUnretainedValue() }
  }

  func start(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>) {
    var element = XMLElement(name: XMLName(expanded: String(cString: name)))
    var next = attributes
    while let name = next[0], let value = next[1] {
      let name = XMLName(expanded: String(cString: name))
      if name.space.isEmpty { element.attributes[name.local] = String(cString: value) }
      next += 2
    }
    open.append(element)
  }

  func text(_ bytes: UnsafeRawBufferPointer) {
    guard !open.isEmpty else { return }
    open[open.count - 1].bytes.append(contentsOf: bytes)
  }

  func end() {
    guard let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }
}

extension XMLName {
  /// Parses a name in libexpat's format.
  fileprivate init(expanded: String) {
    let parts = expanded.utf8.split(separator: 1, maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      self.init(space: String(parts[0]) ?? "", local: String(parts[1]) ?? "")
    } else {
      self.init(space: "", local: expanded)
    }
  }
}
