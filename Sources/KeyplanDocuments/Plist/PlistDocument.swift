/// A property list in XML (Apple's PropertyList-1.0 DTD), read only.
///
/// A name is the keys on the way to the value, with `/` between them; an index stands for an element of an array. A key with a
/// `/` in it cannot be named. Nothing is ever fetched or expanded: a document type is passed over, and one with declarations of
/// its own is refused.
public struct PlistDocument: Document {
  private let index: ChildIndex

  /// Reads a property list.
  ///
  /// - Throws: ``DocumentError/Code/unsupported`` for a binary property list, among others.
  public init(_ bytes: [UInt8]) throws(DocumentError) {
    guard !bytes.starts(with: "bplist".utf8) else {
      throw DocumentError(
        .unsupported, at: DocumentError.Place(line: 1, column: 1),
        "This is a binary property list; “plutil -convert xml1 FILE” makes it XML.")
    }
    index = try PlistScanner.index(of: bytes)
  }

  /// What stands at `name`; a string, a number, a boolean or a date is text.
  public func value(at name: String) -> DocumentValue? {
    index.value(at: name.utf8.split(separator: .slash, omittingEmptySubsequences: false).map(Array.init))
  }
}
