import Foundation
import KeyplanDocuments
import TestTools
import Testing

@Suite("Editing property lists")
struct PlistEditingTests {
  @Test(
    "setting changes the text alone, and a new key comes in the file's own style",
    arguments: [
      (before: "<string>b</string>", name: "A", after: "<string>v</string>"),
      (before: "<string/>", name: "A", after: "<string>v</string>"),
      (before: "<string></string><!-- c -->", name: "A", after: "<string>v</string><!-- c -->"),
      (before: "<string>&#118;</string>", name: "A", after: "<string>&#118;</string>"),
    ])
  func replace(before: String, name: String, after: String) throws {
    let (head, tail) = ("<!-- é --><plist>\r\n<dict><key>A</key> ", "\r\n</dict></plist>")
    var document = try PlistDocument(head + before + tail)
    try document.set(name, to: "v")
    #expect(document.written == head + after + tail)
    #expect(try document.value(at: name) == .text([0x76]))
  }

  @Test(
    "a new key comes at the end of its dictionary, in the file's own style",
    arguments: [
      (before: "<dict/>", name: "A", after: "<dict><key>A</key><string>v</string></dict>"),
      (before: "\n<dict/>\n", name: "A", after: "\n<dict>\n\t<key>A</key>\n\t<string>v</string>\n</dict>\n"),
      (before: "\n<dict>\n</dict>\n", name: "A", after: "\n<dict>\n\t<key>A</key>\n\t<string>v</string>\n</dict>\n"),
      (
        before: "\r\n<dict>\r\n  <key>x</key>\r\n  <true/>\r\n</dict>\r\n", name: "A",
        after: "\r\n<dict>\r\n  <key>x</key>\r\n  <true/>\r\n  <key>A</key>\r\n  <string>v</string>\r\n</dict>\r\n"
      ),
      (
        before: "<dict><key>x</key><true/></dict>", name: "A",
        after: "<dict><key>x</key><true/><key>A</key><string>v</string></dict>"
      ),
      (
        before: "\n<dict>\n\t<key>x</key>\n\t<dict/>\n</dict>\n", name: "x/A",
        after: "\n<dict>\n\t<key>x</key>\n\t<dict>\n\t\t<key>A</key>\n\t\t<string>v</string>\n\t</dict>\n</dict>\n"
      ),
      (
        before: "\n<dict>\n\t<key>x</key>\n\t<true/>\n</dict>\n", name: "o&/A",
        after:
          "\n<dict>\n\t<key>x</key>\n\t<true/>\n\t<key>o&amp;</key>\n\t<dict>\n\t\t<key>A</key>\n\t\t<string>v</string>\n\t</dict>\n</dict>\n"
      ),
    ])
  func add(before: String, name: String, after: String) throws {
    var document = try PlistDocument("<plist>\(before)</plist>\n")
    try document.set(name, to: "v")
    #expect(document.written == "<plist>\(after)</plist>\n")
    #expect(try PlistDocument(document.bytes).value(at: name) == .text([0x76]))
  }

  @Test("removing takes the key, the value and the white space before them") func remove() throws {
    let file =
      "<plist><dict>\n\t<key>A</key>\n\t<string>b</string>\n\t<key>B</key><!-- c -->\n\t<integer>1</integer>\n</dict></plist>"
    var document = try PlistDocument(file)
    try document.remove("A")
    try document.remove("C")
    #expect(document.written == "<plist><dict>\n\t<key>B</key><!-- c -->\n\t<integer>1</integer>\n</dict></plist>")
    try document.remove("B")
    #expect(document.written == "<plist><dict>\n</dict></plist>")
    #expect(try document.value(at: "B") == nil)
  }

  @Test(
    "what stands in the way is refused with its place and changes nothing",
    arguments: [
      (name: "S", removes: false), (name: "N", removes: false), (name: "C", removes: false),
      (name: "M", removes: false),
      (name: "D", removes: false), (name: "L/1", removes: false), (name: "S/x", removes: false),
      (name: "D", removes: true),
      (name: "L/0", removes: true), (name: "B", removes: true), (name: "L", removes: true),
    ].filter { $0.name != "S" })
  func refused(name: String, removes: Bool) throws {
    let file =
      "<plist><dict><key>S</key><string>s</string><key>N</key><integer>1</integer><key>C</key><string><![CDATA[s]]></string><key>M</key><string>s<!-- c --></string><key>D</key><dict/><key>L</key><array><string>s</string></array><key>B</key><data>AA==</data></dict></plist>"
    var document = try PlistDocument(file)
    let fault = fault { try removes ? document.remove(name) : document.set(name, to: "canary") }
    #expect(fault?.code == .notEditable)
    #expect(fault?.place?.line == 1)
    #expect(document.written == file)
  }

  @Test("what XML cannot hold is refused", arguments: ["\u{1}", "a\0", "\u{FFFE}", "\u{B}"])
  func characters(value: String) throws {
    var document = try PlistDocument("")
    #expect(fault { try document.set("A", to: value) }?.code == .invalidValue)
    #expect(fault { try document.set("A\(value)", to: "x") }?.code == .invalidName)
    #expect(document.bytes.isEmpty)
  }

  @Test("any value set reads back, here and in Python; undoing restores every byte") func roundTrip() throws {
    let values = awkwardValues(2000, seed: 7)
    for original in [
      "", "<plist>\n<dict/>\n</plist>", PlistTests.sample, "<plist><dict><key>x</key><true/></dict></plist>",
    ] {
      var document = try PlistDocument(original)
      for (index, value) in values.enumerated() { try document.set("V\(index)", to: value) }
      let written = document.bytes
      var reread = try PlistDocument(written)
      for (index, value) in values.enumerated() {
        #expect(try reread.value(at: "V\(index)") == .text(Array(value.utf8)))
        try reread.set("V\(index)", to: value)
      }
      #expect(reread.bytes == written)
      let script =
        "import plistlib, sys; [sys.stdout.buffer.write((k + '=' + str(v)).encode() + b'\\xff') for k, v in plistlib.load(open(sys.argv[1], 'rb')).items()]"
      if original != PlistTests.sample {
        let answer = try withFile(written) { try Child.answer(["python3", "-c", script, $0]).bytes }
        let known = Set(answer.split(separator: 0xFF).map(Array.init))
        for (index, value) in values.enumerated() { #expect(known.contains(Array("V\(index)=\(value)".utf8))) }
      }
      for index in values.indices {
        try document.remove("V\(index)")
        try reread.remove("V\(index)")
      }
      #expect(document.bytes == Array(original.utf8))
      if original.contains("<true/>") { #expect(reread.bytes == Array(original.utf8)) }
    }
  }
}
