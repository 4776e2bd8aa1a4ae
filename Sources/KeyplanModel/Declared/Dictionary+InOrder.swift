extension Dictionary where Key: Comparable {
  /// The pairs in order of keys: dictionaries have no order, and plans must have one.
  var inOrder: [Element] { sorted { $0.key < $1.key } }
}
