import KeyplanYAML

/// The reason that a document cannot be parsed, queried or edited.
package struct DocumentError: Error, Equatable, Sendable {
  /// The reason, for the caller to act on.
  package enum Code: Equatable, Sendable {
    /// The file violates the grammar of its format.
    case malformed
    /// The file is not UTF-8.
    case notUTF8
    /// The file is larger than ``DocumentLimit/bytes``, or becomes so through its aliases.
    case tooLarge
    /// The file is nested deeper than ``DocumentLimit/depth``.
    case tooDeep
    /// A name occurs twice where only one is allowed.
    case duplicateName
    /// The file is well formed, but in a form that is not supported.
    case unsupported
    /// The requested name is not valid in this kind of document.
    case invalidName
    /// The value cannot be written in this kind of document.
    case invalidValue
    /// The value at the name, or one of its containers, does not allow the edit.
    case notEditable
  }

  /// A position in a file; line and column count from 1.
  package struct Place: Equatable, Sendable {
    /// Lines end with a line feed.
    package let line: Int
    /// In code points, as editors count; a byte order mark does not count.
    package let column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
  }

  package let code: Code
  /// The position in the file; `nil` if the error is in the name or value passed in.
  package let place: Place?
  /// A whole sentence. It is a literal in the program's source, so it cannot contain any byte of a file or value.
  package let detail: String

  // `StaticString` ensures that an error never quotes content: only literals are accepted.
  package init(_ code: Code, at place: Place? = nil, _ detail: StaticString) {
    self.code = code
    self.place = place
    self.detail = detail.description
  }

  // The only other source of details: KeyplanYAML's errors do not quote content either.
  init(_ error: YAMLError) {
    code =
      switch error.code {
      case .encoding: .notUTF8
      case .tooLarge, .tooManyNodes, .outOfMemory: .tooLarge
      case .tooDeep: .tooDeep
      case .severalDocuments: .unsupported
      case .character, .syntax, .alias, .tag: .malformed
      }
    place = Place(line: error.mark.line, column: error.mark.column)
    detail = error.detail
  }
}
