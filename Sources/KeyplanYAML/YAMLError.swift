/// The reason that a document was rejected, and its position.
///
/// An error never quotes the document, not even the names of anchors and tags: the file may be a secret that was mistaken
/// for YAML.
package struct YAMLError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// The bytes are not UTF-8.
    case encoding
    /// A character that YAML does not allow, or that versions of YAML treat differently.
    case character
    /// The text is not YAML, or it is truncated.
    case syntax
    /// A second document begins.
    case severalDocuments
    /// An alias without an anchor, or inside the anchored value.
    case alias
    /// A tag outside of the core schema, or one that does not match its value.
    case tag
    /// The document is larger than ``Limits/size``.
    case tooLarge
    /// The nesting is deeper than ``Limits/depth``.
    case tooDeep
    /// There are more nodes than ``Limits/nodes``, or aliases multiply them.
    case tooManyNodes
    /// There was not enough memory to parse the document.
    case outOfMemory
  }

  package let code: Code
  package let mark: Mark
  /// The error in this document, as a whole sentence.
  package let detail: String
  /// The correction, if there is a single one.
  package var hint: String?

  /// The error in a few words, the same for all errors of this kind.
  package var summary: String {
    switch code {
    case .encoding: "Not UTF-8"
    case .character: "Character not allowed"
    case .syntax: "Not valid YAML"
    case .severalDocuments: "More than one document"
    case .alias: "Undefined alias"
    case .tag: "Unsupported tag"
    case .tooLarge: "Document too large"
    case .tooDeep: "Nesting too deep"
    case .tooManyNodes: "Document expands too far"
    case .outOfMemory: "Out of memory"
    }
  }
}
