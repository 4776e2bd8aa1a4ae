/// What stands at a name in a document.
package enum DocumentValue: Equatable, Sendable, Undisclosed {
  /// A string as it reads, or a number, boolean or date as it is written.
  case text([UInt8])
  /// Something that is no text. What is in it is not told.
  case other(Kind)

  /// The kinds of value that are no text.
  package enum Kind: Equatable, Sendable {
    /// Nothing, said explicitly. A name that is not there has no value at all.
    case null
    /// Names with values: an object, a dictionary, a mapping.
    case object
    /// Values without names: an array, a sequence.
    case array
    /// Bytes that are no text: the `data` of a property list.
    case data
  }
}
