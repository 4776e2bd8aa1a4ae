/// The values of a document by name, as they are in the file and after edits. Elements of arrays are named by their
/// decimal index. Edits change only this tree; the document then renders the differences.
struct ValueTree<Place: Sendable>: Sendable {
  struct Value {
    let name: [UInt8]
    let container: Int
    /// The location in the file; nil for a new value.
    fileprivate(set) var place: Place?
    /// The value in the file; nil for a new one.
    let original: DocumentValue?
    /// The edited value; nil if it was removed.
    var current: DocumentValue?
    /// In file order, new ones last.
    var children: [Int] = []
  }

  private(set) var values: [Value]
  private var slots: [Child: Int] = [:]

  static var root: Int { 0 }

  init(_ root: DocumentValue, at place: Place?) {
    values = [Value(name: [], container: 0, place: place, original: place == nil ? nil : root, current: root)]
  }

  /// Adds a value; `nil` if its container already has the name, even if removed.
  mutating func add(_ value: DocumentValue, as name: [UInt8], in container: Int, at place: Place? = nil) -> Int? {
    let index = values.count
    guard slots.updateValue(index, forKey: Child(container: container, name: name)) == nil else {
      return nil
    }
    values.append(
      Value(name: name, container: container, place: place, original: place == nil ? nil : value, current: value))
    values[container].children.append(index)
    return index
  }

  /// Updates the location of a value when its end is known.
  mutating func locate(_ index: Int, at place: Place) { values[index].place = place }

  mutating func change(_ index: Int, to value: DocumentValue?) { values[index].current = value }

  /// The value with this name, removed or not.
  func slot(of name: [UInt8], in container: Int) -> Int? { slots[Child(container: container, name: name)] }

  /// The value at a path of names, unless it is removed.
  func find(_ names: some Sequence<[UInt8]>) -> Int? {
    var index = Self.root
    for name in names {
      guard let next = slot(of: name, in: index), values[next].current != nil else { return nil }
      index = next
    }
    return index
  }

  /// Follows `names` as far as they exist: the last value found, and the names missing below it.
  func follow(_ names: ArraySlice<[UInt8]>) -> (index: Int, missing: ArraySlice<[UInt8]>) {
    var (index, missing) = (Self.root, names)
    while let name = missing.first, let next = slot(of: name, in: index), values[next].current != nil {
      index = next
      missing.removeFirst()
    }
    return (index, missing)
  }

  /// Adds a text with the missing containers above it. Throws if one of the names was removed before.
  mutating func add(_ text: [UInt8], at names: ArraySlice<[UInt8]>, in container: Int) throws(DocumentError) {
    var (container, last) = (container, container)
    for (position, name) in names.enumerated() {
      let value = position == names.count - 1 ? DocumentValue.text(text) : .other(.object)
      if let gone = slot(of: name, in: container), values[gone].place == nil, values[gone].children.isEmpty {
        change(gone, to: value)
        last = gone
      } else if let added = add(value, as: name, in: container) {
        last = added
      } else {
        throw DocumentError(
          .notEditable, "A removed value of this name cannot be replaced by a container in the same edit.")
      }
      container = last
    }
  }

  /// The children that are not removed.
  func present(in container: Int) -> [Int] { values[container].children.filter { values[$0].current != nil } }
}
