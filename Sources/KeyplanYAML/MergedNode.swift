/// Nodes of documents that were merged from several files.
extension Node {
  /// - Parameters:
  ///   - line: from 1.
  ///   - column: from 1.
  package init(merged content: Content, line: Int, column: Int) {
    let mark = Mark(line: line, column: column, offset: 0)
    self.init(content: content, layout: .block, origin: .written, start: mark, end: mark)
  }
}

extension Entry {
  /// - Parameters:
  ///   - line: the name's line, from 1.
  ///   - column: the name's column, from 1.
  package init(merged name: String, line: Int, column: Int, _ value: Node) {
    let scalar = Scalar(text: name, style: .doubleQuoted, tag: nil)
    self.init(key: Node(merged: .scalar(scalar), line: line, column: column), value: value)
  }
}
