/// A value in a JSON text, by its position: strings and numbers stay in the text.
package struct JSONNode: Sendable {
  package enum Content: Sendable {
    case null
    case bool(Bool)
    case number
    case string
    case array([JSONNode])
    /// In the order of the text; names do not repeat.
    case object([JSONMember])
  }

  package let content: Content
  /// The range in the text; a string with its quotes.
  package let range: Range<Int>

  /// Nil if it is not an object.
  package var members: [JSONMember]? { if case .object(let members) = content { members } else { nil } }

  /// Nil if it is not an array.
  package var elements: [JSONNode]? { if case .array(let elements) = content { elements } else { nil } }
}

package struct JSONMember: Sendable {
  package let name: String
  package let value: JSONNode
}
