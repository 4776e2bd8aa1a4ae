/// A value in a YAML document, with its position.
package struct Node: Sendable {
  package enum Content: Sendable {
    /// Text, which ``Scalar/resolved`` interprets as a number, a boolean or null according to the core schema.
    case scalar(Scalar)
    /// The items in document order.
    case sequence([Node])
    /// The entries in document order. A duplicate key is contained twice.
    case mapping([Entry])
  }

  /// The layout of a value: by indentation, or by brackets and quotes.
  package enum Layout: Sendable {
    /// Indented collections, and `|` and `>` scalars.
    case block
    /// `[…]`, `{…}`, and plain and quoted scalars.
    case flow
  }

  /// The origin of a value at its position; an editor must not change a value that several positions share.
  package enum Origin: Sendable {
    /// Written here and only here.
    case written
    /// Written here with an anchor (`&name`), so that aliases may repeat it.
    case anchored
    /// Repeated here by an alias (`*name`): its own marks are the alias's, those below it are the anchored value's.
    case alias
  }

  package let content: Content
  /// The layout of the value; for an alias, that of the anchored value.
  package let layout: Layout
  package let origin: Origin
  /// The position of the first character of the value, or of the anchor or tag before it.
  ///
  /// An absent value (`key:`) is an empty scalar with equal start and end.
  package let start: Mark
  /// The position after the last character; for `|` and `>` scalars, the start of the line after them.
  package let end: Mark
  /// Whether it has a tag that only its own program understands, such as `!vault`: the content alone does not say what it
  /// means.
  package internal(set) var hasForeignTag = false
}

/// A key and its value in a mapping. The key can be any node; callers that need text must check for it.
package struct Entry: Sendable {
  package let key: Node
  package let value: Node
}

extension Node {
  /// Parses a YAML 1.2 document with the core schema.
  ///
  /// The whole text is parsed, so that a truncated document causes an error. Stricter than libyaml where the
  /// specification is: see `Strictness.swift`.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, with or without a byte order mark. At most one document.
  ///   - allowsForeignTags: whether values may have tags outside of the core schema; names never may.
  /// - Returns: the root, or nil if there is no document, only comments and white space.
  /// - Throws: the first error.
  package static func parse(
    _ bytes: [UInt8], limits: Limits = .standard, allowsForeignTags: Bool = false
  ) throws(YAMLError) -> Node? {
    guard bytes.count <= limits.size else {
      throw YAMLError(
        code: .tooLarge, mark: Mark(line: 1, column: 1, offset: 0),
        detail: "The document has \(bytes.count) bytes; at most \(limits.size) are allowed.")
    }
    let source = SourceText(bytes)
    if let fault = source.faultInCharacters() ?? source.faultInDirectives(from: source.base) {
      throw YAMLError(fault, in: source)
    }
    return try bytes.withUnsafeBufferPointer { (buffer) throws(YAMLError) -> Node? in
      var builder = TreeBuilder(
        events: try EventReader(source, in: buffer), limits: limits, allowsForeignTags: allowsForeignTags)
      return try builder.document()
    }
  }
}
