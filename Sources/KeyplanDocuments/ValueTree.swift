/// The values of a document by name, as the file has them and as they are to become. Elements of arrays have their decimal
/// index for a name. Edits change nothing but this; a document then writes down what differs.
struct ValueTree<Place: Sendable>: Sendable {
  struct Value {
    let name: [UInt8]
    let container: Int
    /// Where the value stands in the file; nil for one that is new.
    fileprivate(set) var place: Place?
    /// What the file has, nil for what is new.
    let original: DocumentValue?
    /// Nil for what is removed, or was added and removed again.
    var current: DocumentValue?
    /// In the order of the file, new ones last.
    var children: [Int] = []
  }

  private(set) var values: [Value]
  private var slots: [Child: Int] = [:]

  /// The value at the top.
  static var root: Int { 0 }

  init(_ root: DocumentValue, at place: Place?) {
    values = [Value(name: [], container: 0, place: place, original: place == nil ? nil : root, current: root)]
  }

  /// Enters a value; `nil` where its name stands already in its container, be it removed.
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

  /// Says more of where a value of the file stands, once its end is known.
  mutating func locate(_ index: Int, at place: Place) { values[index].place = place }

  mutating func change(_ index: Int, to value: DocumentValue?) { values[index].current = value }

  /// The value called `name`, removed or not.
  func slot(of name: [UInt8], in container: Int) -> Int? { slots[Child(container: container, name: name)] }

  /// The value that a chain of names leads to, if it is not removed.
  func find(_ names: some Sequence<[UInt8]>) -> Int? {
    var index = Self.root
    for name in names {
      guard let next = slot(of: name, in: index), values[next].current != nil else { return nil }
      index = next
    }
    return index
  }

  /// How far `names` is there: the last value on the way, and the names that are missing behind it.
  func follow(_ names: ArraySlice<[UInt8]>) -> (index: Int, missing: ArraySlice<[UInt8]>) {
    var (index, missing) = (Self.root, names)
    while let name = missing.first, let next = slot(of: name, in: index), values[next].current != nil {
      index = next
      missing.removeFirst()
    }
    return (index, missing)
  }

  /// Adds a text with the containers on the way to it. Nothing is added where a name of the way was removed before.
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
          .notEditable, "A value of this name was removed, and cannot become a container in the same edit.")
      }
      container = last
    }
  }

  /// The children that are not removed.
  func present(in container: Int) -> [Int] { values[container].children.filter { values[$0].current != nil } }
}
