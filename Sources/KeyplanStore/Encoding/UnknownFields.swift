/// Fields of a record that a later version of keyplan wrote. They are written back unchanged.
struct UnknownFields: Hashable {
  /// The fields of the record itself: number, length and content of each.
  var own: [UInt8] = []
  /// The fields of its parts.
  var parts: [Part: [UInt8]] = [:]

  /// A part of a record, identified by its field and its identity inside it.
  struct Part: Hashable {
    let field: UInt64
    let identity: [UInt8]
  }
}
