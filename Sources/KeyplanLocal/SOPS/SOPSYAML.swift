import KeyplanDocuments
import KeyplanModel

/// A SOPS file in YAML, of one document or several. Names refer to the first one.
struct SOPSYAML: SOPSText {
  /// A document in two parts, the second of which begins with the metadata, so that new names are added before it.
  private struct Part {
    var values: YAMLDocument
    var metadata: YAMLDocument
  }

  private var parts: [Part]

  init(_ bytes: [UInt8]) throws(DocumentError) {
    var parts: [Part] = []
    for document in Self.documents(in: bytes) {
      let whole = try YAMLDocument(document)
      guard let start = whole.line(of: SOPSNames.metadata) else {
        throw DocumentError(.unsupported, "There is no metadata of SOPS at the top level.")
      }
      parts.append(
        Part(values: try YAMLDocument(Array(document[..<start])), metadata: try YAMLDocument(Array(document[start...])))
      )
    }
    self.parts = parts
  }

  /// The documents with the markers before them.
  private static func documents(in bytes: [UInt8]) -> [[UInt8]] {
    var documents: [[UInt8]] = []
    var current: [UInt8] = []
    var hasContent = false
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let isMarker = line.starts(with: "---".utf8) && line.dropFirst(3).first.map { $0 == 0x20 || $0 == 0x0D } ?? true
      if isMarker, hasContent {
        documents.append(current)
        (current, hasContent) = ([], false)
      }
      if !isMarker, let first = line.first(where: { $0 != 0x20 && $0 != 0x0D }), first != UInt8(ascii: "#") {
        hasContent = true
      }
      current += line
      current.append(UInt8(ascii: "\n"))
    }
    current.removeLast()
    documents.append(current)
    return documents
  }

  func leaves() throws(DocumentError) -> [(leaf: DocumentLeaf, document: Int)] {
    var all: [(leaf: DocumentLeaf, document: Int)] = []
    for (index, part) in parts.enumerated() {
      for document in [part.values, part.metadata] {
        let leaves = try document.leaves()
        for leaf in leaves where leaf.path.first != .name(SOPSNames.metadata) { all.append((leaf, index)) }
      }
    }
    return all
  }

  func value(at name: String) throws(DocumentError) -> DocumentValue? {
    if name.isEmpty { return .other(.object) }
    if let value = try parts[0].values.value(at: name) { return value }
    return try parts[0].metadata.value(at: name)
  }

  func metadata(_ path: String) -> [UInt8]? {
    guard case .text(let text)? = try? parts[0].metadata.value(at: "/\(SOPSNames.metadata)/\(path)") else { return nil }
    return text
  }

  /// As yaml.v3 for Go reads a value without quotes.
  static func canonical(plain bytes: [UInt8], _ version: SOPSVersion) -> [UInt8]? {
    let text = String(decoding: bytes, as: UTF8.self)
    switch text {
    case "", "~", "null", "Null", "NULL": return nil
    case "true", "True", "TRUE": return Array("True".utf8)
    case "false", "False", "FALSE": return Array("False".utf8)
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return Array("+Inf".utf8)
    case "-.inf", "-.Inf", "-.INF": return Array("-Inf".utf8)
    case ".nan", ".NaN", ".NAN": return Array("NaN".utf8)
    default: break
    }
    guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first) else { return bytes }
    if text.utf8.count == 10, Moment(text) != nil { return Array((text + "T00:00:00Z").utf8) }
    let plain = text.filter { $0 != "_" }
    if let integer = GoNumber.integer(plain) { return Array(String(integer).utf8) }
    guard plain.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }), let number = Double(plain) else {
      return bytes
    }
    return Array(GoNumber.text(of: number).utf8)
  }

  mutating func set(_ name: String, to text: [UInt8]) throws(DocumentError) {
    if try parts[0].metadata.value(at: Self.top(of: name)) != nil {
      try parts[0].metadata.set(name, to: text)
    } else {
      try parts[0].values.set(name, to: text)
    }
  }

  mutating func remove(_ name: String) throws(DocumentError) {
    if try parts[0].metadata.value(at: Self.top(of: name)) != nil {
      try parts[0].metadata.remove(name)
    } else {
      try parts[0].values.remove(name)
    }
  }

  mutating func setMetadata(_ name: String, to text: [UInt8]) throws(DocumentError) {
    for index in parts.indices { try parts[index].metadata.set("/\(SOPSNames.metadata)/\(name)", to: text) }
  }

  /// The part of a name that is at the top level.
  private static func top(of name: String) -> String {
    guard name.utf8.first == UInt8(ascii: "/"), let end = name.dropFirst().firstIndex(of: "/") else { return name }
    return String(name[..<end])
  }

  func finished() throws(DocumentError) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      bytes += try part.values.finished()
      bytes += try part.metadata.finished()
    }
    return bytes
  }
}
