import KeyplanDocuments

/// The text of a SOPS file: values, of which some are encrypted, and metadata.
protocol SOPSText: NamedValues {
  init(_ bytes: [UInt8]) throws(DocumentError)

  /// The values without the metadata, in file order, and the number of the document that each is in.
  func leaves() throws(DocumentError) -> [(leaf: DocumentLeaf, document: Int)]

  /// A field of the metadata: `mac`, `age/0/enc`. Nil if it is missing or not a single value.
  func metadata(_ path: String) -> [UInt8]?

  /// The text of an unquoted value as SOPS authenticates it; nil for a null.
  /// - Parameter version: of the SOPS that wrote the file.
  static func canonical(plain text: [UInt8], _ version: SOPSVersion) -> [UInt8]?

  /// Replaces or adds a value's text.
  mutating func set(_ name: String, to text: [UInt8]) throws(DocumentError)

  mutating func remove(_ name: String) throws(DocumentError)

  /// Replaces a field at the top level of the metadata, wherever it is repeated.
  mutating func setMetadata(_ name: String, to text: [UInt8]) throws(DocumentError)

  /// The edited file, verified.
  func finished() throws(DocumentError) -> [UInt8]
}

enum SOPSNames {
  /// The name of the metadata at the top level.
  static let metadata = "sops"
}
