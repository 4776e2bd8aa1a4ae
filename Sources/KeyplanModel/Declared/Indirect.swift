/// Keeps a value in a box that all copies share: its owner is small, and copying it only retains the box.
///
/// A plan goes over all records several times, and a look-up copies what it finds: without this, all fields of a hundred
/// thousand records each time. The library's public types use it for another reason: an incremental build does not recompile
/// clients when a type that they cannot see changes its size.
@propertyWrapper
package struct Indirect<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  package init(wrappedValue: Value) { box = Box(wrappedValue) }

  /// The value. A new one gets a new place.
  package var wrappedValue: Value {
    get { box.value }
    set { box = Box(newValue) }
  }
}

extension Indirect: Equatable where Value: Equatable {
  /// Values in one box are equal without a comparison.
  package static func == (left: Self, right: Self) -> Bool {
    left.box === right.box || left.box.value == right.box.value
  }
}

extension Indirect: Hashable where Value: Hashable {
  package func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}

extension Indirect: Encodable where Value: Encodable {
  /// Writes the value alone.
  package func encode(to encoder: any Encoder) throws { try box.value.encode(to: encoder) }
}

extension Indirect: Decodable where Value: Decodable {
  /// Reads the value alone.
  package init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }
}
