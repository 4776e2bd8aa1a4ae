import KeyplanDocuments
import Testing

@Suite("Reading dotenv")
struct DotenvReadingTests {
  @Test(
    "each form of value reads as documented",
    arguments: [
      (line: "A=b", value: "b"),
      (line: "A=", value: ""),
      (line: "export A=b", value: "b"),
      (line: " export\tA=b", value: "b"),
      (line: "A = b ", value: "b"),
      (line: "A=b c", value: "b c"),
      (line: "A=b #c", value: "b"),
      (line: "A=b#c", value: "b#c"),
      (line: "A=#c", value: "#c"),
      (line: "A= #c", value: ""),
      (line: "A=it's \"so\"", value: "it's \"so\""),
      (line: "A=\\n`x`", value: "\\n`x`"),
      (line: "A=$2a$10$x", value: "$2a$10$x"),
      (line: "A=${X}", value: "${X}"),
      (line: "A='b # c' # d", value: "b # c"),
      (line: "A='\\n${X}\"'", value: "\\n${X}\""),
      (line: "A=\"\\n\\r\\t\\\"\\\\\\$\\`\"", value: "\n\r\t\"\\$`"),
      (line: "A=\"\\d'${X}\"", value: "\\d'${X}"),
      (line: "A=\"b\nc\"", value: "b\nc"),
      (line: "A='b\r\nc'", value: "b\nc"),
      (line: "\u{FEFF}A=b\r\n", value: "b"),
      (line: "# A=c\n\n  # d\nA=b\n", value: "b"),
      (line: "A=b\nA=c", value: "c"),
    ])
  func forms(line: String, value: String) throws {
    #expect(try DotenvDocument(line).text(at: "A") == value)
  }

  @Test(
    "a malformed file is refused with its place",
    arguments: [
      (file: "A=b\nB", fault: "malformed 2:2"),
      (file: "é=b", fault: "malformed 1:1"),
      (file: "A=1\n  1B=b", fault: "malformed 2:3"),
      (file: "A B=c", fault: "malformed 1:3"),
      (file: "export A", fault: "malformed 1:9"),
      (file: "# é\nA='é\nb", fault: "malformed 2:3"),
      (file: "A=\"b\\\"", fault: "malformed 1:3"),
      (file: "A='é'x\"", fault: "malformed 1:6"),
      (file: "A='b'\\\nB=c", fault: "malformed 1:6"),
      (file: "A='it\\'s'", fault: "malformed 1:8"),
      (file: "A=b\rB=c", fault: "malformed 1:4"),
      (file: "A='b\rc'", fault: "malformed 1:5"),
      (file: "A=b\0", fault: "malformed 1:4"),
      (file: "\u{FEFF}é", fault: "malformed 1:1"),
    ])
  func malformed(file: String, fault expected: String) {
    #expect(fault { _ = try DotenvDocument(file) }?.summary == expected)
  }

  @Test(
    "what other programs read differently is known",
    arguments: [
      (line: "A=tok#prod", doubt: DotenvDoubt.hash), (line: "A=#tok", doubt: .hash),
      (line: "A=`it's \"so\"`", doubt: .backticks), (line: "A=\"a\\\"b\"", doubt: .escape),
      (line: "A=\"C:\\temp\"", doubt: .escape), (line: "A='a'\\''b'", doubt: .joined),
      (line: "A='b'#c", doubt: .joined),
    ])
  func doubts(line: String, doubt: DotenvDoubt) throws {
    let document = try DotenvDocument(Array("X=1\n\(line)\nB='2'\n".utf8))
    #expect(document.doubt(about: "A") == doubt)
    #expect(document.names == ["X", "A", "B"])
    for name in ["X", "B", "NONE"] { #expect(document.doubt(about: name) == nil) }
    #expect(try document.text(at: "B") == "2")
    #expect((document.value(at: "A") == .other(.joined)) == (doubt == .joined))
  }

  @Test(
    "what all programs read alike is in no doubt",
    arguments: [
      "A=tok #prod", "A='tok#prod'", "A=\"tok#prod\"", "A='`x`'", "A=a`b", "A=\"two\\nlines\"", "A='C:\\temp'", "A=",
    ])
  func clear(line: String) throws {
    #expect(try DotenvDocument(Array(line.utf8)).doubt(about: "A") == nil)
  }

  @Test("a file that is not UTF-8 is refused where it stops being that")
  func encoding() {
    #expect(fault { _ = try DotenvDocument([0x41, 0x3D, 0x0A, 0x42, 0xFF]) }?.summary == "notUTF8 2:2")
    #expect(fault { _ = try DotenvDocument([0x41, 0x3D, 0xED, 0xA0, 0x80]) }?.summary == "notUTF8 1:3")
    #expect(fault { _ = try DotenvDocument(Array(repeating: 0x0A, count: 16 << 20 + 1)) }?.code == .tooLarge)
  }

  @Test("names are bytes: what Unicode holds equal is another name") func names() throws {
    let document = try DotenvDocument("K=1\nB=2\nK=3\n")
    #expect(document.value(at: "\u{212A}") == nil)
    #expect(document.value(at: "") == nil)
    #expect(document.names == ["B", "K"])
  }
}
