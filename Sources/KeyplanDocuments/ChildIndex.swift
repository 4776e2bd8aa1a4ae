/// The values of a document that is only read. Elements of arrays have their decimal index for a name.
struct ChildIndex {
  private var entries: [Child: Entry] = [:]
  private var containers = 1

  /// The container at the top.
  static let root = 0

  private struct Entry {
    let value: DocumentValue
    let container: Int
  }

  /// Enters a value; `nil` where its name stands already in its container. Returns the container that the value is, if it is one.
  mutating func add(_ value: DocumentValue, as name: [UInt8], in container: Int) -> Int? {
    let entry = Entry(value: value, container: containers)
    guard entries.updateValue(entry, forKey: Child(container: container, name: name)) == nil else { return nil }
    containers += 1
    return entry.container
  }

  /// The value that a chain of at least one name leads to.
  func value(at names: some Sequence<[UInt8]>) -> DocumentValue? {
    var entry = Entry?.none
    for name in names {
      entry = entries[Child(container: entry?.container ?? Self.root, name: name)]
      if entry == nil { return nil }
    }
    return entry?.value
  }
}
