/// The absolute paths in an argument, as a shell would find them: `cd /srv/app && . "$HOME/a"`.
///
/// It finds too much rather than too little: each sequence that begins with a slash and has no character that ends a word.
package struct MentionedPaths {
  package let all: [String]

  /// - Parameter home: the directory that a shell puts in the place of `$HOME` and `~`; nil if unknown. Paths in other variables are
  ///   judged separately.
  package init(in argument: String, home: String?) {
    var text = argument
    if let home, home.hasPrefix("/") {
      text = text.replacing("${HOME}", with: home).replacing("$HOME", with: home)
      for mark in Self.marks { text = text.replacing("\(mark)~/", with: "\(mark)\(home)/") }
      if text.hasPrefix("~/") { text = home + text.dropFirst() }
    }
    var paths: [String] = []
    for word in text.utf8.split(whereSeparator: Self.endsWord) {
      // Every slash can be the beginning, as in `--file=/srv/a` and `@/srv/a`; those of the path itself are not.
      guard let start = word.firstIndex(of: UInt8(ascii: "/")) else { continue }
      paths.append(String(decoding: word[start...], as: UTF8.self))
    }
    all = paths
  }

  private static let marks = [" ", "=", ":", "\"", "'", ";", "(", "&", "|", "\t", "\n"]

  private static func endsWord(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "\"'`;&|<>()=,:@{}[]*?!$\\".utf8.contains(byte)
  }
}
