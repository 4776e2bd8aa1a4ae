/// A place in a document.
public struct Mark: Hashable, Sendable {
  /// The line, from 1. Lines end with LF, CR LF or CR.
  public let line: Int
  /// The column, from 1, in code points; a tab is one, a byte order mark none.
  public let column: Int
  /// The distance from the start of the document in UTF-8 bytes, a byte order mark included.
  public let offset: Int
}
