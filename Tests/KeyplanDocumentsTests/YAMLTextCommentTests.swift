import Testing

@testable import KeyplanDocuments

@Suite("A comment of whole lines in YAML") struct YAMLTextCommentTests {
  private func rewritten(_ text: String, _ change: @escaping ([String]) -> [String]) throws -> String {
    var yaml = try YAMLText(Array(text.utf8))
    try yaml.rewriteComment(beginning: "# a:  # what it is", change)
    return String(decoding: yaml.bytes, as: UTF8.self)
  }

  @Test(
    "is removed with an empty line beside it, and nothing else",
    arguments: [
      ("x: 1\n\n# a:  # what it is\n#   b\n#   c\n\n# other\n", "x: 1\n\n# other\n"),
      ("x: 1\n\n# a:  # what it is\n#   b\n", "x: 1\n"), ("# a:  # what it is\n\nx: 1\n", "x: 1\n"),
      ("x: 1\r\n\r\n# a:  # what it is\r\n#   b", "x: 1\r\n"), ("x: 1\n# a:  # what it is\n# b\n", "x: 1\n# b\n"),
      ("x: 1\n#  a:  # what it is\n", "x: 1\n#  a:  # what it is\n"),
      ("x: 1 # a:  # what it is\n", "x: 1 # a:  # what it is\n"), ("", ""),
    ])
  func removed(text: String, after: String) throws { #expect(try rewritten(text) { _ in [] } == after) }

  @Test("is changed in its place, with the line ends of the text")
  func changed() throws {
    #expect(
      try rewritten("x: 1\r\n# a:  # what it is\r\n#   b\r\ny: 2\r\n") { $0 + ["#   c"] }
        == "x: 1\r\n# a:  # what it is\r\n#   b\r\n#   c\r\ny: 2\r\n")
  }

  @Test("is not what a text in several lines has in it")
  func inText() throws {
    let text = "x: |\n  line\n# a:  # what it is\ny: 2\n"
    #expect(try rewritten(text) { _ in [] } == "x: |\n  line\ny: 2\n")
    let inside = "x: |\n# a:  # what it is\n"
    #expect((try? rewritten(inside) { _ in [] }) != nil)
  }
}
