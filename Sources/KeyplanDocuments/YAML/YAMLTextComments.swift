import KeyplanYAML

extension YAMLText {
  /// Changes a comment of whole lines: the line that is `header`, and the lines directly below it that are indented comments (`#  …`).
  /// Nothing is changed if the text has no such line. If no line is left, an empty line next to them is removed, too.
  package mutating func rewriteComment(
    beginning header: String, _ change: ([String]) -> [String]
  ) throws(DocumentError) {
    var starts = [0]
    for (index, byte) in bytes.enumerated() where byte == .lineFeed { starts.append(index + 1) }
    func line(_ number: Int) -> String? {
      guard starts.indices.contains(number) else { return nil }
      var end = number + 1 < starts.count ? starts[number + 1] - 1 : bytes.count
      if end > starts[number], bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      return String(decoding: bytes[starts[number]..<end], as: UTF8.self)
    }
    guard let first = starts.indices.first(where: { line($0) == header }) else { return }
    var end = first + 1
    while line(end)?.hasPrefix("#  ") == true { end += 1 }
    let written = change((first..<end).compactMap(line))
    var begin = first
    if written.isEmpty {
      if begin > 0, line(begin - 1)?.isEmpty == true {
        begin -= 1
      } else if line(end)?.isEmpty == true {
        end += 1
      }
    }
    let range = starts[begin]..<(end < starts.count ? starts[end] : bytes.count)
    try splice(
      [(range, written.flatMap { Array($0.utf8) + lines.newline })], toRead: root.map { Outline($0) }, at: nil)
  }
}
