import KeyplanCore

/// A file's path as the manifest writes it: relative to the manifest's folder, or outside it and then surface. Normalised
/// by its text alone, so that one file has one text and nothing is asked of the disk.
struct RelativePath {
  let text: String
  let surface: ExternalAccess?

  /// Nil for a path that names no file below any folder: empty, `.`, `..`, `/`, `~`.
  /// Nor one with characters that turn the direction of text or show nothing: what is reviewed must be what is opened.
  init?(_ written: String) {
    guard !written.unicodeScalars.contains(where: { $0.properties.generalCategory == .format }) else { return nil }
    let isAbsolute = written.utf8.first == UInt8(ascii: "/")
    var parts: [Substring] = []
    for part in written.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != "..", !(parts.count == 1 && last.hasPrefix("~")) {
        parts.removeLast()
      } else if part != ".." || !isAbsolute {
        parts.append(part)
      }
    }
    let isHome = !isAbsolute && parts.first?.hasPrefix("~") == true
    guard let last = parts.last, last != "..", !(isHome && parts.count == 1) else { return nil }
    text = (isAbsolute ? "/" : "") + parts.joined(separator: "/")
    surface = isAbsolute || isHome || parts.first == ".." ? ExternalAccess(.path, text) : nil
  }
}
