/// Why a document was refused, and where.
///
/// No part of an error quotes the document, not even the names of anchors and tags: what was mistaken for YAML may be a secret.
package struct YAMLError: Error, Hashable, Sendable {
  /// The kinds of fault.
  package enum Code: Hashable, Sendable {
    /// The bytes are not UTF-8.
    case encoding
    /// A character that YAML does not allow, or that its versions read differently.
    case character
    /// The text is not YAML, or it is cut off.
    case syntax
    /// A second document begins.
    case severalDocuments
    /// An alias without its anchor, or within it.
    case alias
    /// A tag outside the core schema, or one that its value does not fit.
    case tag
    /// More bytes than ``Limits/size``.
    case tooLarge
    /// More levels than ``Limits/depth``.
    case tooDeep
    /// More nodes than ``Limits/nodes``, or aliases that multiply them.
    case tooManyNodes
    /// There was no memory to read the document with.
    case outOfMemory
  }

  /// The kind of fault.
  package let code: Code
  /// Where the fault was found.
  package let mark: Mark
  /// What is the matter with this document, in a whole sentence.
  package let detail: String

  /// The fault in a few words, the same for every fault of the kind.
  package var summary: String {
    switch code {
    case .encoding: "Not UTF-8"
    case .character: "Character not allowed"
    case .syntax: "Not valid YAML"
    case .severalDocuments: "More than one document"
    case .alias: "Alias to nothing"
    case .tag: "Tag not understood"
    case .tooLarge: "Document too large"
    case .tooDeep: "Document too deep"
    case .tooManyNodes: "Document expands too far"
    case .outOfMemory: "Out of memory"
    }
  }
}
