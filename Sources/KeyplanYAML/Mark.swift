/// A place in a document.
package struct Mark: Hashable, Sendable {
  // Half the size of an `Int` each: a tree has two marks for each node, and most of its cost is memory.
  private let storedLine: UInt32
  private let storedColumn: UInt32
  private let storedOffset: UInt32

  /// The line, from 1. Lines end with LF, CR LF or CR.
  package var line: Int { Int(storedLine) }
  /// The column, from 1, in code points; a tab is one, a byte order mark none.
  package var column: Int { Int(storedColumn) }
  /// The distance from the start of the document in UTF-8 bytes, a byte order mark included.
  package var offset: Int { Int(storedOffset) }

  /// A place within the first 4 GiB of a document.
  init(line: Int, column: Int, offset: Int) {
    storedLine = UInt32(clamping: line)
    storedColumn = UInt32(clamping: column)
    storedOffset = UInt32(clamping: offset)
  }
}
