/// The value of a name in a document.
package enum DocumentValue: Equatable, Sendable, Undisclosed {
  /// The content of a string, or the source text of a number, boolean or date.
  case text([UInt8])
  /// A value that is not text. Its content is not available.
  case other(Kind)

  /// The kinds of values that are not text.
  package enum Kind: Equatable, Sendable {
    /// An explicit null. A missing name has no value at all.
    case null
    /// Named values: an object, a dictionary, a mapping.
    case object
    /// Unnamed values: an array, a sequence.
    case array
    /// Binary data: the `data` of a property list.
    case data
    /// A value with a tag that only its own program understands, and everything below it.
    case tagged
    /// A dotenv value with text after its closing quote (`'a'\''b'`), which programs read differently.
    case joined
  }
}
