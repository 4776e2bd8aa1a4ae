import KeyplanYAML

/// Why a document cannot be read, asked or edited.
package struct DocumentError: Error, Equatable, Sendable {
  /// What to act on.
  package enum Code: Equatable, Sendable {
    /// The file breaks the grammar of its format.
    case malformed
    /// The file is not UTF-8.
    case notUTF8
    /// The file is larger than ``DocumentLimit/bytes``, or its aliases make it so.
    case tooLarge
    /// The file is nested deeper than ``DocumentLimit/depth``.
    case tooDeep
    /// A name stands twice where that has no meaning.
    case duplicateName
    /// The file is whole, but of a form that is not read here.
    case unsupported
    /// The name asked for cannot be a name in this kind of document.
    case invalidName
    /// The value cannot be written in this kind of document.
    case invalidValue
    /// What stands at the name, or on the way to it, is not what the edit needs.
    case notEditable
  }

  /// A place in a file; both count from 1.
  package struct Place: Equatable, Sendable {
    /// Lines end with a line feed.
    package let line: Int
    /// In code points, as editors count; a byte order mark is none.
    package let column: Int
  }

  /// What to act on.
  package let code: Code
  /// Where the fault is in the file; `nil` where it is in the name or value handed in.
  package let place: Place?
  /// A whole sentence. It is written in the program's source, so no byte of a file or value can be in it.
  package let detail: String

  // `StaticString` is the proof that an error never quotes content: only literals fit.
  init(_ code: Code, at place: Place? = nil, _ detail: StaticString) {
    self.code = code
    self.place = place
    self.detail = detail.description
  }

  // The one detail that comes from elsewhere: KeyplanYAML promises the same of its errors.
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
