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

/// Pseudo-random numbers that are the same in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
