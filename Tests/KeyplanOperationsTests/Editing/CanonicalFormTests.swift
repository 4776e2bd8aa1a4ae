import Foundation
import KeyplanManifest
import Testing

@testable import KeyplanOperations
@testable import KeyplanReporting

@Suite("The manifest's canonical form")
struct CanonicalFormTests {
  private func formatted(_ bytes: [UInt8]) throws -> [UInt8] {
    var files = ManifestFiles(
      try .init("/k.yaml", shown: "k.yaml", environment: nil, bytes: bytes), reader: reader)
    try files.makeCanonical()
    #expect(files.environments()[0].faults.isEmpty)
    return files.base.after
  }

  @Test("it means the same, keeps every comment where it belongs, and has the canonical form itself")
  func same() throws {
    var done = 0
    for number in 0..<1500 {
      let manifest = RandomManifest(seed: 70_000 + UInt64(number), hasComments: number % 5 > 0)
      let before = String(decoding: manifest.bytes, as: UTF8.self)
      let after: [UInt8]
      do { after = try formatted(manifest.bytes) } catch is Failure { continue }
      done += 1
      let text = String(decoding: after, as: UTF8.self)
      #expect(Meaning(after) == Meaning(manifest.bytes), "\(number):\n\(before)\n\(text)")
      #expect(try formatted(after) == after, "\(number)")
      for word in manifest.words { #expect(text.contains(word), "\(number) lost \(word) of\n\(before)\n\(text)") }
      #expect(Self.kept(before, text), "\(number):\n\(before)\n\(text)")
      #expect(Self.sections(text) == ManifestReader.sections.filter { Self.sections(before).contains($0) })
      #expect(text.utf8.contains(0x0D) == before.utf8.contains(0x0D))
    }
    // In brackets, or above a dash, nothing moves that has comments.
    #expect(done > 1200, "\(done) done")
  }

  /// Whether each comment beside something is still beside it, and each directly above something above that.
  private static func kept(_ before: String, _ after: String) -> Bool {
    func subjects(_ text: String) -> [String: String] {
      var subjects: [String: String] = [:]
      let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
      var isHead = true
      for (index, line) in lines.enumerated() {
        // fmt changes the blanks between words, and only those.
        let code = line.prefix { $0 != "#" }.split(separator: " ").joined(separator: " ")
        if line.isEmpty || !code.isEmpty { isHead = false }
        guard let word = line.split(whereSeparator: { " \t#".contains($0) }).last.map(String.init), line.contains("#"),
          !code.contains("{"), !isHead
        else { continue }
        if !code.isEmpty {
          subjects[word] = code
        } else if index + 1 < lines.count, case let next = lines[index + 1], !next.contains("{"),
          next.prefix(while: { $0 == " " }).count == line.prefix(while: { $0 == " " }).count,
          let first = next.drop(while: { $0 == " " }).first, first != "#", first != "-"
        {
          subjects[word] = next.prefix { $0 != "#" }.split(separator: " ").joined(separator: " ")
        }
      }
      return subjects
    }
    let now = subjects(after)
    return subjects(before).allSatisfy { now[$0.key] == nil || now[$0.key] == $0.value }
  }

  private static func sections(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      guard let first = line.first, first.isLetter else { return nil }
      return line.firstIndex(of: ":").map { String(line[..<$0]) }
    }
  }

  @Test(
    "references are written as plans show them",
    arguments: [
      (before: "dotenv://./a/../b.env#K", after: "dotenv://b.env#K"), (before: "file://%61", after: "file://a"),
      (before: "file://a%23b", after: "file://a%23b"), (before: "env://A", after: "env://A"),
      (before: "op://Vault/./x", after: "op://Vault/./x"), (before: "file://a//b/", after: "file://a/b"),
    ])
  func references(before: String, after: String) throws {
    func manifest(_ reference: String) -> [UInt8] {
      Array("version: 1\nkeys:\n  a: { provider: generic, source: ['\(reference)'], model: 'file://%61' }\n".utf8)
    }
    let canonical = "version: 1\nkeys:\n  a: { provider: generic, model: 'file://%61', source: ['\(after)'] }\n"
    #expect(String(decoding: try formatted(manifest(before)), as: UTF8.self) == canonical)
  }

  @Test("spacing and paths of targets are written in one way")
  func layout() throws {
    let before = """
      version:   1
      keys:
          a:
             provider:    generic   # of a
             source:
             -   env://A
             -   file://./x/../y
          # of b
          b: {provider:  generic}
      targets:
       app: { type:  plist, path: ./x/../Secrets.plist, keys: { /A/B~0: a, C: b } }
      """
    let after = """
      version: 1
      keys:
        a:
          provider: generic   # of a
          source:
            - env://A
            - file://y
        # of b
        b: {provider:  generic}
      targets:
        app: { type:  plist, path: Secrets.plist, keys: { /A/B~0: a, C: b } }

      """
    #expect(String(decoding: try formatted(Array(before.utf8)), as: UTF8.self) == after)
    #expect(String(decoding: try formatted(Array(after.utf8)), as: UTF8.self) == after)
  }

  @Test("a path through a symbolic link and back stays as it is")
  func link() throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder.appending(path: "there/inner"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "link").path, withDestinationPath: "there/inner")
    let text = """
      version: 1
      keys:
        a: { provider: generic, source: 'dotenv://link/../b.env#K' }
      targets:
        app: { type: dotenv, path: link/../.env.local, keys: { A: a } }
        web: { type: dotenv, path: there/../.env.web, keys: { A: a } }

      """
    var files = ManifestFiles(
      try .init(folder.appending(path: "k.yaml").path, shown: "k.yaml", environment: nil, bytes: Array(text.utf8)),
      reader: reader)
    try files.makeCanonical()
    let after = String(decoding: files.base.after, as: UTF8.self)
    #expect(after == text.replacing("there/../", with: ""))
  }
}
