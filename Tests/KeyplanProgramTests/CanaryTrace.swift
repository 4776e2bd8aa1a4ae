import Foundation
import Testing

/// What strace saw: every path, everything written, and every program started with its arguments and environment.
struct CanaryTrace {
  private let lines: [[UInt8]]

  /// What strace is told: all strings whole and in hexadecimal, so that nothing in them can be taken for strace's own.
  static func command(_ log: String) -> [String] {
    let calls = "%file,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,sendmmsg,clone,clone3,vfork,fork"
    return ["strace", "-f", "-y", "-v", "-xx", "-s", "1000000", "-o", log, "-e", "trace=" + calls]
  }

  init(_ log: String) throws {
    lines = try Data(contentsOf: URL(filePath: log)).split(separator: 0x0a).map(Array.init)
  }

  /// A line that is keyplan's own doing, or one that starts a program.
  struct Line {
    /// With its strings decoded.
    let text: [UInt8]
    let call: String
    /// What the descriptor of a write leads to.
    let sink: String
    let isStart: Bool
  }

  /// All lines but the start of the program under test, which the test gives its environment, and what other programs do
  /// after they were started: a source writes its secret by right.
  func own() -> [Line] {
    var others: Set<String> = []
    var isFirst = true
    return lines.compactMap { text in
      let process = String(decoding: text.prefix { $0 != 0x20 }, as: UTF8.self)
      let rest = text.dropFirst(process.utf8.count).drop { $0 == 0x20 }
      let call = String(decoding: rest.prefix { $0 != 0x28 }, as: UTF8.self)
      let isStart = call == "execve"
      defer { isFirst = false }
      if isFirst { return nil }
      if others.contains(process) { return nil }
      let isStarted = isStart || rest.starts(with: "<... execve resumed>".utf8)
      if isStarted, text.suffix(4).elementsEqual(" = 0".utf8) { others.insert(process) }
      return Line(text: Self.decoded(text), call: call, sink: Self.sink(of: rest), isStart: isStart)
    }
  }

  /// `write(3</path>, …`: the path, which stands in hexadecimal too.
  private static func sink(of text: ArraySlice<UInt8>) -> String {
    guard let begin = text.firstIndex(of: 0x3c), let end = text[begin...].firstIndex(of: 0x3e) else { return "" }
    return String(decoding: decoded(text[text.index(after: begin)..<end]), as: UTF8.self)
  }

  /// Text with every `\\xAB` as the byte that it stands for.
  static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    var escape: [UInt8] = []
    for byte in text {
      if escape.isEmpty, byte != 0x5c { decoded.append(byte) } else { escape.append(byte) }
      guard escape.count == 4 else { continue }
      decoded.append(digit(escape[2]) << 4 | digit(escape[3]))
      escape = []
    }
    return decoded
  }

  private static func digit(_ byte: UInt8) -> UInt8 { byte < 0x3a ? byte & 15 : (byte & 15) + 9 }

  /// The names of the variables that a program is started with: `execve("…", ["…", …], ["NAME=…", …]) = 0`.
  static func variables(of start: Line) -> Set<String> {
    let parts = String(decoding: start.text, as: UTF8.self).split(separator: "], [")
      .map { $0.prefix { $0 != "]" } }
    guard let last = parts.last, parts.count > 1 else { return [] }
    return Set(
      last.split(separator: "\", \"").compactMap {
        $0.trimmingPrefix("\"").split(separator: "=").first.map(String.init)
      })
  }
}
