/// A property list in XML (Apple's PropertyList-1.0 DTD), read and edited in place. An empty file counts as a dictionary
/// without names.
///
/// A name is the keys on the way to the value, with `/` between them; an index stands for an element of an array. A key with a
/// `/` in it cannot be named. Nothing is ever fetched or expanded: a document type is passed over, and one with declarations of
/// its own is refused.
package struct PlistDocument: EditableDocument {
  var tree: ValueTree<PlistPlace>
  let source: [UInt8]

  /// Reads a property list.
  ///
  /// - Throws: ``DocumentError/Code/unsupported`` for a binary property list, among others.
  package init(_ bytes: [UInt8]) throws(DocumentError) {
    guard !bytes.starts(with: "bplist".utf8) else {
      throw DocumentError(
        .unsupported, at: DocumentError.Place(line: 1, column: 1),
        "This is a binary property list; “plutil -convert xml1 FILE” makes it XML.")
    }
    source = bytes
    tree = bytes.isEmpty ? ValueTree(.other(.object), at: nil) : try PlistScanner.tree(of: bytes)
  }

  /// The keys at the top level; none where that is no dictionary.
  package var names: [String] {
    guard tree.values[0].current == .other(.object) else { return [] }
    return tree.present(in: 0).map { String(decoding: tree.values[$0].name, as: UTF8.self) }
  }

  /// What stands at `name`; a string, a number, a boolean or a date is text.
  package func value(at name: String) -> DocumentValue? {
    tree.find(Self.names(name)).flatMap { tree.values[$0].current }
  }

  static func names(_ name: String) -> [[UInt8]] {
    name.utf8.split(separator: .slash, omittingEmptySubsequences: false).map(Array.init)
  }
}

/// Where a value stands.
struct PlistPlace: Sendable {
  /// `<key>…</key>`; nil for an element of an array, and for what is at the top.
  let key: Range<Int>?
  /// From `<` to `>`.
  let element: Range<Int>
  /// Between the tags; for a container, the place of its end alone counts.
  let content: Range<Int>
  /// Whether it is a string of nothing but text and references.
  let isEditable: Bool
  /// `<string/>` or `<dict/>`.
  let isEmptyTag: Bool

  func closed(by tag: Range<Int>) -> PlistPlace {
    PlistPlace(
      key: key, element: element.lowerBound..<tag.upperBound, content: content.lowerBound..<tag.lowerBound,
      isEditable: isEditable, isEmptyTag: isEmptyTag)
  }
}
