extension Dictionary where Key: Comparable {
  /// The pairs in order of keys. KeyplanModel has the same: of another module, it would be a generic function, which sorts slowly.
  var inOrder: [Element] { sorted { $0.key < $1.key } }
}
