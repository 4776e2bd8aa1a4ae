import KeyplanYAML
import Testing

/// The tree of a text, or the fault that the text is refused for.
func parse(_ text: String, limits: Limits = .standard) throws(YAMLError) -> Node? {
  try Node.parse([UInt8](text.utf8), limits: limits)
}

/// Expects that a document is refused with a code at a place.
func expectFault(
  _ bytes: [UInt8], _ code: YAMLError.Code, line: Int, column: Int, offset: Int, limits: Limits = .standard,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(YAMLError) {
    _ = try Node.parse(bytes, limits: limits)
    Issue.record("accepted", sourceLocation: sourceLocation)
  } catch {
    #expect(error.code == code, "\(error.detail)", sourceLocation: sourceLocation)
    let place = [error.mark.line, error.mark.column, error.mark.offset]
    #expect(place == [line, column, offset], "\(error.detail)", sourceLocation: sourceLocation)
  }
}

extension Node {
  /// The items of a sequence.
  var items: [Node]? { if case .sequence(let items) = content { items } else { nil } }
  /// The entries of a mapping.
  var entries: [Entry]? { if case .mapping(let entries) = content { entries } else { nil } }
  /// The scalar.
  var scalar: Scalar? { if case .scalar(let scalar) = content { scalar } else { nil } }
  /// The value of the first entry with this key.
  subscript(key: String) -> Node? { entries?.first { $0.key.scalar?.text == key }?.value }
  /// `line:column:offset` of the start and the end.
  var place: String {
    "\(start.line):\(start.column):\(start.offset)-\(end.line):\(end.column):\(end.offset)"
  }
}
