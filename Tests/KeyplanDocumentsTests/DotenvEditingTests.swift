import Foundation
import KeyplanDocuments
import TestTools
import Testing

@Suite("Editing dotenv")
struct DotenvEditingTests {
  @Test(
    "setting replaces the value and nothing around it",
    arguments: [
      (before: "A=b", value: "c", after: "A=c"),
      (before: "x=1\r\n export A = b  # é\r\ny=2", value: "c", after: "x=1\r\n export A = c  # é\r\ny=2"),
      (before: "A='b' # c", value: "d", after: "A='d' # c"),
      (before: "A=\"b\"", value: "c d", after: "A=\"c d\""),
      (before: "A=\"b\"", value: "$x", after: "A='$x'"),
      (before: "A=b", value: "c d", after: "A='c d'"),
      (before: "A=b", value: "it's", after: "A=\"it's\""),
      (before: "A=b", value: "it's $x", after: "A=\"it's \\$x\""),
      (before: "A=b", value: "c\nd", after: "A=\"c\nd\""),
      (before: "A='b'", value: "c\nd", after: "A=\"c\nd\""),
      (before: "A=b", value: "c\n\"d\"", after: "A='c\n\"d\"'"),
      (before: "A=\"\"", value: "{\"a\":1}", after: "A='{\"a\":1}'"),
      (before: "A=\"b\"", value: "C:\\new", after: "A='C:\\new'"),
      (before: "A=b", value: "\\\\server\\share", after: "A='\\\\server\\share'"),
      (before: "A=b", value: "c\\", after: "A=\"c\\\\\""),
      (before: "A=b", value: "it's \"c\"", after: "A=\"it's \\\"c\\\"\""),
      (before: "A=b", value: "c\rd", after: "A=\"c\\rd\""),
      (before: "A=b # c", value: "", after: "A='' # c"),
      (before: "A= # c", value: "b", after: "A=b # c"),
      (before: "A=\"b\\tc\"", value: "b\tc", after: "A=\"b\\tc\""),
      (before: "A=1\nA=2\n", value: "3", after: "A=1\nA=3\n"),
      (before: "", value: "b", after: "A=b\n"),
      (before: "\u{FEFF}", value: "b", after: "\u{FEFF}A=b\n"),
      (before: "x=1\r\ny=", value: "b", after: "x=1\r\ny=\r\nA=b\r\n"),
      (before: "x=1\n# c", value: "b", after: "x=1\n# c\nA=b\n"),
    ])
  func set(before: String, value: String, after: String) throws {
    var document = try DotenvDocument(before)
    try document.set("A", to: value)
    #expect(document.bytes == Array(after.utf8))
    #expect(try document.text(at: "A") == value)
  }

  @Test(
    "removing takes the lines of the name and nothing else",
    arguments: [
      (before: "x=1\nA=b # c\ny=2", after: "x=1\ny=2"),
      (before: "\u{FEFF}A='b\nc'\r\n# A\n", after: "\u{FEFF}# A\n"),
      (before: "A=1\nx=1\nA=2", after: "x=1\n"),
      (before: "x=1", after: "x=1"),
    ])
  func remove(before: String, after: String) throws {
    var document = try DotenvDocument(before)
    try document.remove("A")
    #expect(document.bytes == Array(after.utf8))
    #expect(document.value(at: "A") == nil)
  }

  @Test("what no variable can hold, and names no shell can set, are refused and change nothing") func refused() throws {
    var document = try DotenvDocument("a.b=1\n")
    for name in ["", "1A", "A B", "a-b", "Ä", "A\n"] {
      #expect(fault { try document.set(name, to: "x") }?.code == .invalidName)
    }
    #expect(fault { try document.set("A", to: "x\0") }?.code == .invalidValue)
    #expect(fault { try document.set("A", to: [0xFF]) }?.code == .invalidValue)
    #expect(document.written == "a.b=1\n")
    try document.set("a.b", to: "2")
    #expect(document.written == "a.b=2\n")
  }

  @Test("a value that goes on after its closing quote is not edited, and the other names are")
  func joined() throws {
    var document = try DotenvDocument("x=1\nA='it'\\''s' # c\nB=old\nA2=1\nA2='a'\"b\"\nA2=3\n")
    for name in ["A", "A2"] { #expect(fault { try document.remove(name) }?.code == .notEditable) }
    #expect(fault { try document.set("A", to: "new") }?.summary == "notEditable 2:7")
    try document.set("B", to: "new")
    try document.set("A2", to: "4")
    try document.remove("x")
    #expect(document.written == "A='it'\\''s' # c\nB=new\nA2=1\nA2='a'\"b\"\nA2=4\n")
  }

  @Test("any value set reads back, everything around it stays, and undoing restores every byte")
  func roundTrip() throws {
    for value in awkwardValues(3000, seed: 1) {
      for present in ["old", "'old'", "\"old\"", ""] {
        let (head, tail) = ("# é\nexport x=1\nA=", " # c\ny='2'\n")
        var document = try DotenvDocument(head + present + tail)
        try document.set("A", to: value)
        let reread = try DotenvDocument(document.bytes)
        #expect(try reread.text(at: "A").map { Array($0.utf8) } == Array(value.utf8))
        #expect(document.bytes.starts(with: head.utf8) && document.bytes.reversed().starts(with: tail.utf8.reversed()))

        var same = reread
        try same.set("A", to: value)
        #expect(same.bytes == reread.bytes)
        try same.set("NEW", to: value)
        same = try DotenvDocument(same.bytes)
        try same.remove("NEW")
        #expect(same.bytes == reread.bytes)
      }
    }
  }
}
