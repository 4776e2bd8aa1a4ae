import KeyplanYAML
import Testing

@Suite struct LimitsTests {
  @Test("seven lines of aliases that multiply are refused where they pass the bound")
  func bomb() {
    var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in 1...6 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      lines.append("a\(level): &a\(level) [\(aliases)]")
    }
    // 11, 111 and 1,111 nodes fit into 10,000 and ten for each one written; the ninth alias to 1,111 more does not.
    expectFault([UInt8](lines.joined(separator: "\n").utf8), .tooManyNodes, line: 4, column: 50, offset: 206)
  }

  @Test("aliases that make less of the document than they could are read")
  func aliases() throws {
    let defaults = "- &a {timeout: 10s, retries: 3}\n"
    let node = try parse(defaults + String(repeating: "- *a\n", count: 5000))
    #expect(node?.items?.count == 5001)
    #expect(node?.items?.last?["retries"]?.scalar?.resolved == .int(3))
  }

  @Test("a document of a hundred thousand values is read")
  func large() throws {
    let text = (0..<10_000).map { "  key-\($0):\n    provider: openai\n    a: 1\n    b: 2\n    c: [x]\n    d: 3\n" }
    let node = try parse("keys:\n" + text.joined())
    #expect(node?["keys"]?.entries?.count == 10_000)
  }

  @Test(
    "64 levels are read and the 65th is refused at its place",
    arguments: [("[", "]", 65), ("{a: ", "}", 254), ("- ", "", 129), ("? ", "", 129)])
  func depth(_ open: String, _ close: String, _ column: Int) throws {
    func nested(_ levels: Int) -> String {
      String(repeating: open, count: levels) + "x" + String(repeating: close, count: levels)
    }
    // The innermost value is a level too.
    #expect(try parse(nested(63)) != nil)
    expectFault([UInt8](nested(64).utf8), .tooDeep, line: 1, column: column, offset: column - 1)
    #expect(throws: YAMLError.self) { try parse(nested(200_000)) }
  }

  @Test("aliases do not make a document deeper than it may be")
  func aliasDepth() throws {
    let thirty = String(repeating: "[", count: 30) + "x" + String(repeating: "]", count: 30)
    let deeper = String(repeating: "[", count: 40) + "*a" + String(repeating: "]", count: 40)
    #expect(try parse("- &a \(thirty)\n- [*a]") != nil)
    expectFault([UInt8]("- &a \(thirty)\n- \(deeper)".utf8), .tooDeep, line: 2, column: 43, offset: 109)
  }

  @Test("16 MiB are read and one byte more is refused")
  func size() throws {
    var bytes = [UInt8](repeating: UInt8(ascii: "#"), count: 16 << 20)
    #expect(try Node.parse(bytes) == nil)
    bytes.append(UInt8(ascii: "#"))
    expectFault(bytes, .tooLarge, line: 1, column: 1, offset: 0)
  }

  @Test("more values than the limit are refused though each is written")
  func nodes() throws {
    let limits = Limits(depth: 64, size: 1000, nodes: 5)
    #expect(try parse("[a, b, c, d]", limits: limits)?.items?.count == 4)
    expectFault([UInt8]("[a, b, c, d, e]".utf8), .tooManyNodes, line: 1, column: 14, offset: 13, limits: limits)
  }

  @Test("directives without end are refused before libyaml compares each with each", arguments: ["", "a\n...\n"])
  func directives(_ before: String) throws {
    let text = before + (0..<200_000).map { "%TAG !a\($0)! tag:example.com,2026:\n" }.joined()
    let fault = #expect(throws: YAMLError.self) { try parse(text) }
    #expect(fault?.code == .syntax)
    #expect(fault?.mark.line == 17 + before.count { $0 == "\n" })
  }
}
