import KeyplanDocuments

/// A SOPS file in SOPS's own form of dotenv: `NAME=TEXT` without quotes, with `\n` for a line feed, and metadata in names
/// that begin with `sops_` (getsops/sops, `stores/dotenv`).
struct SOPSDotenv: SOPSText {
  /// Without line ends.
  private var lines: [[UInt8]]
  private static let prefix = "\(SOPSNames.metadata)_"

  init(_ bytes: [UInt8]) throws(DocumentError) {
    guard !bytes.contains(0x0D) else {
      throw DocumentError(.unsupported, "SOPS does not support carriage returns in dotenv files.")
    }
    lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    for (number, line) in lines.enumerated() where !line.isEmpty && line.first != UInt8(ascii: "#") {
      guard line.contains(UInt8(ascii: "=")) else {
        throw DocumentError(.malformed, at: .init(line: number + 1, column: 1), "Expected NAME=VALUE.")
      }
    }
    var names: Set<[UInt8]> = []
    for index in lines.indices {
      guard let (name, _) = entry(at: index) else { continue }
      guard names.insert(Array(name.utf8)).inserted else {
        throw DocumentError(.duplicateName, at: .init(line: index + 1, column: 1), "This name occurs twice.")
      }
    }
  }

  /// The name and text in a line; nil for a comment or an empty line.
  private func entry(at index: Int) -> (name: String, text: ArraySlice<UInt8>)? {
    let line = lines[index]
    guard line.first != UInt8(ascii: "#"), let sign = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return (String(decoding: line[..<sign], as: UTF8.self), line[(sign + 1)...])
  }

  private func index(of name: String) -> Int? {
    lines.indices.first { entry(at: $0).map { $0.name.utf8.elementsEqual(name.utf8) } ?? false }
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "n") else {
        bytes.append(byte)
        continue
      }
      rest.removeFirst()
      bytes.append(0x0A)
    }
    return bytes
  }

  func leaves() throws(DocumentError) -> [(leaf: DocumentLeaf, document: Int)] {
    lines.indices.compactMap { index in
      guard let (name, text) = entry(at: index), !name.hasPrefix(Self.prefix) else { return nil }
      return (DocumentLeaf([.name(name)], Self.unescaped(text), isPlain: false), 0)
    }
  }

  func value(at name: String) throws(DocumentError) -> DocumentValue? {
    if name.isEmpty { return .other(.object) }
    guard let name = Self.plain(name) else { return nil }
    return index(of: name).flatMap { entry(at: $0) }.map { .text(Self.unescaped($0.text)) }
  }

  func metadata(_ path: String) -> [UInt8]? {
    // `age/0/enc` is written as `age__list_0__map_enc`.
    let parts = path.split(separator: "/").map { part in Int(part) == nil ? "__map_\(part)" : "__list_\(part)" }
    let name = Self.prefix + parts.joined().dropFirst("__map_".count)
    return index(of: name).flatMap { entry(at: $0) }.map { Self.unescaped($0.text) }
  }

  static func canonical(plain text: [UInt8], _ version: SOPSVersion) -> [UInt8]? { text }

  mutating func set(_ name: String, to text: [UInt8]) throws(DocumentError) {
    guard let name = Self.plain(name), !name.isEmpty, name.utf8.first != UInt8(ascii: "#"),
      !name.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 < 0x20 })
    else { throw DocumentError(.invalidName, "This cannot be a name in a dotenv file.") }
    let line = Array("\(name)=".utf8) + text
    if let index = index(of: name) {
      lines[index] = line
    } else {
      let first = lines.indices.first { entry(at: $0)?.name.hasPrefix(Self.prefix) ?? false }
      lines.insert(line, at: first ?? 0)
    }
  }

  mutating func remove(_ name: String) throws(DocumentError) {
    if let index = Self.plain(name).flatMap(index) { lines.remove(at: index) }
  }

  mutating func setMetadata(_ name: String, to text: [UInt8]) throws(DocumentError) {
    guard let index = index(of: Self.prefix + name) else {
      throw DocumentError(.unsupported, "A field is missing in the metadata of SOPS.")
    }
    lines[index] = Array("\(Self.prefix)\(name)=".utf8) + text
  }

  func finished() throws(DocumentError) -> [UInt8] { Array(lines.joined(separator: [0x0A])) }

  /// A name without the notation of a JSON Pointer; nil for a nested one.
  private static func plain(_ name: String) -> String? {
    guard name.utf8.first == UInt8(ascii: "/") else { return name }
    let rest = name.dropFirst()
    return rest.contains("/") || rest.contains("~") ? nil : String(rest)
  }
}
