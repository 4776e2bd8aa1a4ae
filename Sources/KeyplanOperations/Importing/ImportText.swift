internal import KeyplanReporting

/// The names that `init --from` imports and those that it leaves, as text.
package enum ImportText {
  package static func lines(_ imported: Import) -> [String] {
    var lines = ["found  \(counted(imported.keys.count)) from \(imported.shown)"]
    let width = columns(imported.keys.map(\.name))
    let origins = columns(imported.keys.map(\.origin))
    for key in imported.keys {
      var line = "         " + padded(key.name, width) + padded(Glyphs.visible(key.origin), origins) + key.provider
      if let format = key.formats.first { line += "   its value looks like a key of \(format)" }
      lines.append(line)
    }
    guard !imported.left.isEmpty else { return lines }
    lines.append("left   \(counted(imported.left.count)) in \(imported.shown)")
    let named = columns(imported.left.compactMap(\.name))
    for (name, reason) in imported.left {
      lines.append("         " + padded(Glyphs.visible(name ?? "…"), named) + reason)
    }
    return lines
  }

  private static func counted(_ count: Int) -> String { "\(count) name\(count == 1 ? "" : "s")" }

  /// Wide enough for the names, but one very long name moves only itself.
  private static func columns(_ names: [String]) -> Int {
    min(names.map { Glyphs.columns(of: $0) }.max() ?? 0, 32) + 3
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(3, width - Glyphs.columns(of: text)))
  }
}
