/// Fields of a record that a later keyplan wrote and this one does not know. They are written back as they stood.
struct UnknownFields: Hashable {
  /// Those of the record itself: number, length and content, one after the other.
  var own: [UInt8] = []
  /// Those of its parts.
  var parts: [Part: [UInt8]] = [:]

  /// A part of a record, by the field in which it stands and by what identifies it there.
  struct Part: Hashable {
    let field: UInt64
    let identity: [UInt8]
  }
}
