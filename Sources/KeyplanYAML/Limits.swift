/// How much a document may demand of the reader. Whoever writes the document must not decide how long reading it takes.
package struct Limits: Sendable {
  /// How many values may stand within each other, aliases expanded. The tree is read recursively, so this bounds the stack.
  package let depth: Int
  /// How many bytes the document may have.
  package let size: Int
  /// How many nodes the tree may have, where an alias counts for all the nodes of what it repeats.
  ///
  /// Aliases have a second bound that holds from the first one on: the tree may not grow beyond ten times
  /// the nodes written so far (an alias is one) and 10,000 more.
  package let nodes: Int

  /// 64 deep, 16 MiB, a million nodes.
  package static let standard = Limits(depth: 64, size: 16 << 20, nodes: 1_000_000)

  /// Limits other than the standard ones.
  package init(depth: Int, size: Int, nodes: Int) {
    self.depth = depth
    self.size = size
    self.nodes = nodes
  }

  func allow(expanded: Int, written: Int) -> Bool {
    expanded <= nodes && (expanded == written || expanded <= 10 * written + 10_000)
  }
}
