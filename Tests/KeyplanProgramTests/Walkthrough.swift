import Foundation

/// A Markdown text that is run: what its console blocks show is typed and compared, and its diffs are applied.
///
/// In a block of `console`, a line that begins with `$ ` is a command, and the lines below are what a terminal then shows,
/// standard error included. `ada$ ` is typed by somebody of that name, with a home of her own. A line `…` stands for any
/// lines. A block of `diff` is an edit, as `git apply` takes it. A block with a name after its language, as in
/// "yaml keyplan.yaml", is a file.
struct Walkthrough {
  enum Part {
    /// Lines that are only read.
    case prose([String])
    case command(Command)
    case edit([String])
    case file(name: String, [String])
  }

  struct Command {
    let person: String?
    let line: String
    var shown: [String] = []
  }

  var parts: [Part] = []
  /// The day on which it was written; its dates count from there.
  let day: Substring?

  init(_ text: String) {
    day = text.firstMatch(of: /as on (\d{4}-\d\d-\d\d)/).map(\.1)
    var block: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        block = block == nil ? String(line.dropFirst(3)) : nil
        addProse(line)
        if block == "diff" { parts.append(.edit([])) }
        if let name = block?.wholeMatch(of: /[a-z]+ (.+)/)?.1 { parts.append(.file(name: String(name), [])) }
      } else if block == "console", let typed = line.wholeMatch(of: /([a-z]+)?\$ (.*)/) {
        parts.append(.command(Command(person: typed.1.map(String.init), line: String(typed.2))))
      } else if block == "console", case .command(var command) = parts.last {
        command.shown.append(line)
        parts[parts.count - 1] = .command(command)
      } else if block == "diff", case .edit(let lines) = parts.last {
        parts[parts.count - 1] = .edit(lines + [line])
      } else if block != nil, case .file(let name, let lines) = parts.last {
        parts[parts.count - 1] = .file(name: name, lines + [line])
      } else {
        addProse(line)
      }
    }
  }

  private mutating func addProse(_ line: String) {
    if case .prose(let lines) = parts.last {
      parts[parts.count - 1] = .prose(lines + [line])
    } else {
      parts.append(.prose([line]))
    }
  }

  /// The text again, with what the commands show now.
  var text: String {
    parts.flatMap { part in
      switch part {
      case .prose(let lines), .edit(let lines), .file(_, let lines): lines
      case .command(let command): [(command.person ?? "") + "$ " + command.line] + command.shown
      }
    }
    .joined(separator: "\n")
  }

  var commands: Int { parts.count { if case .command = $0 { true } else { false } } }
}
