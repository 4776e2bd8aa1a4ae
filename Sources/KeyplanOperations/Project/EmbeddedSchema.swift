internal import CSchemas

/// A schema that is part of the program.
package struct EmbeddedSchema: Sendable {
  package let name: String
  private let index: Int

  package static var all: [EmbeddedSchema] {
    var all: [EmbeddedSchema] = []
    while let schema = keyplan_schema(all.count) {
      all.append(EmbeddedSchema(name: String(cString: schema.pointee.name), index: all.count))
    }
    return all
  }

  private init(name: String, index: Int) {
    self.name = name
    self.index = index
  }

  package init?(argument: String) {
    guard let schema = Self.all.first(where: { $0.name == argument }) else { return nil }
    self = schema
  }

  /// The document, UTF-8.
  package var bytes: UnsafeRawBufferPointer {
    guard let schema = keyplan_schema(index) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: schema.pointee.bytes, count: schema.pointee.size)
  }
}
