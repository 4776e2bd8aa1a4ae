import KeyplanDocuments
import Testing

@Suite("The order of entries in YAML that people wrote")
struct YAMLTextOrderingTests {
  private func ordered(_ text: String) throws -> String {
    var yaml = try YAMLText(Array(text.utf8))
    try yaml.order { path in path.isEmpty ? ["a", "b", "c"] : ["x", "y"] }
    return String(decoding: yaml.bytes, as: UTF8.self)
  }

  @Test(
    "entries move with their comments, and what is no one's stays",
    arguments: [
      (before: "b: 1\na: 2", after: "a: 2\nb: 1"),
      (before: "b: 1 # of b\r\n# of a\r\na: 2 # too\r\n", after: "# of a\r\na: 2 # too\r\nb: 1 # of b\r\n"),
      (before: "# file\n\n# of b\nb: 1\n\na: 2\n", after: "# file\n\na: 2\n\n# of b\nb: 1\n"),
      (before: "# file\nb: 1\na: 2\n# end\n", after: "# file\na: 2\nb: 1\n# end\n"),
      (before: "---\nb: 1\na: 2\n...\n", after: "---\na: 2\nb: 1\n...\n"),
      (
        before: "b: 1\n# below b\n\n# of a\na: 2\n  # deeper\nc: 3\n",
        after: "# of a\na: 2\n  # deeper\n\nb: 1\n# below b\nc: 3\n"
      ),
      (before: "b: 1\n\n# free\n\na: 2\n", after: "# free\n\na: 2\n\nb: 1\n"),
      (before: "b: |\n  t\n\n# of a\na: >-\n  u\n", after: "# of a\na: >-\n  u\nb: |\n  t\n\n"),
      (before: "z: 1\nq: 2\na: 3\n", after: "a: 3\nz: 1\nq: 2\n"),
      (
        before: "a:\n  # of y\n  y: 1\n  # of x\n  x: 2 # c\n  # of a\nb: 1\n",
        after: "a:\n  # of x\n  x: 2 # c\n  # of y\n  y: 1\n  # of a\nb: 1\n"
      ),
      (before: "a:\n  - y: 1 # c\n    x: 2\n  - x: 1\n", after: "a:\n  - x: 2\n    y: 1 # c\n  - x: 1\n"),
      (before: "{ b: 1, a: {y: 1,x: [2, 3]} } # c\n", after: "{ a: {x: [2, 3],y: 1}, b: 1 } # c\n"),
      (before: "a: {\n  y: 1,\n  x: 2\n} # c\n", after: "a: {\n  x: 2,\n  y: 1\n} # c\n"),
      (before: "b: &k { y: 1, x: 2 }\nc: *k\na: 1\n", after: "a: 1\nb: &k { x: 2, y: 1 }\nc: *k\n"),
      (before: "", after: ""), (before: "# only\n", after: "# only\n"),
    ])
  func order(before: String, after: String) throws {
    #expect(try ordered(before) == after)
    #expect(try ordered(after) == after)
  }

  @Test(
    "what cannot be moved safely is refused with its place",
    arguments: [
      (text: "b: &k 1\na: *k\n", place: "1:4"), (text: "c: *k\nb: 1\na: 2\n", place: nil),
      (text: "a: { y: 1, # of y\n  x: 2 }\n", place: "1:4"), (text: "a: { # c\n  y: 1, x: 2 }\n", place: "1:4"),
      (text: "? b\n: 1\n? a\n: 2\n", place: "1:3"),
      (text: "a:\n  - y: 1\n    # of x\n    x: 2\n", place: "2:5"),
      (text: "--- { b: 1, a: 2 }\n", place: ""),
    ] as [(text: String, place: String?)])
  func refused(text: String, place: String?) throws {
    guard var yaml = try? YAMLText(Array(text.utf8)) else { return #expect(place == nil) }
    let fault = fault { try yaml.order { path in path.isEmpty ? ["a", "b", "c"] : ["x", "y"] } }
    #expect(fault?.place.map { "\($0.line):\($0.column)" } ?? "" == place)
    #expect((fault == nil) != (yaml.bytes == Array(text.utf8)))
  }

  @Test(
    "blanks at the ends of lines go, and blank lines but one",
    arguments: [
      (before: "\n\na: 1  \n \t\n\n\nb: 2 # c \n\n\n", after: "a: 1\n\nb: 2 # c\n"),
      (before: "a: 1", after: "a: 1\n"), (before: "a: 1  ", after: "a: 1\n"),
      (before: "a: 1 \r\n\r\n\r\nb: 2", after: "a: 1\r\n\r\nb: 2\r\n"),
      (
        before: "a: |  \n  t  \n\n\n  u\n\n\nb: 'x  \n\n\n  y'  \n",
        after: "a: |  \n  t  \n\n\n  u\n\n\nb: 'x  \n\n\n  y'\n"
      ),
      (before: "a: |+\n  t\n\n\n", after: "a: |+\n  t\n\n\n"),
      (before: "\u{FEFF}\n a: 1 ", after: "\u{FEFF} a: 1\n"),
      (before: "a: [\n\n\n  1, \n  2 ]\n#\tc\t\n", after: "a: [\n\n  1,\n  2 ]\n#\tc\n"),
    ])
  func tidy(before: String, after: String) throws {
    for text in [before, after] {
      var yaml = try YAMLText(Array(text.utf8))
      try yaml.tidy()
      #expect(String(decoding: yaml.bytes, as: UTF8.self) == after)
    }
  }

  @Test("scalars get other texts in the quotes that they have") func rewrite() throws {
    var yaml = try YAMLText(Array("a: old\nb: ['old', \"old\", x]\nold: &k v\nc: *k\nd: ~\n".utf8))
    try yaml.rewrite { $0.text == "old" ? "a, b" : nil }
    #expect(
      String(decoding: yaml.bytes, as: UTF8.self) == "a: a, b\nb: ['a, b', \"a, b\", x]\nold: &k v\nc: *k\nd: ~\n")
    let before = yaml.bytes
    #expect(fault { try yaml.rewrite { $0.path == ["old"] ? "w" : nil } }?.code == .notEditable)
    #expect(fault { try yaml.rewrite { $0.path == ["c"] ? "w" : nil } }?.code == .notEditable)
    #expect(yaml.bytes == before)
  }
}
