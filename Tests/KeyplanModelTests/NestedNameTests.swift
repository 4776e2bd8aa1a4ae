import Testing

@testable import KeyplanModel

@Suite struct NestedNameTests {
  @Test(
    "a name has one text, whichever way it was written",
    arguments: [
      (written: "a", parts: ["a"], text: "a"), (written: "/a", parts: ["a"], text: "a"),
      (written: "/a/b", parts: ["a", "b"], text: "/a/b"), (written: "/a~1b", parts: ["a/b"], text: "/a~1b"),
      (written: "/a~0b", parts: ["a~b"], text: "a~b"), (written: "a~b", parts: ["a~b"], text: "a~b"),
      (written: "/", parts: [""], text: "/"), (written: "//", parts: ["", ""], text: "//"),
      (written: "/*", parts: ["*"], text: "/*"), (written: "/~01", parts: ["~1"], text: "~1"),
    ])
  func oneText(written: String, parts: [String], text: String) throws {
    let name = try NestedName(written)
    #expect(name.parts == parts && name.text == text)
    #expect(try NestedName(name.text) == name && NestedName(name.pointer) == name)
  }

  @Test("a slash inside a flat name and an unknown escape are refused")
  func refused() {
    #expect(throws: NestedName.Fault.slash) { try NestedName("a/b") }
    #expect(throws: NestedName.Fault.escape) { try NestedName("/a~2") }
    #expect(throws: NestedName.Fault.escape) { try NestedName("/a~") }
  }

  @Test("keys separated by slashes are the parts of a pointer, without escapes")
  func earlierNotation() {
    #expect(NestedName.separatedKeys("A/B~1").text == "/A/B~01")
    #expect(NestedName.separatedKeys("A").text == "A")
  }
}
