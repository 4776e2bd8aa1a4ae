/// A position in a document.
package struct Mark: Hashable, Sendable {
  // Half the size of an `Int` each: a tree has two marks for each node, and memory is most of its cost.
  private let storedLine: UInt32
  private let storedColumn: UInt32
  private let storedOffset: UInt32

  /// The line, from 1. Lines end with LF, CR LF or CR.
  package var line: Int { Int(storedLine) }
  /// The column, from 1, in code points; a tab counts as one, a byte order mark as none.
  package var column: Int { Int(storedColumn) }
  /// The offset from the start of the document in UTF-8 bytes, including a byte order mark.
  package var offset: Int { Int(storedOffset) }

  /// Positions after the first 4 GiB of a document are clamped.
  init(line: Int, column: Int, offset: Int) {
    storedLine = UInt32(clamping: line)
    storedColumn = UInt32(clamping: column)
    storedOffset = UInt32(clamping: offset)
  }
}
