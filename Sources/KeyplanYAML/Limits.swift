/// How much a document may demand of the reader. Whoever writes the document must not decide how long reading it takes.
public struct Limits: Sendable {
  /// How many values may stand within each other, aliases expanded. The tree is read recursively, so this bounds the stack.
  public let depth: Int
  /// How many bytes the document may have.
  public let size: Int
  /// How many nodes the tree may have, where an alias counts for all the nodes of what it repeats.
  ///
  /// Aliases have a second bound that holds from the first one on: the tree may not grow beyond ten times
  /// the nodes written so far (an alias is one) and 10,000 more.
  public let nodes: Int

  /// 64 deep, 16 MiB, a million nodes.
  public static let standard = Limits(depth: 64, size: 16 << 20, nodes: 1_000_000)

  /// Limits other than the standard ones.
  public init(depth: Int, size: Int, nodes: Int) {
    self.depth = depth
    self.size = size
    self.nodes = nodes
  }

  func allow(expanded: Int, written: Int) -> Bool {
    expanded <= nodes && (expanded == written || expanded <= 10 * written + 10_000)
  }
}
