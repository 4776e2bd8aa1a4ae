import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanYAML
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite struct AnswerTests {
  @Test(
    "only strict JSON is read",
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "[1 2]", "{a:1}", "'a'", "01", "1.", ".5", "+1", "nul", "NaN", "\"\\x\"",
      "\"\t\"",
      "\"\\ud800\"", "\"\\udc00x\"", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "1 2", "\"abc", "[1]x",
      "\u{FEFF}1",
      String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
    ])
  func malformed(text: String) { #expect(JSONAnswer(SecretBox(Array(text.utf8))) == nil) }

  @Test("bytes that are not UTF-8 are not JSON")
  func encoding() {
    for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
      #expect(JSONAnswer(SecretBox(bytes)) == nil)
    }
  }

  @Test("strings are read with their escapes")
  func strings() throws {
    let answer = try Self.answer(#"["\"\\\/\b\f\n\r\t\u00e9\ud83d\udd11é🔑"]"#)
    let found = answer.values(at: try AnswerPointer("/*"), in: answer.root)
    #expect(found.compactMap { answer.secret($0)?.text } == ["\"\\/\u{8}\u{C}\n\r\té🔑é🔑"])
  }

  private static let document = #"""
    {"list": [{"name": "A", "n": 1}, {"name": "B", "n": 2}], "a/b": {"~": true}, "null": null, "empty": [],
     "id": "https://x/secrets/A/7/", "data": "AAEC", "odd": "A=", "sum": "9", "target": ["production", "preview"]}
    """#

  @Test(
    "pointers lead to all that is there",
    arguments: [
      ("", 1), ("/list", 1), ("/list/*", 2), ("/list/*/name", 2), ("/a~1b/~0", 1), ("/null", 1), ("/nothing", 0),
      ("/list/name", 0), ("/*", 9), ("/empty/*", 0), ("/a~1b/*", 1), ("/id/*", 0),
    ])
  func pointers(text: String, count: Int) throws {
    let answer = try Self.answer(Self.document)
    #expect(answer.values(at: try AnswerPointer(text), in: answer.root).count == count)
  }

  @Test("a pointer with an index, or without a slash, is refused")
  func wrongPointers() {
    #expect(throws: AnswerPointer.Fault.index) { try AnswerPointer("/list/0/name") }
    #expect(throws: AnswerPointer.Fault.syntax) { try AnswerPointer("list") }
    #expect(throws: AnswerPointer.Fault.syntax) { try AnswerPointer("/a~2") }
  }

  @Test(
    "conditions hold for what is found",
    arguments: [
      ("{/target: production}", true), ("{/target: staging}", false), ("{/target: [staging, preview]}", true),
      ("{/null: null}", true), ("{/nothing: null}", true), ("{/id: null}", false), ("{/id: [\"\", null]}", false),
      ("{/nothing: [\"\", null]}", true), ("{\"/list/*/n\": 2}", true), ("{\"/list/*/n\": \"2\"}", false),
      ("{\"/list/*/n\": 2.0}", true), ("{/a~1b/~0: true}", true), ("{/a~1b/~0: \"true\"}", false),
      ("{/id: \"{absent}\"}", false), ("{/nothing: \"{absent}\"}", true), ("{/target: \"{place}\"}", true),
      ("{/target: preview, /null: 1}", false),
    ])
  func matches(yaml: String, expected: Bool) throws {
    let answer = try Self.answer(Self.document)
    var reader = DescriptionReader()
    let match = reader.match(try Self.written(yaml), TemplateScope(names: ["absent", "place"]))
    var bindings = Bindings()
    bindings["place"] = .text("preview")
    #expect(reader.faults == [] && match.holds(for: answer.root, in: answer, bindings) == expected)
  }

  @Test("an entry that also serves another place is not exactly what is wanted")
  func exact() throws {
    var reader = DescriptionReader()
    var bindings = Bindings()
    bindings["place"] = .text("preview")
    let scope = TemplateScope(names: ["place"])
    let match = try #require(reader.exactMatch(try Self.written("{/target: [\"{place}\"]}"), scope))
    for (text, expected) in [("[\"preview\"]", true), ("[\"preview\", \"production\"]", false), ("\"preview\"", false)]
    {
      let answer = try Self.answer("{\"target\": \(text)}")
      #expect(match.holds(for: answer.root, in: answer, bindings) == expected, "\(text)")
    }
  }

  @Test(
    "values are taken and decoded",
    arguments: [
      ("/id", "https://x/secrets/A/7/"), ("{at: /id, decode: lastSegment}", "7"), ("/nothing", nil), ("/null", nil),
      ("{in: /list, where: {/name: B}, at: /n}", "2"), ("{in: /list, where: {/name: C}, at: /n}", nil),
      ("{at: /data, decode: base64}", "\u{0}\u{1}\u{2}"), ("\"@key\"", "member"),
    ] as [(String, String?)])
  func extracts(yaml: String, expected: String?) throws {
    let answer = try Self.answer(Self.document)
    #expect(try Self.extract(yaml).value(in: answer.root, key: "member", of: answer, Bindings())?.text == expected)
  }

  @Test("what is ambiguous, not decodable, or has another checksum is an error")
  func extractFaults() throws {
    let answer = try Self.answer(Self.document)
    for yaml in [
      "\"/list/*/name\"", "{at: /odd, decode: base64}", "{at: /data, decode: base64, crc32c: /sum}",
      "{in: /list, where: {\"/name\": [A, B]}, at: /n}",
    ] {
      #expect(throws: Extract.Fault.self, "\(yaml)") {
        try Self.extract(yaml).value(in: answer.root, key: nil, of: answer, Bindings())
      }
    }
  }

  @Test(
    "each status has a meaning without any rule, and none is missing",
    arguments: [
      (200, "{}", [:], .ok), (201, "", [:], .ok), (204, "", [:], .ok), (200, "<html>", [:], .unreadable),
      (301, "", [:], .unreadable), (304, "", [:], .unreadable), (400, "", [:], .refused),
      (401, "", [:], .unauthenticated),
      (403, "", [:], .denied), (403, "", ["Retry-After": "1"], .throttled), (404, "{}", [:], .unreadable),
      (408, "", [:], .unreachable), (409, "", [:], .refused), (412, "", [:], .stale), (422, "", [:], .refused),
      (429, "", [:], .throttled), (500, "", [:], .unreachable), (503, "", [:], .unreachable),
      (503, "", ["retry-after": "9"], .throttled), (100, "", [:], .unreadable), (700, "", [:], .unreadable),
    ] as [(Int, String, [String: String], AnswerClass)])
  func builtIn(status: Int, body: String, headers: [String: String], expected: AnswerClass) {
    let response = HTTPResponse(status: status, headers: headers, body: SecretBox(Array(body.utf8)))
    let answer = ClassifiedAnswer(response, OutcomeRule.builtIn, host: "host", needsJSON: false)
    #expect(answer.meaning == expected)
  }

  @Test(
    "a rule applies if all it names is so",
    arguments: [
      ("{status: 404, then: stale}", true), ("{status: 4xx, then: stale}", true),
      ("{status: [400, 404], then: stale}", true),
      ("{status: 5xx, then: stale}", false), ("{at: /code, is: 7, then: stale}", true),
      ("{at: /code, is: \"7\", then: stale}", false),
      ("{at: /code, is: [6, 7], then: stale}", true), ("{at: /code, then: stale}", true),
      ("{at: /none, then: stale}", false),
      ("{at: /none, exists: false, then: stale}", true), ("{at: /text, has: found, then: stale}", true),
      ("{at: /text, is: found, then: stale}", false), ("{at: /list, is: [], then: stale}", true),
      ("{at: /flag, is: true, then: stale}", true), ("{at: /flag, is: \"true\", then: stale}", false),
      ("{header: x-left, is: \"0\", then: stale}", true), ("{header: x-left, is: 0, then: stale}", true),
      ("{header: X-Left, is: \"1\", then: stale}", false), ("{header: x-none, then: stale}", false),
      ("{text: \"not found\", then: stale}", true), ("{text: absent, then: stale}", false),
      ("{empty: true, then: stale}", false),
      ("{status: 404, header: x-left, is: \"0\", empty: true, then: stale}", false),
    ])
  func rules(yaml: String, expected: Bool) throws {
    let body = #"{"code": 7, "text": "not found", "list": [], "flag": true}"#
    let response = HTTPResponse(status: 404, headers: ["X-Left": "0"], body: SecretBox(Array(body.utf8)))
    var reader = DescriptionReader()
    let rules = reader.rules(try Self.written("[\(yaml)]"), isOfRead: true)
    #expect(reader.faults == [] && rules.count == 1)
    #expect(rules.first?.applies(to: response, JSONAnswer(response.body)) == expected)
  }

  @Test("the next page is the link with the relation")
  func links() {
    let header = "<https://h/a?x=1,2>; rel=\"first\", <https://h/b>; foo=bar; rel=\"next\", <https://h/c>; rel=last"
    #expect(LinkHeader.target(of: "next", in: header) == "https://h/b")
    #expect(LinkHeader.target(of: "last", in: header) == "https://h/c")
    #expect(LinkHeader.target(of: "prev", in: header) == nil)
    #expect(LinkHeader.target(of: "next", in: "<broken; rel=next") == nil)
  }

  @Test("CRC-32C as RFC 3720, appendix B.4, and Base64 as RFC 4648, section 10")
  func transforms() {
    func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32C.checksum($0) } }
    #expect(
      checksum(Array("123456789".utf8)) == 0xE306_9283 && checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(checksum(Array(0..<32)) == 0x46DD_794E)
    let texts = [
      "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=", "foobar": "Zm9vYmFy",
    ]
    for (text, encoded) in texts {
      #expect(Array(text.utf8).withUnsafeBytes { SecretBase64.text(of: $0).text } == encoded)
      #expect(SecretBase64.bytes(in: encoded.utf8)?.text == text)
    }
    for wrong in ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "Zg==Zg==", "Zm\n9v", "Zm9v=", "====", "Zm-v"] {
      #expect(SecretBase64.bytes(in: wrong.utf8) == nil, "\(wrong)")
    }
  }

  private static func answer(_ text: String) throws -> JSONAnswer {
    try #require(JSONAnswer(SecretBox(Array(text.utf8))))
  }

  private static func written(_ yaml: String) throws -> Written {
    Written(node: try #require(try Node.parse(Array(yaml.utf8))), path: "")
  }

  private static func extract(_ yaml: String) throws -> Extract {
    var reader = DescriptionReader()
    let extract = try #require(reader.extract(try written(yaml), TemplateScope(names: [])))
    #expect(reader.faults == [])
    return extract
  }
}
