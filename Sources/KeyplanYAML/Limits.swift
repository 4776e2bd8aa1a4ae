/// Limits on the resources that parsing a document may use, so that a hostile document cannot exhaust them.
package struct Limits: Sendable {
  /// The maximum nesting of values, aliases expanded. The tree is built recursively, so this limits the stack.
  package let depth: Int
  /// The maximum size of the document in bytes.
  package let size: Int
  /// The maximum number of nodes in the tree, where an alias counts as many as the value it repeats has.
  ///
  /// With aliases there is a second limit: the tree may not exceed ten times the nodes written so far (an alias is one)
  /// plus 10,000.
  package let nodes: Int

  /// 64 levels, 16 MiB, a million nodes.
  package static let standard = Limits(depth: 64, size: 16 << 20, nodes: 1_000_000)

  package init(depth: Int, size: Int, nodes: Int) {
    self.depth = depth
    self.size = size
    self.nodes = nodes
  }

  func allow(expanded: Int, written: Int) -> Bool {
    expanded <= nodes && (expanded == written || expanded <= 10 * written + 10_000)
  }
}
