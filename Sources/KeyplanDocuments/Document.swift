/// A file with named values: bytes in, bytes out, without file access.
///
/// Parsing takes time linear in the size; each lookup then costs one dictionary access per part of the name. Files are
/// UTF-8 (a byte order mark is allowed) with at most ``DocumentLimit/bytes`` bytes.
package protocol Document: NamedValues {
  /// Parses a whole file.
  ///
  /// - Throws: ``DocumentError`` with the position of the first error.
  init(_ bytes: [UInt8]) throws(DocumentError)
}

/// The named values of a file.
package protocol NamedValues: Sendable, Undisclosed {
  /// The value at `name`, the part of a reference after `#`; `nil` if it is definitely missing.
  ///
  /// - Throws: ``DocumentError/Code/invalidName`` if `name` is not valid for this kind of document.
  func value(at name: String) throws(DocumentError) -> DocumentValue?
}

/// Named values that can be changed while all other bytes of the file stay the same.
///
/// An edit costs no more than a lookup, so that writing many names takes linear time. An edit that throws changes
/// nothing.
package protocol EditableValues: NamedValues {
  /// Replaces the string at `name`, or adds it at the end. Setting the current value changes nothing.
  mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError)

  /// Removes `name` with everything that belongs to it. Does nothing if the name is missing.
  mutating func remove(_ name: String) throws(DocumentError)

  /// The edited file, verified: formats in which an edit may change more than intended parse the result again.
  func finished() throws(DocumentError) -> [UInt8]

  /// Whether the file itself is to be deleted.
  var isRemoved: Bool { get }

  /// Identifies the file independently of its values; nil if it has no identity.
  var placeId: String? { get }
}

extension EditableValues {
  /// Nothing.
  package var placeId: String? { nil }
  /// Never: a file with named values stays, empty.
  package var isRemoved: Bool { false }
}

/// A document that can be edited; ``bytes`` assembles the file.
package protocol EditableDocument: Document, EditableValues {
  /// The names at the top level, in file order.
  var names: [String] { get }

  /// The edited file.
  var bytes: [UInt8] { get }
}

extension EditableDocument {
  /// ``bytes``, without verification.
  package func finished() throws(DocumentError) -> [UInt8] { bytes }
}

/// Limits for every document, so that a hostile file causes an error with a position.
package enum DocumentLimit {
  /// The maximum size of a file: 16 MiB.
  package static let bytes = 16 << 20
  /// The maximum nesting of containers.
  package static let depth = 64
}
