import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("Diagnostics as text")
struct RenderingDiagnosticTests {
  @Test("each says what, where, why, shows the line, and says what to do")
  func several() {
    let all = [Sample.error, Sample.unreachable, Sample.warning]
    #expect(
      DiagnosticText.render(all, style: Style(), source: Sample.line) == """
        error: Unknown field
          keyplan.yaml:8:5: "provder" is not a field of a key.
              8 |     provder: anthropic
                |     ^~~~~~~
          hint: Did you mean `provider`?

        error: Target unreachable
          target.web (web.example): The host does not answer. Nothing is changed there.

        warning: Key expires soon
          keyplan.yaml:21:2: "weather" expires on 2026-12-01, 90 days after it was
          issued.
             21 |     weather: { provider: openweather }
                |     ^~~~~~~
          hint: Issue a new key at the provider, put it where the source points, and run
                keyplan apply.

        2 errors, 1 warning

        """)
  }

  @Test("one alone is not counted")
  func one() {
    #expect(
      DiagnosticText.render([Sample.unreachable], style: Style())
        == "error: Target unreachable\n  target.web (web.example): The host does not answer. Nothing is changed there.\n"
    )
  }

  static let carets: [(label: String, line: String, column: Int, width: Int, shown: String, under: String)] = [
    ("plain", "key: value", 6, 5, "key: value", "     ^~~~~"),
    ("tabs", "\t\tkey: v", 3, 3, "        key: v", "        ^~~"),
    ("a tab within", "key:\tv \tw", 9, 1, "key:    v   w", "            ^"),
    ("wide characters", "名前: värde", 5, 5, "名前: värde", "      ^~~~~"),
    ("combining marks", "e\u{301}x: y", 3, 1, "e\u{301}x: y", " ^"),
    ("behind the end", "key", 9, 4, "key", "   ^"),
    ("past the end", "key", 2, 99, "key", " ^~"),
    ("control characters", "a\u{1b}[2Jb", 6, 1, "a\\u{1b}[2Jb", "          ^"),
  ]

  @Test("the caret stands under what is meant", arguments: carets)
  func caret(_ row: (label: String, line: String, column: Int, width: Int, shown: String, under: String)) {
    let place = FileLocation(file: "f", line: 3, column: row.column, width: row.width)
    let text = DiagnosticText.render(
      [Diagnostic(.invalidValue, "No.", at: place)], style: Style(), source: { _ in row.line })
    #expect(
      text == "error: Invalid value\n  f:3:\(row.column): No.\n      3 | \(row.shown)\n        | \(row.under)\n")
  }

  @Test("a line that is too long is shown around the caret", arguments: [1, 40, 200, 380])
  func longLine(column: Int) throws {
    let line = String(repeating: "a", count: column - 1) + "HERE" + String(repeating: "b", count: 400 - column)
    let place = FileLocation(file: "f", line: 7, column: column, width: 4)
    let text = DiagnosticText.render(
      [Diagnostic(.invalidValue, "No.", at: place)], style: Style(), source: { _ in line })
    let lines = text.split(separator: "\n")
    let (shown, under) = (Array(try #require(lines.dropLast().last)), Array(try #require(lines.last)))
    let caret = try #require(under.firstIndex(of: "^"))
    #expect(String(shown[caret..<min(caret + 4, shown.count)]) == "HERE")
    #expect(String(under[caret...]) == "^~~~")
    #expect(lines.allSatisfy { Glyphs.columns(of: $0) <= 80 })
  }

  @Test("a line is read once for all places on it, however many, and each excerpt is as wide as the page")
  func oneLine() {
    let line = (0..<3000).map { "name\($0), " }.joined()
    let places = (0..<3000).map { FileLocation(file: "f", line: 7, column: 1 + $0 * 7, width: 4) }
    var asked = 0
    let text = DiagnosticText.render(
      places.map { Diagnostic(.undeclaredName, "No.", at: $0) }, style: Style(showsAll: true)
    ) {
      _ in
      asked += 1
      return line
    }
    #expect(asked == 1)
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 84 })
    #expect(text.split(separator: "\n").count { $0.hasPrefix("      7 | ") } == 3000)
  }

  @Test("characters without a width do not make an excerpt any longer")
  func widthless() {
    let line = "key: e" + String(repeating: "\u{301}", count: 100_000)
    let text = DiagnosticText.render(
      [Diagnostic(.invalidValue, "No.", at: FileLocation(file: "f", line: 1, column: 1, width: 3))], style: Style(),
      source: { _ in line })
    #expect(text.unicodeScalars.count < 1000)
    let (first, last) = ("error: Invalid value\n  f:1:1: No.\n      1 | key: e\u{301}", "…\n        | ^~~\n")
    #expect(text.utf8.starts(with: first.utf8) && text.utf8.suffix(last.utf8.count).elementsEqual(last.utf8))
  }

  @Test("foreign words cannot steer the terminal or turn the order of reading")
  func controls() {
    let text = DiagnosticText.render(
      [Diagnostic(.targetUnreachable, "x\u{1b}]0;title\u{7}\u{202e}y\u{9b}1m")], style: Style())
    #expect(text == "error: Target unreachable\n  x\\u{1b}]0;title\\u{7}\\u{202e}y\\u{9b}1m\n")
  }
}
