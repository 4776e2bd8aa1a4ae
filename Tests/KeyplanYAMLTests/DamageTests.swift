import KeyplanYAML
import TestTools
import Testing

/// Documents that came to harm: each is read or refused with a place, and nothing else can happen.
@Suite struct DamageTests {
  private static let sample = [UInt8](
    """
    %YAML 1.2
    --- # größe
    version: 1
    keys: &keys
      "main\\u00e9": { provider: 'it''s', list: [1, -2.5, ~, "two
         lines"] }
      ? complex
      : - |2-
          literal
        - >+
          folded 日本

        - !!str 12
    again: *keys
    ...

    """.utf8)

  @Test(
    "bytes that are not UTF-8 are refused at their place",
    arguments: [
      ("a stray continuation", "a: b\nü: x", [0x80], 2, 5, 10), ("an impossible byte", "a: ", [0xFF], 1, 4, 3),
      ("an overlong slash", "ab: 'é", [0xC0, 0xAF], 1, 7, 7), ("a surrogate", "\r\n\r\n", [0xED, 0xA0, 0x80], 3, 1, 4),
      ("beyond Unicode", "# 日\n", [0xF4, 0x90, 0x80, 0x80], 2, 1, 6),
      ("cut off within a character", "a: ", [0xE6, 0x97], 1, 4, 3),
      ("beyond Unicode, five bytes", "", [0xF8, 0x88, 0x80, 0x80, 0x80], 1, 1, 0),
    ] as [(String, String, [UInt8], Int, Int, Int)])
  func encoding(_ label: String, _ before: String, _ bytes: [UInt8], _ line: Int, _ column: Int, _ offset: Int) throws {
    let fault = #expect(throws: YAMLError.self) { try Node.parse([UInt8](before.utf8) + bytes) }
    #expect(fault.map { [$0.mark.line, $0.mark.column, $0.mark.offset] } == [line, column, offset])
    #expect(fault?.code == .encoding)
  }

  @Test("a fault in the encoding is found far into the document")
  func farEncoding() {
    let before = String(repeating: "- é: ab\r\n", count: 30_000)
    expectFault([UInt8](before.utf8) + [0xFF], .encoding, line: 30_001, column: 1, offset: before.utf8.count)
  }

  @Test("UTF-16 is refused", arguments: [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] as [[UInt8]])
  func utf16(_ bytes: [UInt8]) {
    expectFault(bytes, .encoding, line: 1, column: 1, offset: 0)
    expectFault(
      Array(bytes.dropFirst(2)), .character, line: 1, column: bytes[2] == 0 ? 1 : 2, offset: bytes[2] == 0 ? 0 : 1)
  }

  @Test(
    "control characters, and those that break lines only in YAML 1.1, are refused at their place",
    arguments: ["\0", "\u{1}", "\u{1B}", "\u{7F}", "\u{90}", "\u{FFFE}", "\u{85}", "\u{2028}", "\u{2029}"])
  func characters(_ character: String) {
    expectFault([UInt8]("ä: 1\nb: \"x\(character)\"".utf8), .character, line: 2, column: 6, offset: 11)
    expectFault([UInt8]("ä: 1\n# x\(character)y: z".utf8), .character, line: 2, column: 4, offset: 9)
  }

  @Test("a second document is refused where it begins")
  func severalDocuments() {
    expectFault([UInt8]("é: 1\n---\nb: 2".utf8), .severalDocuments, line: 2, column: 1, offset: 6)
    expectFault([UInt8]("a\n...\n%YAML 1.2\n---\nb".utf8), .severalDocuments, line: 3, column: 1, offset: 6)
  }

  @Test("a document that is cut off anywhere is read or refused with a place")
  func cutOff() throws {
    #expect(try Node.parse(Self.sample)?.entries?.count == 3)
    var refused = 0
    for length in 0..<Self.sample.count {
      refused += expectTreeOrPlace(Array(Self.sample.prefix(length))) ? 0 : 1
    }
    #expect(refused > 100)
  }

  @Test("a document with random damage is read or refused with a place")
  func mutated() {
    var random = Seeded(seed: 2026)
    let telling = [UInt8]("\n\r\t #&*!|>'\"%@`{}[],:?-~.\0\u{85}é".utf8)
    var refused = 0
    for _ in 0..<4000 {
      var bytes = Self.sample
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = bytes.indices.randomElement(using: &random) ?? 0
        let byte =
          (Bool.random(using: &random) ? telling.randomElement(using: &random) : nil)
          ?? UInt8.random(in: 0...255, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[index] = byte
        case 1: bytes.insert(byte, at: index)
        default: bytes.remove(at: index)
        }
      }
      refused += expectTreeOrPlace(bytes) ? 0 : 1
    }
    #expect(refused > 1000)
  }

  @Test("a fault quotes nothing of the document")
  func silence() throws {
    let secret = "hunter2"
    for text in [
      "a: *\(secret)", "!\(secret) a", "%\(secret)\n---\na", "&\(secret) [*\(secret)]", "\(secret): [\(secret)",
      "\"\\q\(secret)",
      "!!int \(secret)", "%TAG !\(secret)! \(secret)\n--- !\(secret)x! b", "\(secret)\n---\n\(secret)",
      "a: \(secret): b",
      "\(secret)\u{1}", "!<\(secret)> x", "%YAML 1.\(secret)\n---\n", "[a, b]#\(secret)",
    ] {
      let fault = #expect(throws: YAMLError.self, "\(text)") { try parse(text) }
      #expect(fault.map { "\($0) \($0.summary)".contains(secret) } == false, "\(text)")
    }
  }

  /// Whether there is a tree; otherwise there must be a fault whose place is in the text, or right behind it.
  private func expectTreeOrPlace(_ bytes: [UInt8]) -> Bool {
    do throws(YAMLError) {
      if let node = try Node.parse(bytes) { expectOrder(node, in: bytes) }
      return true
    } catch {
      #expect(0...bytes.count ~= error.mark.offset && error.mark.line >= 1 && error.mark.column >= 1, "\(bytes)")
      #expect(error.detail.hasSuffix("."))
      return false
    }
  }

  /// Marks lie within the text and each value's in order, but for those below an alias, which are elsewhere.
  private func expectOrder(_ node: Node, in bytes: [UInt8]) {
    #expect(node.start.offset <= node.end.offset && node.end.offset <= bytes.count, "\(bytes)")
    guard node.origin != .alias else { return }
    for child in node.items ?? node.entries?.flatMap({ [$0.key, $0.value] }) ?? [] {
      #expect(node.start.offset <= child.start.offset && child.end.offset <= node.end.offset, "\(bytes)")
      expectOrder(child, in: bytes)
    }
  }
}
