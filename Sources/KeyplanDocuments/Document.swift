/// A file that gives values by name: bytes in, bytes out, no file access of its own.
///
/// A document is read once, in time linear in its size; each look-up then costs a dictionary access per part of the name.
/// It is UTF-8 (a byte order mark is tolerated) of at most ``DocumentLimit/bytes`` bytes.
package protocol Document: Sendable, Undisclosed {
  /// Reads a whole file.
  ///
  /// - Throws: ``DocumentError`` with the place of the first fault.
  init(_ bytes: [UInt8]) throws(DocumentError)

  /// What stands at `name`, the part of a reference after `#`; `nil` is a definite *missing*.
  ///
  /// - Throws: ``DocumentError/Code/invalidName`` where `name` cannot name anything in this kind of document.
  func value(at name: String) throws(DocumentError) -> DocumentValue?
}

/// A document whose values can be changed while every byte around them stays as it was.
///
/// Edits cost no more than a look-up, so that writing many names stays linear; ``bytes`` puts the file together.
/// An edit that throws has changed nothing.
package protocol EditableDocument: Document {
  /// The names at the top level, in the order of the file.
  var names: [String] { get }

  /// The file as it is now.
  var bytes: [UInt8] { get }

  /// Replaces the string at `name`, or adds it at the end. The value that is there already changes no byte.
  mutating func set(_ name: String, to value: [UInt8]) throws(DocumentError)

  /// Takes out `name` with all that belongs to it; a name that is missing changes no byte.
  mutating func remove(_ name: String) throws(DocumentError)

  /// ``bytes`` for keeping: formats whose edits can go wrong in ways that only reading again shows do that here.
  func finished() throws(DocumentError) -> [UInt8]
}

extension EditableDocument {
  /// ``bytes``, as they are.
  package func finished() throws(DocumentError) -> [UInt8] { bytes }
}

/// The bounds of every document, so that a hostile file ends as an error with a place.
package enum DocumentLimit {
  /// The most bytes of a file: 16 MiB.
  package static let bytes = 16 << 20
  /// The most containers inside one another.
  package static let depth = 64
}
