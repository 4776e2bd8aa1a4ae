extension Sequence {
  /// The elements in groups with equal keys, in the order of the first element of each group.
  func groupedInOrder<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
    var indices: [Key: Int] = [:]
    var groups: [[Element]] = []
    for element in self {
      let key = key(element)
      if let index = indices[key] {
        groups[index].append(element)
      } else {
        indices[key] = groups.count
        groups.append([element])
      }
    }
    return groups
  }
}
