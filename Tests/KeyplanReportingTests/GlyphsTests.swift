import Testing

@testable import KeyplanReporting

@Suite("What foreign text may show")
struct GlyphsTests {
  static let unseen: [(name: String, scalar: Unicode.Scalar)] = [
    ("escape", "\u{1b}"), ("delete", "\u{7f}"), ("next line", "\u{85}"), ("soft hyphen", "\u{ad}"),
    ("combining grapheme joiner", "\u{34f}"), ("Arabic number sign", "\u{600}"), ("Arabic letter mark", "\u{61c}"),
    ("Hangul filler", "\u{115f}"), ("Hangul filler of compatibility", "\u{3164}"), ("Khmer inherent vowel", "\u{17b4}"),
    ("Mongolian selector of a variant", "\u{180b}"), ("space without width", "\u{200b}"),
    ("override of direction", "\u{202e}"), ("line separator", "\u{2028}"), ("invisible plus", "\u{2064}"),
    ("isolate", "\u{2066}"), ("selector of a variant", "\u{fe0f}"), ("byte order mark", "\u{feff}"),
    ("half-width filler", "\u{ffa0}"), ("annotation", "\u{fff9}"), ("noncharacter", "\u{ffff}"),
    ("Kaithi number sign", "\u{110bd}"), ("shorthand format", "\u{1bca0}"), ("musical beam", "\u{1d173}"),
    ("tag", "\u{e0041}"), ("another selector of a variant", "\u{e0100}"), ("reserved as ignorable", "\u{e0fff}"),
  ]

  @Test("what is not seen, or steers, is written out", arguments: unseen)
  func writtenOut(_ row: (name: String, scalar: Unicode.Scalar)) {
    let text = "a\(row.scalar)b"
    let number = String(row.scalar.value, radix: 16)
    #expect(Glyphs.visible(text) == "a\\u{\(number)}b")
    #expect(Glyphs.columns(of: text) == 6 + number.utf8.count)
    #expect(!Glyphs.visible(inJSON: text).unicodeScalars.contains(row.scalar))
  }

  @Test(
    "what people write is shown as it is",
    arguments: ["Zürich", "日本語", "Ελλάδα", "עברית", "a\u{301}", "🎂", "№ 5 €", "–…"])
  func shown(text: String) {
    #expect(Glyphs.visible(text) == text)
  }

  @Test("marks take no column of their own")
  func marks() {
    #expect(Glyphs.columns(of: "a\u{301}\u{5b0}\u{20dd}") == 1)
    #expect(Glyphs.columns(of: "日本") == 4)
  }
}
