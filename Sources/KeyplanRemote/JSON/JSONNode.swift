/// A value in a JSON text, by its position: strings and numbers stay in the text.
struct JSONNode: Sendable {
  enum Content: Sendable {
    case null
    case bool(Bool)
    case number
    case string
    case array([JSONNode])
    /// In the order of the text; names do not repeat.
    case object([JSONMember])
  }

  let content: Content
  /// Where it is in the text; a string with its quotes.
  let range: Range<Int>

  /// Nil if it is not an object.
  var members: [JSONMember]? { if case .object(let members) = content { members } else { nil } }

  /// Nil if it is not an array.
  var elements: [JSONNode]? { if case .array(let elements) = content { elements } else { nil } }
}

struct JSONMember: Sendable {
  let name: String
  let value: JSONNode
}
