import KeyplanSecrets
import KeyplanYAML
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite struct TemplateTests {
  private static let bindings: Bindings = {
    var bindings = Bindings()
    bindings["text"] = .text("a b/é")
    bindings["flag"] = .bool(true)
    bindings["count"] = .number("7")
    bindings["digits"] = .text("123456789")
    bindings["names"] = .list(["A", "B"])
    bindings["path"] = .path(["team", "a b"])
    bindings["address"] = .ready("https://host/x")
    bindings["value"] = .secret(SecretBox(Array("s3cr\"et\n".utf8)))
    bindings["bytes"] = .secret(SecretBox([0xFF, 0x00]))
    bindings["dots"] = .text("..")
    bindings["inner"] = .text("x/../y")
    bindings["windows"] = .text("x\\..\\y")
    bindings["control"] = .text("a\nb")
    bindings["empty"] = .text("")
    return bindings
  }()

  @Test(
    "a template that cannot be read is refused",
    arguments: [
      ("{", .brace), ("a}b", .brace), ("{}", .brace), ("{a b}", .brace), ("{1a}", .brace), ("{{x}}", .brace),
      ("{a|rot13}", .unknownTransform("rot13")), ("{a|base64:key}", .unknownTransform("base64:key")),
      ("{a|sealedBox}", .unknownTransform("sealedBox")), ("{é}", .brace),
    ] as [(String, Template.Fault)])
  func malformed(text: String, fault: Template.Fault) { #expect(throws: fault) { try Template(text) } }

  @Test(
    "values are inserted as text",
    arguments: [
      ("plain", "plain"), ("{text}", "a b/é"), ("x{flag}y{count}", "xtruey7"), ("{names}", "A,B"),
      ("{path}", "team/a b"),
      ("{absent}", nil), ("a{absent}b", nil), ("{text|base64}", "YSBiL8Op"), ("{digits|crc32c}", "3808858755"),
      ("Bearer {value}", "Bearer s3cr\"et\n"),
    ] as [(String, String?)])
  func texts(text: String, expected: String?) throws {
    let expanded = try Template(text).text(Self.bindings)
    #expect(expanded?.withBytes { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test(
    "a value in a path is one segment, and nothing else",
    arguments: [
      ("/a/{text}", "/a/a%20b%2F%C3%A9"), ("/{path}/x", "/team/a%20b/x"), ("{address}/y", "https://host/x/y"),
      ("/{count}:access", "/7:access"), ("/{dots}", nil), ("/{inner}", nil), ("/{windows}", nil), ("/{control}", nil),
      ("/{empty}", nil), ("/{absent}", nil), ("/{value}", nil),
    ] as [(String, String?)])
  func paths(text: String, expected: String?) throws { #expect((try? Template(text).path(Self.bindings)) == expected) }

  @Test(
    "a body keeps the types of variables, and leaves out what has no value",
    arguments: [
      (
        "{a: \"{text}\", b: \"{flag}\", c: \"{count}\", d: \"{names}\", e: \"{absent}\", f: null}",
        #"{"a":"a b/é","b":true,"c":7,"d":["A","B"],"f":null}"#
      ),
      ("[\"{absent}\", \"x{count}\", 1, 1.5, true]", #"["x7",1,1.5,true]"#),
      ("{v: \"{value}\"}", #"{"v":"s3cr\"et\u000a"}"#), ("{v: \"{bytes|base64}\"}", #"{"v":"/wA="}"#),
      ("{$literal: {\"{x}\": \"{y}\"}}", #"{"{x}":"{y}"}"#), ("{}", "{}"), ("[]", "[]"),
      (
        "{$each: writes, item: {n: \"{name}\", v: \"{value}\", p: \"{present}\"}, removed: {n: \"{name}\", gone: true}}",
        #"[{"n":"A","v":"1","p":"A"},{"n":"B","gone":true}]"#
      ),
      ("{$each: writes, item: \"{name}\"}", #"["A"]"#),
      ("{s: {$map: writes, value: \"{value}\", removed: null}}", #"{"s":{"A":"1","B":null}}"#),
      ("{$map: writes, value: 1}", #"{"A":1}"#),
    ])
  func bodies(yaml: String, expected: String) throws {
    let tree = try #require(try Self.tree(yaml))
    var set = SetItem(name: "A")
    set.bindings["value"] = .secret(SecretBox(Array("1".utf8)))
    set.bindings["present"] = .text("A")
    var removed = SetItem(name: "B")
    removed.isRemoved = true
    #expect(try tree.json(Self.bindings, [.writes: [set, removed]]).text == expected)
  }

  @Test("a value that is not UTF-8 is refused where text is needed")
  func binary() throws {
    let tree = try #require(try Self.tree("{v: \"{bytes}\"}"))
    #expect(throws: RequestFault.notText) { try tree.json(Self.bindings, [:]) }
  }

  @Test("two entries with one name are refused")
  func duplicate() throws {
    let tree = try #require(try Self.tree("{$map: writes, value: 1}"))
    let items = [SetItem(name: "A"), SetItem(name: "A")]
    #expect(throws: RequestFault.duplicateName) { try tree.json(Bindings(), [.writes: items]) }
  }

  private static func tree(_ yaml: String) throws -> BodyTree? {
    var reader = DescriptionReader()
    let names = ["text", "flag", "count", "names", "absent", "value", "bytes"]
    let node = try #require(try Node.parse(Array(yaml.utf8)))
    let tree = reader.tree(Written(node: node, path: ""), TemplateScope(names: Set(names)))
    #expect(reader.faults == [])
    return tree
  }
}
