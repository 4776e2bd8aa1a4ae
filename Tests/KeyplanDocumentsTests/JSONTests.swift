import KeyplanDocuments
import TestTools
import Testing

@Suite("JSON")
struct JSONTests {
  @Test(
    "a pointer or a top-level name finds its value",
    arguments: [
      (name: "a", value: .text(Array("é\n🔑/".utf8))),
      (name: "/a", value: .text(Array("é\n🔑/".utf8))),
      (name: "/o/x~1y/1/~0", value: .text(Array("-1.50e+3".utf8))),
      (name: "/o/x~1y/0", value: .text(Array("true".utf8))),
      (name: "/o/x~1y/01", value: nil),
      (name: "/o/x~1y/2", value: nil),
      (name: "/o/x~1y/-", value: nil),
      (name: "/o", value: .other(.object)),
      (name: "/o/x~1y", value: .other(.array)),
      (name: "n", value: .other(.null)),
      (name: "", value: .other(.object)),
      (name: "/", value: .text([0x65])),
      (name: "/a/b", value: nil),
      (name: "c\u{301}", value: nil),
      (name: "\u{107}", value: .text([])),
      (name: "o/x", value: nil),
    ] as [(name: String, value: DocumentValue?)])
  func look(name: String, value: DocumentValue?) throws {
    let file =
      #"{"a":"\u00e9\n\uD83D\uDD11\/","o":{"x/y":[true,{"~":-1.50e+3}]},"n":null,"":"e","\#u{107}":""}"#
    let document = try JSONDocument(file)
    #expect(try document.value(at: name) == value)
    #expect(document.written == file)
    #expect(document.names == ["a", "o", "n", "", "\u{107}"])
  }

  @Test(
    "what RFC 8259 does not allow is refused with its place",
    arguments: [
      (file: " ", fault: "malformed 1:2"),
      (file: "{\"a\":1,}", fault: "malformed 1:8"),
      (file: "[1,]", fault: "malformed 1:4"),
      (file: "{\n  \"é\": 1 // c\n}", fault: "malformed 2:10"),
      (file: "{\"a\" 1}", fault: "malformed 1:6"),
      (file: "{a:1}", fault: "malformed 1:2"),
      (file: "{\"é\":1,\n \"\\u00e9\":2}", fault: "duplicateName 2:2"),
      (file: "\"a\nb\"", fault: "malformed 1:3"),
      (file: "[\"ab", fault: "malformed 1:2"),
      (file: "\"\\x\"", fault: "malformed 1:2"),
      (file: "\"\\u12g4\"", fault: "malformed 1:4"),
      (file: "\"\\ud800\"", fault: "malformed 1:2"),
      (file: "\"\\ud800\\u0041\"", fault: "malformed 1:2"),
      (file: "\"\\udc00\"", fault: "malformed 1:2"),
      (file: "01", fault: "malformed 1:2"),
      (file: "1.", fault: "malformed 1:3"),
      (file: "-", fault: "malformed 1:2"),
      (file: "1e+", fault: "malformed 1:4"),
      (file: "nul", fault: "malformed 1:1"),
      (file: "{} {}", fault: "malformed 1:4"),
      (file: String(repeating: "[", count: 65), fault: "tooDeep 1:65"),
    ])
  func malformed(file: String, fault expected: String) {
    #expect(fault { _ = try JSONDocument(file) }?.summary == expected)
  }

  @Test("a pointer with a wrong escape is refused") func pointer() throws {
    for name in ["/a~2", "/~"] {
      #expect(fault { _ = try JSONDocument("{}").value(at: name) }?.code == .invalidName)
    }
  }

  @Test(
    "setting changes the value alone, and a new name comes in the file's own style",
    arguments: [
      (before: "", name: "a", after: "{\n  \"a\": \"v\"\n}\n"),
      (before: "{}", name: "a", after: "{\n  \"a\": \"v\"\n}"),
      (before: "{ }\r\n", name: "a", after: "{\r\n  \"a\": \"v\"\r\n}\r\n"),
      (before: "{\"a\" :\"b\" }", name: "a", after: "{\"a\" :\"v\" }"),
      (before: "{\"a\": \"\\u0076\"}", name: "a", after: "{\"a\": \"\\u0076\"}"),
      (before: "{\"a\": null}", name: "/a", after: "{\"a\": \"v\"}"),
      (before: "{\"x\":1}", name: "a", after: "{\"x\":1,\"a\":\"v\"}"),
      (before: "{\"x\": 1}", name: "a", after: "{\"x\": 1, \"a\": \"v\"}"),
      (before: "{ \"x\": 1 }", name: "a", after: "{ \"x\": 1, \"a\": \"v\" }"),
      (before: "{\n\t\"x\" : 1\n}", name: "a", after: "{\n\t\"x\" : 1,\n\t\"a\" : \"v\"\n}"),
      (
        before: "{\r\n  \"x\": 1,\r\n\r\n  \"y\": 2\r\n}", name: "a",
        after: "{\r\n  \"x\": 1,\r\n\r\n  \"y\": 2,\r\n  \"a\": \"v\"\r\n}"
      ),
      (before: "{ \"x\": 1\n, \"y\": 2\n}", name: "a", after: "{ \"x\": 1\n, \"y\": 2\n, \"a\": \"v\"\n}"),
      (
        before: "{\n    \"x\": {}\n}", name: "/x/a",
        after: "{\n    \"x\": {\n        \"a\": \"v\"\n    }\n}"
      ),
      (
        before: "{\n  \"x\": 1\n}", name: "/o/a~1b/c",
        after: "{\n  \"x\": 1,\n  \"o\": {\n    \"a/b\": {\n      \"c\": \"v\"\n    }\n  }\n}"
      ),
      (before: "{\"x\":[{\"y\":\"z\"}]}", name: "/x/0/y", after: "{\"x\":[{\"y\":\"v\"}]}"),
      (before: "{\"x\":[{}]}", name: "/x/0/y", after: "{\"x\":[{\"y\":\"v\"}]}"),
      (before: "{\"x\":[\"z\", null]}", name: "/x/1", after: "{\"x\":[\"z\", \"v\"]}"),
    ])
  func set(before: String, name: String, after: String) throws {
    var document = try JSONDocument(before)
    try document.set(name, to: "v")
    #expect(document.bytes == Array(after.utf8))
    #expect(try document.text(at: name) == "v")
    #expect(try JSONDocument(document.bytes).text(at: name) == "v")
  }

  @Test(
    "removing takes the name, the value and one comma",
    arguments: [
      (before: "{\"a\":1}", after: "{}"),
      (before: "{\n  \"a\": \"b\"\n}\n", after: "{}\n"),
      (before: "{\"a\": 1, \"b\": 2}", after: "{\"b\": 2}"),
      (before: "{ \"x\": 1, \"a\": 2 }", after: "{ \"x\": 1 }"),
      (before: "{\n  \"x\": 1,\n  \"a\": 2,\n  \"y\": 3\n}", after: "{\n  \"x\": 1,\n  \"y\": 3\n}"),
      (before: "{\n  \"x\": 1,\n  \"a\": null\n}", after: "{\n  \"x\": 1\n}"),
      (before: "{\"b\":{\"a\":1}}", after: "{\"b\":{\"a\":1}}"),
      (before: "", after: ""),
    ])
  func remove(before: String, after: String) throws {
    var document = try JSONDocument(before)
    try document.remove("a")
    #expect(document.bytes == Array(after.utf8))
    #expect(try document.value(at: "a") == nil)
  }

  @Test(
    "an edit that would lose or move something is refused and changes nothing",
    arguments: [
      (name: "n", removes: false), (name: "o", removes: false), (name: "/s/x", removes: false),
      (name: "", removes: false),
      (name: "/l/2", removes: false), (name: "/l/-/x", removes: false), (name: "/l/0", removes: true),
      (name: "o", removes: true), (name: "l", removes: true), (name: "", removes: true),
    ])
  func refused(name: String, removes: Bool) throws {
    let file = #"{"n":1,"o":{},"s":"t","l":["u",false]}"#
    var document = try JSONDocument(file)
    #expect(fault { try removes ? document.remove(name) : document.set(name, to: "x") }?.code == .notEditable)
    #expect(document.written == file)
    #expect(fault { try document.set("s", to: [0xC0]) }?.code == .invalidValue)
  }

  @Test(
    "any value set reads back, here and in Python; the same value again changes no byte; undoing restores every byte")
  func roundTrip() throws {
    let values = awkwardValues(2000, seed: 4) + (0..<0x20).map { String(UnicodeScalar(UInt8($0))) }
    for original in [
      "{}\n", "{ }\n", "{\"x\":1}\n", "{\n\t\"x\": [1, {}],\n\n\t\"y\": {} \n}\n", "{ \"x\": 1\n, \"y\": 2\n}\n",
    ] {
      var document = try JSONDocument(original)
      for (index, value) in values.enumerated() { try document.set("V\(index)", to: value) }
      let written = document.bytes
      let reread = try JSONDocument(written)
      for (index, value) in values.enumerated() {
        #expect(try reread.text(at: "V\(index)").map { Array($0.utf8) } == Array(value.utf8))
        try document.set("V\(index)", to: value)
      }
      #expect(document.bytes == written)

      let script =
        "import json, sys; [sys.stdout.buffer.write((k + '=' + str(v)).encode() + b'\\xff') for k, v in json.load(open(sys.argv[1], encoding='utf-8')).items()]"
      let answer = try withFile(written) { try Child.answer(["python3", "-c", script, $0]).bytes }
      let known = Set(answer.split(separator: 0xFF).map(Array.init))
      for (index, value) in values.enumerated() { #expect(known.contains(Array("V\(index)=\(value)".utf8))) }

      for index in values.indices { try document.remove("V\(index)") }
      #expect(document.bytes == Array(original.utf8))
    }
  }
}
