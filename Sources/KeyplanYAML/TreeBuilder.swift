/// Builds a tree from events. Recursive to the depth of the document, which ``Limits/depth`` limits.
struct TreeBuilder: ~Copyable {
  /// A node with the number of nodes and the height of its tree, aliases expanded.
  private struct Tree {
    let node: Node
    let count: Int
    let height: Int
  }

  /// The value of an anchor.
  private enum Anchored {
    case beingRead
    case read(Tree)
  }

  /// The context of a node: its depth, whether it is in brackets, and the column (from 0) of the block around it, -1
  /// for none.
  private struct Context {
    let depth: Int
    let indent: Int
    let inFlow: Bool
  }

  private var events: EventReader
  private let limits: Limits
  private let allowsForeignTags: Bool
  private var anchors: [String: Anchored] = [:]
  private var written = 0
  private var expanded = 0
  /// The offset after the last event; only white space, indicators and comments can follow before the next one.
  private var position: Int

  init(events: consuming EventReader, limits: Limits, allowsForeignTags: Bool) {
    position = events.source.base
    self.events = events
    self.limits = limits
    self.allowsForeignTags = allowsForeignTags
  }

  mutating func document() throws(YAMLError) -> Node? {
    _ = try next()
    guard case .documentStart = try next().kind else { return nil }
    let root = try tree(try next(), Context(depth: 1, indent: -1, inFlow: false)).node
    let end = try next()
    try refuse(events.source.faultInDirectives(from: end.end.offset))
    let last = try next()
    guard case .streamEnd = last.kind else {
      throw YAMLError(
        code: .severalDocuments, mark: last.start, detail: "A second document begins here; only one is allowed.")
    }
    return root
  }

  private mutating func next() throws(YAMLError) -> Event {
    let event = try events.next()
    if position < event.start.offset { try refuse(events.source.faultBetweenEvents(position..<event.start.offset)) }
    position = max(position, event.end.offset)
    return event
  }

  private func refuse(_ fault: SourceText.Fault?) throws(YAMLError) {
    if let fault { throw YAMLError(fault, in: events.source) }
  }

  private mutating func tree(_ event: Event, _ place: Context) throws(YAMLError) -> Tree {
    if case .alias(let name) = event.kind { return try alias(name, event, place) }
    try count(1, of: event, height: 1, at: place)
    if let anchor = event.anchor {
      let bytes = events.source.bytes
      let sign = bytes[event.start.offset...].firstIndex(of: Byte.ampersand) ?? event.start.offset
      try refuse(events.source.faultAfterName(sign + 1 + anchor.utf8.count))
      anchors[anchor] = .beingRead
    }
    let tree =
      switch event.kind {
      case .scalar(let text, let style): try scalar(text, style, event, place)
      case .sequenceStart: try sequence(event, place)
      case .mappingStart: try mapping(event, place)
      default:
        throw YAMLError(code: .syntax, mark: event.start, detail: "Expected a value.")
      }
    // If an anchor is redefined inside its own value, it names the inner value from there on.
    if let anchor = event.anchor, case .beingRead = anchors[anchor] { anchors[anchor] = .read(tree) }
    return tree
  }

  private mutating func count(
    _ nodes: Int, of event: Event, height: Int, at place: Context
  ) throws(YAMLError) {
    guard place.depth + height - 1 <= limits.depth else {
      throw YAMLError(
        code: .tooDeep, mark: event.start, detail: "Values are nested more than \(limits.depth) levels deep."
      )
    }
    expanded += nodes
    written += 1
    guard limits.allow(expanded: expanded, written: written) else {
      throw YAMLError(
        code: .tooManyNodes, mark: event.start,
        detail: "The document has more than \(limits.nodes) values, or its aliases multiply them.")
    }
  }

  private mutating func alias(_ name: String, _ event: Event, _ place: Context) throws(YAMLError) -> Tree {
    try refuse(events.source.faultAfterName(event.end.offset))
    guard let known = anchors[name] else {
      throw YAMLError(
        code: .alias, mark: event.start, detail: "The alias refers to an anchor that is not defined before it.")
    }
    guard case .read(let tree) = known else {
      throw YAMLError(code: .alias, mark: event.start, detail: "The alias is inside the value to which it refers.")
    }
    try count(tree.count, of: event, height: tree.height, at: place)
    let node = Node(
      content: tree.node.content, layout: tree.node.layout, origin: .alias, start: event.start, end: event.end,
      hasForeignTag: tree.node.hasForeignTag)
    return Tree(node: node, count: tree.count, height: tree.height)
  }

  private func node(_ content: Node.Content, _ event: Event, end: Mark) -> Node {
    Node(
      content: content, layout: event.layout, origin: event.anchor == nil ? .written : .anchored, start: event.start,
      end: end, hasForeignTag: isForeign(event))
  }

  private func scalar(
    _ text: String, _ style: Scalar.Style, _ event: Event, _ place: Context
  ) throws(YAMLError) -> Tree {
    let range = event.start.offset..<event.end.offset
    switch style {
    case .literal, .folded:
      try refuse(events.source.faultInBlockScalar(range, in: place.indent))
    case .singleQuoted, .doubleQuoted:
      if !place.inFlow, event.start.line < event.end.line {
        try refuse(events.source.faultInIndentation(range, in: place.indent, isCollection: false))
      }
    case .plain:
      if place.inFlow, text == "-" {
        throw YAMLError(code: .syntax, mark: event.start, detail: "A single dash is not a value inside brackets.")
      }
    }
    let scalar = Scalar(text: text, style: style, tag: try tag(of: event))
    guard scalar.fitsTag else {
      throw YAMLError(code: .tag, mark: event.start, detail: "The value does not have the type of its tag.")
    }
    return Tree(node: node(.scalar(scalar), event, end: event.end), count: 1, height: 1)
  }

  /// Whether a value has a tag outside of the core schema, where such tags are allowed.
  private func isForeign(_ event: Event) -> Bool {
    guard allowsForeignTags, let tag = event.tag else { return false }
    return !Self.coreTags.contains(tag)
  }

  private static let coreTags: Set<String> = [
    "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool",
    "tag:yaml.org,2002:null", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map",
  ]

  private func tag(of event: Event) throws(YAMLError) -> CoreTag? {
    guard let tag = event.tag else { return nil }
    if isForeign(event) { return .str }
    switch tag {
    case "!", "tag:yaml.org,2002:str": return .str
    case "tag:yaml.org,2002:int": return .int
    case "tag:yaml.org,2002:float": return .float
    case "tag:yaml.org,2002:bool": return .bool
    case "tag:yaml.org,2002:null": return .null
    default: throw unknownTag(event.start)
    }
  }

  private func checkTag(of event: Event, is expected: String) throws(YAMLError) {
    if let tag = event.tag, tag != "!", tag != expected, !isForeign(event) { throw unknownTag(event.start) }
  }

  private func unknownTag(_ mark: Mark) -> YAMLError {
    YAMLError(
      code: .tag, mark: mark, detail: "Only tags of the core schema that match the value are supported.")
  }

  private mutating func sequence(_ event: Event, _ place: Context) throws(YAMLError) -> Tree {
    try checkTag(of: event, is: "tag:yaml.org,2002:seq")
    let inner = context(within: event, at: place)
    let before = expanded
    var items: [Node] = []
    var height = 0
    while true {
      let next = try next()
      if case .collectionEnd = next.kind {
        let end = try end(of: event, with: next, last: items.last, at: place)
        return Tree(node: node(.sequence(items), event, end: end), count: expanded - before + 1, height: height + 1)
      }
      let item = try tree(next, inner)
      items.append(item.node)
      height = max(height, item.height)
    }
  }

  private mutating func mapping(_ event: Event, _ place: Context) throws(YAMLError) -> Tree {
    try checkTag(of: event, is: "tag:yaml.org,2002:map")
    if event.layout == .flow, event.tag == nil, event.anchor == nil {
      // A single-entry mapping in a sequence, `[? a]`, begins with its question mark.
      try refuse(events.source.faultBetweenEvents(event.start.offset..<event.end.offset))
    }
    let inner = context(within: event, at: place)
    let before = expanded
    var entries: [Entry] = []
    entries.reserveCapacity(4)
    var height = 0
    while true {
      let next = try next()
      if case .collectionEnd = next.kind {
        let end = try end(of: event, with: next, last: entries.last?.value, at: place)
        return Tree(node: node(.mapping(entries), event, end: end), count: expanded - before + 1, height: height + 1)
      }
      let key = try tree(next, inner)
      guard !key.node.hasForeignTag else { throw unknownTag(key.node.start) }
      let value = try tree(try self.next(), inner)
      entries.append(Entry(key: key.node, value: value.node))
      height = max(height, key.height, value.height)
    }
  }

  /// libyaml's start event of a block collection ends at its first entry, except that of a sequence that is not
  /// indented further than its key: it ends after the dash.
  private func context(within event: Event, at place: Context) -> Context {
    guard event.layout == .block else {
      return Context(depth: place.depth + 1, indent: place.indent, inFlow: true)
    }
    var indent = event.end.column - 1
    let bytes = events.source.bytes
    if case .sequenceStart = event.kind,
      event.end.offset >= bytes.count || bytes[event.end.offset] != Byte.dash
    {
      indent -= 1
    }
    return Context(depth: place.depth + 1, indent: indent, inFlow: false)
  }

  /// In libyaml a block collection ends where the next thing begins; here it ends with its last value.
  private func end(of event: Event, with last: Event, last node: Node?, at place: Context) throws(YAMLError)
    -> Mark
  {
    guard event.layout == .flow else { return node?.end ?? event.end }
    if !place.inFlow, event.start.line < last.end.line {
      let range = event.start.offset..<last.end.offset
      try refuse(events.source.faultInIndentation(range, in: place.indent, isCollection: true))
    }
    return last.end
  }
}
