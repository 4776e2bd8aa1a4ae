import KeyplanYAML
import Testing

@Suite struct MarkTests {
  @Test("marks count lines and columns in characters, offsets in bytes")
  func multibyte() throws {
    let node = try #require(try parse("# ü\nschlüssel: größe 😀 x\n日本: [é, \"ß\", z]\nlast: 1\n"))
    let entries = try #require(node.entries)
    #expect(node.place == "2:1:5-4:8:61")
    #expect(entries[0].key.place == "2:1:5-2:10:15")
    #expect(entries[0].value.place == "2:12:17-2:21:31")
    #expect(entries[1].key.place == "3:1:32-3:3:38")
    #expect(entries[1].value.place == "3:5:40-3:16:53")
    #expect(entries[1].value.items?.map(\.place) == ["3:6:41-3:7:43", "3:9:45-3:12:49", "3:14:51-3:15:52"])
    #expect(entries[2].value.place == "4:7:60-4:8:61")
  }

  @Test("a mark's offset cuts the value out of the bytes")
  func offsets() throws {
    let text = "a: ä\nöl: &x 'q\u{2009}ü'\nb:\n- *x\n- |\n  lit ü\n- end\n"
    let bytes = [UInt8](text.utf8)
    let node = try #require(try Node.parse(bytes))
    func cut(_ node: Node?) -> String? {
      node.map { String(decoding: bytes[$0.start.offset..<$0.end.offset], as: UTF8.self) }
    }
    #expect(cut(node["a"]) == "ä")
    #expect(cut(node["öl"]) == "&x 'q\u{2009}ü'")
    let items = try #require(node["b"]?.items)
    #expect(items.map { cut($0) } == ["*x", "|\n  lit ü\n", "end"])
  }

  @Test("a line may end with CR LF, CR or LF", arguments: [("\r\n", 2), ("\r", 1), ("\n", 1)])
  func lineBreaks(_ lineBreak: String, _ width: Int) throws {
    let node = try #require(try parse("a: é\(lineBreak)bc:\(lineBreak)  - d\(lineBreak)"))
    #expect(node["a"]?.place == "1:4:3-1:5:5")
    let item = try #require(node["bc"]?.items?.first)
    #expect(item.place == "3:5:\(12 + 2 * width)-3:6:\(13 + 2 * width)")
    expectFault(
      [UInt8]("a: é\(lineBreak)b: \(lineBreak) \u{1}".utf8), .character, line: 3, column: 2, offset: 9 + 2 * width)
  }

  @Test("a tab is one column")
  func tabs() throws {
    #expect(try parse("a:\t\tb\t# c\nd: e\tf\n")?["a"]?.place == "1:5:4-1:6:5")
    #expect(try parse("a:\t\tb\t# c\nd: e\tf\n")?["d"]?.scalar?.text == "e\tf")
  }

  @Test("a byte order mark counts in offsets only", arguments: [("a: b\nc: é\n", 11, 13), ("a: b\nc: e\n", 11, 12)])
  func byteOrderMark(_ text: String, _ start: Int, _ end: Int) throws {
    let node = try #require(try parse("\u{FEFF}" + text))
    #expect(node.start == node.entries?.first?.key.start)
    #expect(node["a"]?.place == "1:4:6-1:5:7")
    #expect(node["c"]?.place == "2:4:\(start)-2:5:\(end)")
    expectFault([UInt8]("\u{FEFF}a: \u{7}".utf8), .character, line: 1, column: 4, offset: 6)
    expectFault([UInt8]("\u{FEFF}a: [}".utf8), .syntax, line: 1, column: 5, offset: 7)
  }

  @Test("a block ends with its last value, not where the next thing begins")
  func blockEnds() throws {
    let node = try #require(try parse("a:\n  b:\n  - c\n\n# comment\nd: e\n"))
    #expect(node["a"]?.place == "2:3:5-3:6:13")
    #expect(node["a"]?["b"]?.place == "3:3:10-3:6:13")
    #expect(node["a"]?.layout == .block)
  }

  @Test("an absent value stands where it would be")
  func absent() throws {
    #expect(try parse("a:\nb: 1")?["a"]?.place == "1:3:2-1:3:2")
  }

  @Test("an alias has its own mark and the anchored value's content")
  func alias() throws {
    let node = try #require(try parse("a: &x {k: v}\nb: *x\nc: [*x]\n"))
    #expect(node["a"]?.origin == .anchored)
    #expect(node["a"]?["k"]?.origin == .written)
    #expect(node["a"]?.layout == .flow)
    #expect(node["b"]?.origin == .alias)
    #expect(node["b"]?.place == "2:4:16-2:6:18")
    #expect(node["b"]?["k"]?.place == node["a"]?["k"]?.place)
  }

  @Test("an alias repeats the last anchor of its name, and never the value it stands in")
  func anchors() throws {
    #expect(try parse("[&a x, *a, &a y, *a]")?.items?.map(\.scalar?.text) == ["x", "x", "y", "y"])
    #expect(try parse("[&a [&a x, *a], *a]")?.items?.last?.scalar?.text == "x")
    expectFault([UInt8]("é: *a".utf8), .alias, line: 1, column: 4, offset: 4)
    expectFault([UInt8]("- &a x\n- &a [y, *a]".utf8), .alias, line: 2, column: 10, offset: 16)
    expectFault([UInt8]("&a {b: *a}".utf8), .alias, line: 1, column: 8, offset: 7)
  }

  @Test("keys that are written twice are both there")
  func duplicates() throws {
    let entries = try #require(try parse("a: 1\nb: 2\na: 3\n")?.entries)
    #expect(entries.map(\.key.scalar?.text) == ["a", "b", "a"])
    #expect(entries.map(\.value.scalar?.resolved) == [.int(1), .int(2), .int(3)])
  }

  @Test(
    "a text without a document has no tree", arguments: ["", "\n\n", "# comment", "\u{FEFF}", "\u{FEFF}# c\n", " \n"])
  func empty(_ text: String) throws {
    #expect(try parse(text).map(\.place) == nil)
  }
}
