import KeyplanYAML
import Testing

/// What YAML 1.2 refuses and libyaml lets pass.
@Suite struct StrictnessTests {
  @Test(
    "what libyaml would let pass or misread is refused at its place",
    arguments: [
      ("a comment behind a bracket", "[ a ]#c", 1, 6), ("a comment behind a quote", "k: \"v\"# c", 1, 7),
      ("a comment behind a comma", "k: [é,#c\n b]", 1, 7), ("a comment behind a brace", "k: {#c\n }", 1, 5),
      ("a comment behind a block indicator", "k: >#c\n x", 1, 5),
      ("a comment behind a block indicator with a tag", "k: !!str |-#c\n x", 1, 12),
      ("a comment behind a directive", "%YAML 1.2#c\n---\na", 1, 10),
      ("a question mark glued to text", "{ ?foo: bar }", 1, 3),
      ("a question mark glued to an item", "[a, ?x]", 1, 5), ("an anchor with a colon", "k: &a:b v", 1, 6),
      ("a tag and an anchor with a colon", "k: !!str &a:b v", 1, 12),
      ("an alias with a colon", "{&a x: y, *a:z}", 1, 13), ("a dash alone in brackets", "- [a, -]", 1, 7),
      ("a quoted scalar that is not indented", "k: \"a\nb\n c\"", 2, 1),
      ("a quoted scalar with a tab", "k: 'a\n\tb'", 2, 1),
      ("a quoted scalar at the indentation of its block", "k:\n  l: \"a\n  b\"", 3, 3),
      ("a collection that is not indented", "k: [a,\nb]", 2, 1),
      ("a collection with a tab", "- [\n\tfoo,\n foo\n ]", 2, 1),
      ("a collection in a dash under its key", "k:\n- [a,\nb]", 3, 1),
      ("a collection in a dash in a dash", "- - [a,\n  b]", 2, 3),
      ("blank lines deeper than the text", "e: >\n \n   \n # c\n", 4, 2),
    ])
  func refused(_ label: String, _ text: String, _ line: Int, _ column: Int) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let before = lines.prefix(line - 1).reduce(0) { $0 + $1.utf8.count + 1 }
    let offset = before + lines[line - 1].prefix(column - 1).utf8.count
    expectFault([UInt8](text.utf8), .syntax, line: line, column: column, offset: offset)
  }

  @Test(
    "what looks like it and is good is read",
    arguments: [
      "[ a ] #c", "k: \"v\" # c", "[a, #c\n b]", "k: > #c\n x", "%YAML 1.2 #c\n---\na",
      "%TAG !e! tag:e.com,2026: #b\n---\na",
      "{ ? a : b }", "[? a]", "a?b: c", "[a?b]", "k: &a v", "[&a x, *a, {*a : b}]", "[&a , b]", "[-1, a-, -a]",
      "--- \"a\nb\"",
      "--- [a,\nb]", "k: \"a\n\n  b\"", "k: [\n  a,\n# c\n\n  b\n]", "k:\n  l: {\n    a: b\n  }", "k:\n- [a,\n b]\n- c",
      "- - [a,\n   b]",
      "? \"a\n b\"\n: c", "e: >\n \n # c\n", "k: |1\n\n   \n #c\n", "k: |\n  #c\n", "k: |\n    \nl: 1", "k: a#b",
      "k: 'a#b'", "k: {\"a\": [\n  b]}",
      "a: b\r\nc: [\r\n  d\r\n]\r\n", "!!map # c\na: b", "k: !!str # c\n  |\n  x",
    ])
  func read(_ text: String) throws {
    #expect(try parse(text) != nil)
  }
}
