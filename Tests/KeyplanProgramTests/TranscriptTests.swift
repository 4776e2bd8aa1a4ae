import Foundation
import Testing

/// The built program, from outside. `KEYPLAN_TEST_RECORD=NAME.txt` runs one alone, writes what it answers into the file, and
/// fails; `all` does that for all.
@Suite("The program")
struct TranscriptTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts")
  static let names: [String] = {
    let all = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
      $0.hasSuffix(".txt")
    }
    let record = ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] ?? ""
    return record.hasSuffix(".txt") ? all.filter { $0 == record } : all.sorted()
  }()

  @Test("answers as its transcripts say", arguments: names)
  func answers(name: String) throws {
    let file = Self.folder.appending(path: name)
    let text = try String(contentsOf: file, encoding: .utf8)
    let written = try Transcript(text)
    var found = written
    let shell = try Shell()
    for (index, part) in written.parts.enumerated() {
      switch part {
      case .note: break
      case .file(let name, let lines): try shell.write(lines, to: name)
      case .content(let name, let lines):
        let content = shell.content(of: name)
        found.parts[index] = .content(name, Self.kept(lines, content, in: text))
        Self.compare([("", lines, content)], "== \(name) ==")
      case .command(let run):
        let answer = try shell.run(run.command)
        found.parts[index] = .command(
          Transcript.Run(
            command: run.command, out: Self.kept(run.out, answer.out, in: text),
            err: Self.kept(run.err, answer.err, in: text), code: answer.code))
        Self.compare(
          [
            ("| ", run.out, answer.out), ("! ", run.err, answer.err),
            ("? ", ["\(run.code)"], ["\(answer.code)"]),
          ], "$ \(run.command)")
      }
    }
    guard let record = ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"], [name, "all"].contains(record) else {
      return
    }
    try Data(found.text.utf8).write(to: file)
    Issue.record("\(name) was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
  }

  @Test("there are stories to compare with")
  func exist() { #expect(!Self.names.isEmpty) }

  /// The expected lines where they fit; otherwise what was found, as it is recorded.
  private static func kept(_ expected: [String], _ found: [String], in story: String) -> [String] {
    found.enumerated().map { index, line in
      index < expected.count && Placeholder.line(line, fits: expected[index])
        ? expected[index] : Placeholder.recorded(line, in: story)
    }
  }

  private static func compare(_ streams: [(mark: String, expected: [String], found: [String])], _ command: String) {
    let differences = streams.map { Self.difference($0.expected, $0.found, mark: $0.mark) }
    guard differences.contains(where: { $0 != nil }) else { return }
    Issue.record("\(command)\n\(differences.compactMap { $0 }.joined(separator: "\n"))")
  }

  /// What is expected (`-`) and what was found (`+`) between the lines that fit at the beginning and at the end.
  private static func difference(_ expected: [String], _ found: [String], mark: String) -> String? {
    let begin = zip(expected, found).prefix { Placeholder.line($1, fits: $0) }.count
    if begin == expected.count, begin == found.count { return nil }
    let (old, new) = (expected.dropFirst(begin), found.dropFirst(begin))
    let end = zip(old.reversed(), new.reversed()).prefix { Placeholder.line($1, fits: $0) }.count
    let lines =
      expected.prefix(begin).suffix(3).map { "  \(mark)\($0)" } + old.dropLast(end).map { "- \(mark)\($0)" }
      + new.dropLast(end).map { "+ \(mark)\($0)" } + new.suffix(end).prefix(3).map { "  \(mark)\($0)" }
    return lines.joined(separator: "\n")
  }
}
