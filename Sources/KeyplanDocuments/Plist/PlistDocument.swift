/// A property list in XML (Apple's PropertyList-1.0 DTD), edited in place. An empty file is treated as an empty
/// dictionary.
///
/// A name that begins with `/` is a JSON Pointer (RFC 6901); any other is the keys of the value and its parents, joined
/// with `/`. Elements of arrays are named by index. Nothing is ever fetched or expanded: a document type is skipped, and one with internal
/// declarations is rejected.
package struct PlistDocument: EditableDocument {
  var tree: ValueTree<PlistPlace>
  let source: [UInt8]

  /// Parses a property list.
  ///
  /// - Throws: ``DocumentError/Code/unsupported`` for a binary property list.
  package init(_ bytes: [UInt8]) throws(DocumentError) {
    guard !bytes.starts(with: "bplist".utf8) else {
      throw DocumentError(
        .unsupported, at: DocumentError.Place(line: 1, column: 1),
        "This is a binary property list. Convert it with: plutil -convert xml1 FILE")
    }
    source = bytes
    tree = bytes.isEmpty ? ValueTree(.other(.object), at: nil) : try PlistScanner.tree(of: bytes)
  }

  /// The keys at the top level; empty if it is not a dictionary.
  package var names: [String] {
    guard tree.values[0].current == .other(.object) else { return [] }
    return tree.present(in: 0).map { String(decoding: tree.values[$0].name, as: UTF8.self) }
  }

  /// The value at `name`; a string, a number, a boolean or a date is text.
  package func value(at name: String) throws(DocumentError) -> DocumentValue? {
    tree.find(try Self.names(name)).flatMap { tree.values[$0].current }
  }

  static func names(_ name: String) throws(DocumentError) -> [[UInt8]] {
    if name.utf8.first == .slash { return try JSONPointer(name).names }
    return name.utf8.split(separator: .slash, omittingEmptySubsequences: false).map(Array.init)
  }
}

/// The location of a value in the source.
struct PlistPlace: Sendable {
  /// `<key>…</key>`; nil for an element of an array and for the top-level value.
  let key: Range<Int>?
  /// From `<` to `>`.
  let element: Range<Int>
  /// The range between the tags; for a container, only its end is valid.
  let content: Range<Int>
  /// Whether it is a string that contains only text and references.
  let isEditable: Bool
  /// `<string/>` or `<dict/>`.
  let isEmptyTag: Bool

  func closed(by tag: Range<Int>) -> PlistPlace {
    PlistPlace(
      key: key, element: element.lowerBound..<tag.upperBound, content: content.lowerBound..<tag.lowerBound,
      isEditable: isEditable, isEmptyTag: isEmptyTag)
  }
}
