import CServices
import Foundation
import KeyplanYAML
import Testing

/// `scripts/descriptions.py` makes the table without a YAML parser.
@Suite struct DescriptionTableTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/KeyplanServices").standardized

  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: folder).path())
      .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }

  private static func content(_ row: keyplan_service) -> [UInt8] {
    Array(UnsafeBufferPointer(start: row.bytes, count: row.size))
  }

  @Test("the table of services has each file of the folder, with its bytes")
  func services() throws {
    let names = try Self.names(in: "Services")
    #expect(names.count > 10 && keyplan_service_at(names.count) == nil)
    for (index, name) in names.enumerated() {
      let row = try #require(keyplan_service_at(index)?.pointee)
      #expect(String(cString: row.name) == name)
      #expect(Self.content(row) == Array(try Data(contentsOf: Self.sources.appending(path: "Services/\(name).yaml"))))
    }
  }

  @Test("the table of providers has what the YAML parser reads in each file")
  func providers() throws {
    let names = try Self.names(in: "Providers")
    #expect(names.count > 30 && keyplan_provider_at(names.count) == nil)
    for (index, name) in names.enumerated() {
      let row = try #require(keyplan_provider_at(index)?.pointee)
      #expect(String(cString: row.description.name) == name)
      let bytes = Array(try Data(contentsOf: Self.sources.appending(path: "Providers/\(name).yaml")))
      #expect(Self.content(row.description) == bytes)
      let fields = Self.fields(try #require(try Node.parse(bytes)))
      let known: Set = ["variable", "otherVariables", "format", "prefixes", "formatSource", "check", "keys"]
      #expect(!fields.isEmpty && known.isSuperset(of: fields.keys), "\(name)")
      #expect(row.variable.map { String(cString: $0) } == fields["variable"].flatMap(Self.text), "\(name)")
      #expect(row.format.map { String(cString: $0) } == fields["format"].flatMap(Self.text), "\(name)")
      let others = fields["otherVariables"].map(Self.words) ?? []
      #expect(row.other_variables.map { String(cString: $0) } == Self.joined(others), "\(name)")
      let prefixes = fields["prefixes"].map(Self.words) ?? []
      #expect(row.prefixes.map { String(cString: $0) } == Self.joined(prefixes), "\(name)")
      #expect((row.has_check != 0, row.has_keys != 0) == (fields["check"] != nil, fields["keys"] != nil), "\(name)")
    }
  }

  private static func fields(_ node: Node) -> [String: Node] {
    guard case .mapping(let entries) = node.content else { return [:] }
    return Dictionary(entries.map { (text($0.key) ?? "", $0.value) }) { first, _ in first }
  }

  private static func text(_ node: Node) -> String? {
    if case .scalar(let scalar) = node.content { scalar.text } else { nil }
  }

  /// The scalars of a list or a mapping in their order.
  private static func words(_ node: Node) -> [String] {
    switch node.content {
    case .scalar(let scalar): [scalar.text]
    case .sequence(let items): items.flatMap(words)
    case .mapping(let entries): entries.flatMap { words($0.key) + words($0.value) }
    }
  }

  private static func joined(_ words: [String]) -> String? { words.isEmpty ? nil : words.joined(separator: " ") }
}
