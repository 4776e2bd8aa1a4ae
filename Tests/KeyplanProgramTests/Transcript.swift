import Foundation

/// A story of commands: what a person types, and what the built program must answer.
///
/// One file is one test. Its lines, by their first characters:
///
///     // WORDS             a note for the reader
///     -- NAME --           the lines below are a file, written before what follows
///     $ COMMAND            run by `sh -c` in the story's folder; more lines of it begin with `> `
///     | TEXT               what it writes to standard output
///     ! TEXT               what it writes to standard error
///     ? CODE               its exit code; 0 where there is none
///     == NAME ==           the lines below are what the file must hold now
///
/// A file's lines end at the next of these marks; empty lines at its end do not count. A line of a file that would read
/// as a mark begins with a backslash, which is dropped. What varies is written as a placeholder: see `Placeholder`.
struct Transcript: Sendable {
  var parts: [Part] = []

  enum Part: Sendable {
    case note(String)
    case file(String, [String])
    case command(Run)
    case content(String, [String])
  }

  /// A command with what it must answer, as lines.
  struct Run: Sendable {
    var command: String
    var out: [String] = []
    var err: [String] = []
    var code: Int32 = 0
  }

  /// - Throws: `Fault` for a line that fits nowhere.
  init(_ text: String) throws(Fault) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated() {
      guard take(line) else { throw Fault(line: index + 1, text: line) }
    }
    parts = parts.map(\.withoutEmptyEnd)
  }

  struct Fault: Error {
    let line: Int
    let text: String
  }

  private mutating func take(_ line: String) -> Bool {
    if line == "//" || line.hasPrefix("// ") { return add(.note(line)) }
    if let name = Self.name(in: line, between: "--") { return add(.file(name, [])) }
    if let name = Self.name(in: line, between: "==") { return add(.content(name, [])) }
    if let command = Self.text(of: line, after: "$") { return add(.command(Run(command: command))) }
    switch parts.last {
    case .file(let name, let lines): return replaceLast(.file(name, lines + [Self.unescaped(line)]))
    case .content(let name, let lines): return replaceLast(.content(name, lines + [Self.unescaped(line)]))
    case .command(var run):
      if let more = Self.text(of: line, after: ">") {
        run.command += "\n" + more
      } else if let text = Self.text(of: line, after: "|") {
        run.out.append(text)
      } else if let text = Self.text(of: line, after: "!") {
        run.err.append(text)
      } else if let code = Self.text(of: line, after: "?").flatMap({ Int32($0) }) {
        run.code = code
      } else if !line.isEmpty {
        return false
      }
      return replaceLast(.command(run))
    case .note, nil: return line.isEmpty
    }
  }

  private mutating func add(_ part: Part) -> Bool {
    parts.append(part)
    return true
  }

  private mutating func replaceLast(_ part: Part) -> Bool {
    parts[parts.count - 1] = part
    return true
  }

  private static func name(in line: String, between mark: String) -> String? {
    guard line.hasPrefix(mark + " "), line.hasSuffix(" " + mark), line.count > 6 else { return nil }
    return String(line.dropFirst(3).dropLast(3))
  }

  private static func text(of line: String, after mark: String) -> String? {
    if line == mark { return "" }
    return line.hasPrefix(mark + " ") ? String(line.dropFirst(2)) : nil
  }

  private static func unescaped(_ line: String) -> String { line.hasPrefix("\\") ? String(line.dropFirst()) : line }
}

extension Transcript {
  /// The story as text, which reads back as the same story.
  var text: String {
    var text = ""
    var isAfterNote = true
    for part in parts {
      if !isAfterNote { text += "\n" }
      text += part.text
      if case .note = part { isAfterNote = true } else { isAfterNote = false }
    }
    return text
  }
}

extension Transcript.Part {
  fileprivate var withoutEmptyEnd: Self {
    switch self {
    case .file(let name, let lines): .file(name, Self.trimmed(lines))
    case .content(let name, let lines): .content(name, Self.trimmed(lines))
    case .note, .command: self
    }
  }

  private static func trimmed(_ lines: [String]) -> [String] {
    Array(lines.reversed().drop { $0.isEmpty }.reversed())
  }

  fileprivate var text: String {
    switch self {
    case .note(let line): return line + "\n"
    case .file(let name, let lines): return "-- \(name) --\n" + Self.escaped(lines)
    case .content(let name, let lines): return "== \(name) ==\n" + Self.escaped(lines)
    case .command(let run):
      let command = run.command.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n> ")
      let out = run.out.map { $0.isEmpty ? "|\n" : "| \($0)\n" }.joined()
      let err = run.err.map { $0.isEmpty ? "!\n" : "! \($0)\n" }.joined()
      return "$ \(command)\n" + out + err + (run.code == 0 ? "" : "? \(run.code)\n")
    }
  }

  private static func escaped(_ lines: [String]) -> String {
    lines.map { line in
      let isMark = line.hasPrefix("\\") || ["$", "//"].contains { line == $0 || line.hasPrefix($0 + " ") }
      let isName = ["--", "=="].contains { line.hasPrefix($0 + " ") && line.hasSuffix(" " + $0) }
      return (isMark || isName ? "\\" : "") + line + "\n"
    }
    .joined()
  }
}
