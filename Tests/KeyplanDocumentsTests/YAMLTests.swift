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

  @Test("faults keep the place of the YAML reader, and a name that stands twice has its own") func faults() throws {
    #expect(fault { _ = try YAMLDocument("a: 1\nb: 2\n'a': 3\n") }?.summary == "duplicateName 3:1")
    #expect(fault { _ = try YAMLDocument("a: 1\n---\nb: 2\n") }?.code == .unsupported)
    #expect(fault { _ = try YAMLDocument("a: [1\n") }?.code == .malformed)
    #expect(try YAMLDocument("# nothing\n").value(at: "a") == nil)
  }
}
