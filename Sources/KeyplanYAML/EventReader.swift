import CLibYAML

/// An event of libyaml, as a Swift value.
struct Event {
  enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd
    case alias(String)
    case scalar(text: String, style: Scalar.Style)
    case sequenceStart, mappingStart, collectionEnd
  }

  let kind: Kind
  let anchor: String?
  let tag: String?
  let layout: Node.Layout
  let start: Mark
  let end: Mark
}

/// Runs libyaml's parser over a text. The only code that uses libyaml.
struct EventReader: ~Copyable {
  private(set) var source: SourceText
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let event: UnsafeMutablePointer<yaml_event_t>

  /// - Parameter buffer: the bytes of `source`, which must outlive the reader.
  init(_ source: SourceText, in buffer: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
    self.source = source
    parser = .allocate(capacity: 1)
    event = .allocate(capacity: 1)
    event.initialize(to: yaml_event_t())
    guard yaml_parser_initialize(parser) == 1 else {
      parser.initialize(to: yaml_parser_t())
      throw .outOfMemory(at: source.mark(at: 0))
    }
    // Set explicitly, because libyaml would otherwise accept UTF-16 too. It then does not skip a byte order mark
    // itself.
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, buffer.baseAddress.map { $0 + source.base }, buffer.count - source.base)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    event.deallocate()
  }

  mutating func next() throws(YAMLError) -> Event {
    guard yaml_parser_parse(parser, event) == 1 else { throw error() }
    defer { yaml_event_delete(event) }
    let start = mark(event.pointee.start_mark)
    let end = mark(event.pointee.end_mark)
    func made(
      _ kind: Event.Kind, anchor: UnsafeMutablePointer<yaml_char_t>? = nil,
      tag: UnsafeMutablePointer<yaml_char_t>? = nil,
      layout: Node.Layout = .block
    ) -> Event {
      Event(
        kind: kind, anchor: anchor.map { String(cString: $0) }, tag: tag.map { String(cString: $0) }, layout: layout,
        start: start, end: end)
    }
    switch event.pointee.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.pointee.data.scalar
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      let style = Scalar.Style(scalar.style)
      return made(
        .scalar(text: text, style: style), anchor: scalar.anchor, tag: scalar.tag,
        layout: style == .literal || style == .folded ? .block : .flow)
    case YAML_MAPPING_START_EVENT:
      let mapping = event.pointee.data.mapping_start
      let isFlow = mapping.style == YAML_FLOW_MAPPING_STYLE
      return made(.mappingStart, anchor: mapping.anchor, tag: mapping.tag, layout: isFlow ? .flow : .block)
    case YAML_SEQUENCE_START_EVENT:
      let sequence = event.pointee.data.sequence_start
      let isFlow = sequence.style == YAML_FLOW_SEQUENCE_STYLE
      return made(.sequenceStart, anchor: sequence.anchor, tag: sequence.tag, layout: isFlow ? .flow : .block)
    case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: return made(.collectionEnd)
    case YAML_ALIAS_EVENT: return made(.alias(event.pointee.data.alias.anchor.map { String(cString: $0) } ?? ""))
    case YAML_STREAM_START_EVENT: return made(.streamStart)
    case YAML_DOCUMENT_START_EVENT: return made(.documentStart)
    case YAML_DOCUMENT_END_EVENT: return made(.documentEnd)
    default: return made(.streamEnd)
    }
  }

  /// After a last line without a line end, libyaml counts one more line, which does not exist.
  private mutating func mark(_ mark: yaml_mark_t) -> Mark {
    let found = source.mark(line: mark.line, column: mark.column, points: mark.index)
    let isBehind = mark.column == 0 && found.offset >= source.bytes.count
    return isBehind && source.bytes.last.map(Byte.isBreak) == false ? source.mark(at: source.bytes.count) : found
  }

  private mutating func error() -> YAMLError {
    let parser = parser.pointee
    let problem = parser.problem.map { String(cString: $0) } ?? "the text cannot be parsed"
    switch parser.error {
    case YAML_MEMORY_ERROR:
      return .outOfMemory(at: mark(parser.mark))
    case YAML_READER_ERROR:
      // Here libyaml counts bytes, from after the byte order mark.
      let place = source.mark(at: source.base + parser.problem_offset)
      let isCharacter = problem.hasPrefix("control")
      return YAMLError(code: isCharacter ? .character : .encoding, mark: place, detail: "\(sentence(problem)).")
    default:
      if let error = explained(problem) { return error }
      guard let context = parser.context.map({ String(cString: $0) }) else {
        return YAMLError(code: .syntax, mark: mark(parser.problem_mark), detail: "\(sentence(problem)).")
      }
      let since =
        parser.context_mark.line < parser.problem_mark.line ? " from line \(parser.context_mark.line + 1)" : ""
      return YAMLError(
        code: .syntax, mark: mark(parser.problem_mark), detail: "\(sentence(context))\(since): \(problem).")
    }
  }

  /// Frequent mistakes, for which libyaml has only the words of its grammar.
  private mutating func explained(_ problem: String) -> YAMLError? {
    let parser = parser.pointee
    let context = parser.context.map { String(cString: $0) } ?? ""
    if context == "while scanning a quoted scalar", problem == "found unexpected end of stream" {
      let start = mark(parser.context_mark)
      let quote = byte(at: start) == UInt8(ascii: "\"") ? "\"" : "'"
      return YAMLError(
        code: .syntax, mark: start, detail: "The quotation mark is not closed.",
        hint: "Add \(quote) at the end of the text.")
    }
    let place = mark(parser.problem_mark)
    if context == "while scanning an alias" {
      return YAMLError(
        code: .syntax, mark: mark(parser.context_mark), detail: "A text that begins with * must be quoted.",
        hint: "Write it in quotation marks: \"*\"")
    }
    guard problem == "found character that cannot start any token" else { return nil }
    switch byte(at: place) {
    case UInt8(ascii: "\t"):
      return YAMLError(
        code: .syntax, mark: place, detail: "A line must not be indented with a tab.",
        hint: "Use blanks instead of the tab.")
    case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"):
      return YAMLError(
        code: .syntax, mark: place, detail: "A text that begins with @, ` or % must be quoted.",
        hint: "Write the text in quotation marks.")
    default: return nil
    }
  }

  private func byte(at mark: Mark) -> UInt8? {
    source.bytes.indices.contains(mark.offset) ? source.bytes[mark.offset] : nil
  }

  /// libyaml's messages are constants, in lower case and without a full stop.
  private func sentence(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() }
}

extension Scalar.Style {
  fileprivate init(_ style: yaml_scalar_style_t) {
    self =
      switch style {
      case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
      case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
      case YAML_LITERAL_SCALAR_STYLE: .literal
      case YAML_FOLDED_SCALAR_STYLE: .folded
      default: .plain
      }
  }
}

extension YAMLError {
  fileprivate static func outOfMemory(at mark: Mark) -> YAMLError {
    YAMLError(code: .outOfMemory, mark: mark, detail: "There is not enough memory to parse the document.")
  }
}
