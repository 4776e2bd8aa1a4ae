/// A place in a file that a person can go to.
package struct FileLocation: Hashable, Sendable, Codable {
  /// The file, as the person named it.
  package let file: String
  /// The line, from 1.
  package let line: Int
  /// The column, from 1, in code points.
  package let column: Int
  /// The number of code points that the caret underlines; at least 1.
  package let width: Int

  /// Counts from 1.
  package init(file: String, line: Int, column: Int, width: Int = 1) {
    self.file = file
    self.line = line
    self.column = column
    self.width = width
  }
}

extension FileLocation: CustomStringConvertible, Comparable {
  /// `keyplan.yaml:21:5`.
  package var description: String { "\(file):\(line):\(column)" }

  /// By file, then line, then column.
  package static func < (left: Self, right: Self) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}
