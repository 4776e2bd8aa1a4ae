/// The absolute paths in an argument, as a shell would find them: `cd /srv/app && . "$HOME/a"`.
///
/// It finds too much rather than too little: each sequence that begins with a slash and has no character that ends a word.
package struct MentionedPaths {
  package let all: [String]

  /// - Parameter variables: `HOME` and the variables of the command, whose values are put into the text.
  package init(in argument: String, variables: [String: String]) {
    var text = argument
    for (name, value) in variables where value.hasPrefix("/") {
      text = text.replacing("${\(name)}", with: value).replacing("$\(name)", with: value)
    }
    if let home = variables["HOME"], home.hasPrefix("/") {
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
