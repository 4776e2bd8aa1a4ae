import Foundation
import KeyplanDocuments
import Testing

@Suite("YAML")
struct YAMLTests {
  static let sample = "a: b # c\no:\n  x/y: [1.50, {k: 'it''s'}]\n  no: no\n  n: ~\n1: &s |\n  s\nr: *s\n[q]: z\n"

  @Test(
    "a pointer or a top-level name finds its value",
    arguments: [
      (name: "a", value: .text([0x62])), (name: "/o/x~1y/0", value: .text(Array("1.50".utf8))),
      (name: "/o/x~1y/1/k", value: .text(Array("it's".utf8))), (name: "/o/no", value: .text(Array("no".utf8))),
      (name: "/o/n", value: .other(.null)), (name: "o", value: .other(.object)),
      (name: "/o/x~1y", value: .other(.array)),
      (name: "1", value: .text(Array("s\n".utf8))), (name: "r", value: .text(Array("s\n".utf8))),
      (name: "", value: .other(.object)), (name: "x", value: nil), (name: "/a/b", value: nil),
    ] as [(name: String, value: DocumentValue?)])
  func look(name: String, value: DocumentValue?) throws {
    #expect(try YAMLDocument(Self.sample).value(at: name) == value)
  }

  static let tagged = """
    http_password: !secret http_password
    db:
      password: !vault |
        $ANSIBLE_VAULT;1.1;AES256
        6162636465
      user: ada
    res:
      Name: !Sub "${AWS::StackName}-x"
      List: !Join [",", [a, b]]
      Map: !Custom {a: b}
    copy: &c !Ref Foo
    same: *c

    """

  @Test(
    "a value with a tag of its own is not read, nor what is below it, and the rest of the file is",
    arguments: [
      (name: "http_password", value: .other(.tagged)), (name: "/db/password", value: .other(.tagged)),
      (name: "/db/user", value: .text(Array("ada".utf8))), (name: "/res/Name", value: .other(.tagged)),
      (name: "/res/List/0", value: .other(.tagged)), (name: "/res/Map/a", value: .other(.tagged)),
      (name: "/res/Map/b/c", value: .other(.tagged)), (name: "same", value: .other(.tagged)),
      (name: "/res/None", value: nil), (name: "none", value: nil),
    ] as [(name: String, value: DocumentValue?)])
  func tags(name: String, value: DocumentValue?) throws {
    #expect(try YAMLDocument(Self.tagged).value(at: name) == value)
  }

  @Test("names beside a tag of its own are edited, tagged ones are refused and keep every byte") func taggedEdits()
    throws
  {
    var document = try YAMLDocument(Self.tagged)
    try document.set("/db/user", to: "new")
    try document.set("/db/new", to: "added")
    try document.set("top", to: "added")
    try document.remove("none")
    for name in [
      "http_password", "/db/password", "/res/List/0", "/res/Map/a", "/res/Map/z", "/res/Name", "copy", "same",
    ] {
      #expect(fault { try document.set(name, to: "canary") }?.code == .notEditable, "\(name)")
      #expect(fault { try document.remove(name) }?.code == .notEditable, "\(name)")
    }
    let written =
      Self.tagged.replacingOccurrences(of: "user: ada\n", with: "user: new\n  new: added\n") + "top: added\n"
    #expect(String(decoding: try document.finished(), as: UTF8.self) == written)
  }

  @Test("a name with a tag of its own, and a value that does not have the type of its tag, are faults of the file")
  func faultyTags() {
    #expect(fault { _ = try YAMLDocument("!x a: 1\nb: 2\n") }?.summary == "malformed 1:1")
    #expect(fault { _ = try YAMLDocument("a: !!int x\n") }?.summary == "malformed 1:4")
  }

  @Test("faults keep the place of the YAML reader, and a name that stands twice has its own") func faults() throws {
    #expect(fault { _ = try YAMLDocument("a: 1\nb: 2\n'a': 3\n") }?.summary == "duplicateName 3:1")
    #expect(fault { _ = try YAMLDocument("a: 1\n---\nb: 2\n") }?.code == .unsupported)
    #expect(fault { _ = try YAMLDocument("a: [1\n") }?.code == .malformed)
    #expect(try YAMLDocument("# nothing\n").value(at: "a") == nil)
  }
}
