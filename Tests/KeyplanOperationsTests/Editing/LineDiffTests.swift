import TestTools
import Testing

@testable import KeyplanOperations
@testable import KeyplanReporting

@Suite("Differences of lines")
struct LineDiffTests {
  private func lines(_ text: String) -> [String] { text.map { String($0) } }

  @Test("both texts come back out of the difference, whatever they are")
  func whole() {
    var random = Seeded(seed: 21)
    for _ in 0..<2000 {
      let letters = Array("abcdefghijklmnop").prefix(Int.random(in: 1...16, using: &random))
      func text() -> [Character] {
        (0..<Int.random(in: 0...24, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
      }
      let (before, after) = (text(), Bool.random(using: &random) ? text() : text().shuffled(using: &random))
      let diff = LineDiff(before, after)
      #expect(diff.lines.compactMap(\.before) == Array(before.indices))
      #expect(diff.lines.compactMap(\.after) == Array(after.indices))
      for case .kept(let old, let new) in diff.lines { #expect(before[old] == after[new]) }
      let shown = diff.hunks().flatMap(\.lines)
      #expect(shown.filter { !$0.isKept } == diff.lines.filter { !$0.isKept })
      for hunk in diff.hunks() {
        #expect(hunk.lines.first?.before.map { $0 + 1 == hunk.before.start } ?? true)
        #expect(hunk.lines.count { $0.before != nil } == hunk.before.count)
        #expect(hunk.lines.count { $0.after != nil } == hunk.after.count)
      }
    }
  }

  @Test("what is in both, once and in order, stays") func anchors() {
    let diff = LineDiff(lines("keys1active2rules3"), lines("active2keys1rules3"))
    #expect(diff.lines.count { $0.isKept } >= 13)
    #expect(LineDiff(lines("abc"), lines("abc")).hunks().isEmpty)
  }

  @Test("ten thousand sections that change places are told without trying all pairs") func large() {
    let old = (0..<10_000).map { "line \($0)" }
    let diff = LineDiff(old, Array(old[5000...] + old[..<5000]))
    #expect(diff.lines.count { $0.isKept } == 5000)
    #expect(diff.hunks().count == 2)
  }

  @Test("is shown as other programs show it") func text() {
    let before = Array("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\tk".utf8)
    let after = Array("a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\tk\n".utf8)
    #expect(
      DiffText.render(before, after, of: "f.yaml", style: Style()) == """
        --- f.yaml
        +++ f.yaml
        @@ -1,5 +1,5 @@
         a
        -b
        +B
         c
         d
         e
        @@ -8,4 +8,4 @@
         h
         i
         j
        -k    k
        \\ No newline at end of file
        +k    k

        """)
    #expect(DiffText.render([], Array("a\n".utf8), of: "f", style: Style()).hasSuffix("@@ -0,0 +1 @@\n+a\n"))
    #expect(DiffText.render(before, before, of: "f", style: Style()) == "")
  }
}
