/// The parts of pages about a kind of thing: backends, providers.
extension Page {
  /// A table whose first row is its head.
  /// - Parameter gap: the blanks between two columns.
  mutating func table(_ rows: [[String]], gap: Int) {
    let widths = rows[0].indices.map { column in rows.map { Glyphs.columns(of: $0[column]) }.max() ?? 0 }
    for (number, row) in rows.enumerated() {
      var column = 2
      for (text, width) in zip(row, widths) {
        move(to: column)
        put(text, number == 0 ? .faint : nil)
        column += width + gap
      }
      end()
    }
  }

  /// Sentences next to their labels.
  mutating func labelled(_ facts: [(label: String, words: String)]) {
    let column = 21
    for (label, words) in facts {
      move(to: 2)
      put(label, .faint)
      move(to: column)
      prose(words, indent: column)
      end()
    }
  }

  /// Lines of a manifest.
  mutating func example(_ lines: [String]) {
    put("For example:")
    end()
    end()
    for line in lines {
      put("    \(line)")
      end()
    }
  }
}
