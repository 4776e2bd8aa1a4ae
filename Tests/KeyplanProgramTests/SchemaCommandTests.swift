import Foundation
import Testing

/// `keyplan schema` prints the files of `schemas/`, which the compiler embeds in the program (`CSchemas`).
@Suite("keyplan schema")
struct SchemaCommandTests {
  private static let folder =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "schemas")
  private static let files =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".schema.json") }

  @Test("prints every published schema, byte for byte", arguments: files)
  func prints(file: String) throws {
    let stem = String(file.dropLast(".schema.json".count))
    let sandbox = try ProgramSandbox()
    let answer = try sandbox.keyplan("schema", stem == "keyplan" ? "manifest" : stem)
    let published = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    #expect(answer.code == 0)
    #expect(answer.out == published)
  }

  @Test("there are schemas to compare with") func exist() { #expect(Self.files.count >= 5) }
}
