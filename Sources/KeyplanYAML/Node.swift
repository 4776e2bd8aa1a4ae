/// A value in a YAML document, and where it stands.
package struct Node: Sendable {
  /// What the value is.
  package enum Content: Sendable {
    /// Text, which ``Scalar/resolved`` reads as a number, a boolean or null where the core schema does.
    case scalar(Scalar)
    /// The items in the order of the document.
    case sequence([Node])
    /// The entries in the order of the document. A key that is written twice is here twice.
    case mapping([Entry])
  }

  /// How a value is set down: by its indentation, or within the line by brackets and quotes.
  package enum Layout: Sendable {
    /// Indented collections, and `|` and `>` scalars.
    case block
    /// `[…]`, `{…}`, and plain and quoted scalars.
    case flow
  }

  /// How a value came to its place; an editor must not rewrite one that several places share.
  package enum Origin: Sendable {
    /// It is written here and only here.
    case written
    /// It is written here under an anchor (`&name`), so that aliases may repeat it.
    case anchored
    /// It is repeated here by an alias (`*name`): its own marks are the alias's, those below it are the anchored value's.
    case alias
  }

  /// What the value is.
  package let content: Content
  /// How the value is set down, for an alias: how the anchored value is.
  package let layout: Layout
  /// Whether the value is written here or repeated by an alias.
  package let origin: Origin
  /// The first character of the value, or of the anchor or tag before it.
  ///
  /// An absent value (`key:`) stands as an empty scalar where it would be, and starts where it ends.
  package let start: Mark
  /// The place behind the last character; for `|` and `>` scalars, the start of the line behind them.
  package let end: Mark
}

/// A key and its value in a mapping. The key can be any node: that it should be text is for the reader to demand.
package struct Entry: Sendable {
  /// The key.
  package let key: Node
  /// The value.
  package let value: Node
}

extension Node {
  /// Reads a document of YAML 1.2 with the core schema.
  ///
  /// Read and found good is the whole text, so that a document that was cut off is refused rather than read in part.
  /// Stricter than libyaml where the specification is: see `Strictness.swift`.
  ///
  /// - Parameter bytes: UTF-8, with or without a byte order mark. At most one document.
  /// - Returns: the root, or nil where there is no document, only comments and white space.
  /// - Throws: the first fault.
  package static func parse(_ bytes: [UInt8], limits: Limits = .standard) throws(YAMLError) -> Node? {
    guard bytes.count <= limits.size else {
      throw YAMLError(
        code: .tooLarge, mark: Mark(line: 1, column: 1, offset: 0),
        detail: "The document has \(bytes.count) bytes; the limit is \(limits.size).")
    }
    let source = SourceText(bytes)
    if let fault = source.faultInCharacters() ?? source.faultInDirectives(from: source.base) {
      throw YAMLError(fault, in: source)
    }
    return try bytes.withUnsafeBufferPointer { (buffer) throws(YAMLError) -> Node? in
      var builder = TreeBuilder(events: try EventReader(source, in: buffer), limits: limits)
      return try builder.document()
    }
  }
}
