import KeyplanModel
import KeyplanPlanning

/// The path of a file in the manifest: relative to the manifest's folder, or outside it, which needs permission. Normalized without access
/// to the file system, so that a file has one text.
struct RelativePath {
  let text: String
  let surface: ExternalAccess?

  /// Nil for a path that names no file: empty, `.`, `..`, `/`, `~`; and for one with invisible characters or ones that
  /// change the direction of text, so that the path that is reviewed is the one that is opened.
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

extension DiagnosticSink {
  /// Warns of text that a shell would replace: here it is a part of the file's name.
  mutating func questionVariable(in path: RelativePath, at place: FileLocation) {
    guard path.text.contains("${") || path.text.hasPrefix("$") else { return }
    report(
      .questionable, "Variables in paths are not replaced: the file's name would contain \"$\".",
      hint: "Write the path as it is, or ~/… for the home directory.", at: place)
  }
}
