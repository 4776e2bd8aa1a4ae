import Foundation
import Testing

/// Each command that a hint names is run where the hint was shown: an error must not end in another one.
enum Hints {
  /// What a hint must not lead to.
  struct DeadEnd: CustomStringConvertible {
    let story: String
    let command: String
    let hinted: String
    let answer: Shell.Answer

    var description: String {
      "\(story): $ \(command)\n  hint: \(hinted)\n  \(answer.code)\n  \((answer.out + answer.err).joined(separator: "\n  "))"
    }
  }

  /// Runs a transcript, and each command of its hints in between, which changes nothing.
  static func deadEnds(in name: String) throws -> (tried: Int, found: [DeadEnd]) {
    let written = try Transcript(String(contentsOf: TranscriptTests.folder.appending(path: name), encoding: .utf8))
    let shell = try Shell(columns: 10_000)
    var found: [DeadEnd] = []
    var tried = 0
    for part in written.parts {
      switch part {
      case .note, .content: break
      case .file(let name, let lines): try shell.write(lines, to: name)
      case .command(let run):
        let answer = try shell.run(run.command)
        // What was recorded is folded, and one command may have shown the hint of another before it.
        for (environment, lines) in environments(in: answer.out) + environments(in: answer.err) {
          let around = circumstances(of: run.command) + (environment.map { "export KEYPLAN_ENVIRONMENT=\($0); " } ?? "")
          for command in Set(HintedCommand.all(in: lines)).sorted(by: { $0.text < $1.text }) {
            tried += 1
            let after = try shell.trying(around + "timeout 10 " + command.filled)
            guard isDeadEnd(after, command, since: answer) else { continue }
            found.append(DeadEnd(story: name, command: run.command, hinted: command.text, answer: after))
          }
        }
      }
    }
    return (tried, found)
  }

  /// The lines of each environment, where a command went through several. A heading names the option to add.
  private static func environments(in lines: [String]) -> [(environment: String?, lines: [String])] {
    var parts: [(environment: String?, lines: [String])] = [(nil, [])]
    for line in lines {
      if let heading = line.wholeMatch(of: /(?:In the e|E)nvironment [^ ]+ \(-e ([^ )]+)\):?/) {
        parts.append((String(heading.1), []))
      } else {
        parts[parts.count - 1].lines.append(line)
      }
    }
    return parts
  }

  /// What is still so for somebody who copies the hint: the folder, the variables, and the options for all commands.
  private static func circumstances(of command: String) -> String {
    var text = ""
    if let folder = command.firstMatch(of: /^cd ([^;& ]+)/) { text += "cd \(folder.1) && " }
    let last = command.split(separator: /[;|&\n]/).last { $0.contains("keyplan ") } ?? ""
    if let variables = last.firstMatch(of: /^\s*((?:[A-Z_]+=\S* )+)/) { text += "export \(variables.1); " }
    let options = [("-e", "ENVIRONMENT"), ("--environment", "ENVIRONMENT"), ("--store", "STORE"), ("-f", "MANIFEST")]
    for (option, variable) in options + [("--manifest", "MANIFEST"), ("--identity", "IDENTITY")] {
      let words = last.split(separator: " ")
      guard let index = words.firstIndex(where: { $0 == option }), index + 1 < words.count else { continue }
      text += "export KEYPLAN_\(variable)=\(words[index + 1]); "
    }
    return text
  }

  private static func isDeadEnd(_ answer: Shell.Answer, _ command: HintedCommand, since before: Shell.Answer) -> Bool {
    func summaries(_ answer: Shell.Answer) -> [String] {
      (answer.out + answer.err).filter { $0.hasPrefix("error: ") }.map { String($0.dropFirst("error: ".count)) }
    }
    let errors = summaries(answer)
    // Nobody is at a terminal here.
    if errors.contains(where: { ["Confirmation required", "Terminal required"].contains($0) }) { return false }
    if answer.code == 64 { return true }
    guard command.placeholders.isEmpty, !command.isAfterOthers else { return false }
    return errors.contains {
      $0.lowercased().contains("not found") || $0 == "Not recorded" || summaries(before).contains($0)
    }
  }
}

extension Hints {
  static let names = TranscriptTests.names
}

/// A slice of them, in every run.
@Suite("A hint")
struct HintTests {
  private static let slice: [String] = {
    let names = Hints.names
    return FaultTracer.sample(names.count, atMost: 6).map { names[$0 - 1] }
  }()

  @Test("names a command that works where it is shown", arguments: slice)
  func works(name: String) throws {
    for deadEnd in try Hints.deadEnds(in: name).found { Issue.record("\(deadEnd)") }
  }

  @Test("is read as a person would copy it")
  func read() {
    func commands(_ hint: String) -> [String] { HintedCommand.all(in: ["  hint: " + hint]).map(\.filled) }
    #expect(
      commands("keyplan restore FILE (a file of `keyplan backup`)").sorted() == [
        "keyplan backup", "keyplan restore hinted-file",
      ])
    #expect(commands("Set its value with keyplan keys set hand.") == ["keyplan keys set hand"])
    #expect(commands("keyplan apply writes the recorded value there again.") == ["keyplan apply"])
    #expect(commands("If you did, run once: keyplan trust") == ["keyplan trust"])
    #expect(commands("Choose another name.") == [])
    #expect(commands("For a random value: keyplan keys set own --generate") == ["keyplan keys set own --generate"])
    #expect(commands("For a key: keyplan keys rename open_ai NAME") == ["keyplan keys rename open_ai hinted-name"])
    func isAfterOthers(_ hint: String) -> [Bool] { HintedCommand.all(in: ["  hint: " + hint]).map(\.isAfterOthers) }
    #expect(isAfterOthers("Put it where the source points, and run keyplan apply.") == [true])
    #expect(isAfterOthers("chmod go= -- a, then: keyplan apply") == [true])
    #expect(isAfterOthers("Set a new value there, or: keyplan apply") == [false])
    #expect(isAfterOthers("If you did, run once: keyplan trust") == [false])
    #expect(commands("keyplan calendar refresh ci, before drift") == ["keyplan calendar refresh ci"])
    #expect(commands("keyplan drift shows what was changed, such as target.NAME.ENTRY.") == ["keyplan drift"])
  }
}

/// All of them.
@Suite("Every hint")
struct HintProofTests {
  @Test("names a command that works where it is shown", arguments: Hints.names)
  func works(name: String) throws {
    let (tried, found) = try Hints.deadEnds(in: name)
    for deadEnd in found { Issue.record("\(deadEnd)") }
    print("hints: \(tried) in \(name)")
  }
}
