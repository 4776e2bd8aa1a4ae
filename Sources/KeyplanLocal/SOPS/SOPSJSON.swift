import KeyplanDocuments

/// A SOPS file in JSON.
struct SOPSJSON: SOPSText {
  private var document: JSONDocument

  init(_ bytes: [UInt8]) throws(DocumentError) { document = try JSONDocument(bytes) }

  func leaves() throws(DocumentError) -> [(leaf: DocumentLeaf, document: Int)] {
    document.leaves.filter { $0.path.first != .name(SOPSNames.metadata) }.map { ($0, 0) }
  }

  func value(at name: String) throws(DocumentError) -> DocumentValue? { try document.value(at: name) }

  func metadata(_ path: String) -> [UInt8]? {
    guard case .text(let text)? = try? document.value(at: "/\(SOPSNames.metadata)/\(path)") else { return nil }
    return text
  }

  /// Numbers are floating-point numbers, except for whole ones that a newer SOPS read.
  static func canonical(plain text: [UInt8], _ version: SOPSVersion) -> [UInt8]? {
    switch String(decoding: text, as: UTF8.self) {
    case "null": nil
    case "true": Array("True".utf8)
    case "false": Array("False".utf8)
    case let number:
      if version.keepsIntegers, let integer = Int(number) {
        Array(String(integer).utf8)
      } else {
        Double(number).map { Array(GoNumber.text(of: $0).utf8) } ?? text
      }
    }
  }

  mutating func set(_ name: String, to text: [UInt8]) throws(DocumentError) { try document.set(name, to: text) }

  mutating func remove(_ name: String) throws(DocumentError) { try document.remove(name) }

  mutating func setMetadata(_ name: String, to text: [UInt8]) throws(DocumentError) {
    try document.set("/\(SOPSNames.metadata)/\(name)", to: text)
  }

  func finished() throws(DocumentError) -> [UInt8] { try document.finished() }
}
