import KeyplanDocuments
import Testing

@Suite("The indentation of YAML that people wrote")
struct YAMLTextLayoutTests {
  @Test(
    "levels are indented by two spaces, and everything that is not indentation stays",
    arguments: [
      (before: "a:   1\nb  :  2\n\"c\" : x # c\n", after: "a: 1\nb: 2\n\"c\": x # c\n"),
      (before: "a:\n    b:\n       c: 1\n    d: 2\n", after: "a:\n  b:\n    c: 1\n  d: 2\n"),
      (before: "a:\n - b\n -   c\n", after: "a:\n  - b\n  - c\n"),
      (before: "a:\n- b: 1\n  c: 2\n- d\n", after: "a:\n  - b: 1\n    c: 2\n  - d\n"),
      (before: "a:\n    -   b: 1\n        c: 2\n", after: "a:\n  - b: 1\n    c: 2\n"),
      (before: "a:\n   - - x\n     -  y\n", after: "a:\n  - - x\n    - y\n"),
      (
        before: "a:\n    b: |\n        x\n         y\n\n        z\n    c: 1\n",
        after: "a:\n  b: |\n      x\n       y\n\n      z\n  c: 1\n"
      ),
      (before: "a:\n    b: 'x\n       y'\n    c: [1,\n     2]\n", after: "a:\n  b: 'x\n     y'\n  c: [1,\n   2]\n"),
      (before: "a:\n      b: |2\n          x\n", after: "a:\n  b: |2\n      x\n"),
      (
        before: "a:\n    # of b\n    b: 1\n    # end of a\n# of c\nc: 2\n",
        after: "a:\n  # of b\n  b: 1\n  # end of a\n# of c\nc: 2\n"
      ),
      (
        before: "a:\n    b:\n        c: 1\n        # in b\n    # in a\n",
        after: "a:\n  b:\n    c: 1\n    # in b\n  # in a\n"
      ),
      (before: "a:\r\n    b: 1\r\n", after: "a:\r\n  b: 1\r\n"),
      (before: "a: { b:  1,\n   c: 2 }\n", after: "a: { b:  1,\n   c: 2 }\n"),
      (before: "a:\nb: ~\nc:  # c\n", after: "a:\nb: ~\nc:  # c\n"),
      (before: "a: &k\n    b: 1\nc:  *k\n", after: "a: &k\n  b: 1\nc: *k\n"),
      (before: "---\n a:\n    b: 1\n...\n", after: "---\na:\n  b: 1\n...\n"),
      (before: "# only\n", after: "# only\n"), (before: "", after: ""),
      // Forms that are left as they are.
      (before: "? a\n:   b\n", after: "? a\n:   b\n"),
      (before: "a:\n  -\n      b: 1\n", after: "a:\n  -\n      b: 1\n"),
    ])
  func indented(before: String, after: String) throws {
    #expect(try indented(before) == after)
    #expect(try indented(after) == after)
  }

  private func indented(_ text: String) throws -> String {
    var yaml = try YAMLText(Array(text.utf8))
    yaml.indent()
    return String(decoding: yaml.bytes, as: UTF8.self)
  }
}
