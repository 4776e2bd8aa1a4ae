import Foundation
import Testing

/// Identity files that a passphrase opens, with a person at a terminal.
@Suite("Identities with a passphrase")
struct LockedIdentityTests {
  /// Runs a command at a terminal of its own, and types a line at each question.
  private static let typist = """
    import os, pty, sys
    answers = sys.argv[1].split(",") if sys.argv[1] else []
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("sh", ["sh", "-c", sys.argv[2]])
    asked = b""
    while True:
        try:
            text = os.read(terminal, 4096)
        except OSError:
            break
        if not text:
            break
        sys.stdout.buffer.write(text)
        asked += text
        if asked.endswith(b": "):
            asked = b""
            os.write(terminal, (answers.pop(0) if answers else "").encode() + b"\\n")
    print("left:" + ",".join(answers))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """

  private func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write("value-1\n", to: "a.txt")
    try sandbox.write(
      "version: 1\nkeys: { a: { provider: generic, source: file://a.txt, variable: A } }\n", to: "keyplan.yaml")
    return sandbox
  }

  private func typing(_ answers: [String], _ command: String, in sandbox: ProgramSandbox) throws -> ProgramRun.Answer {
    let keyplan = "keyplan() { '\(Shell.program)' \"$@\"; }; "
    return try sandbox.start(
      ["python3", "-c", Self.typist, answers.joined(separator: ","), keyplan + command]
    ).wait()
  }

  @Test("an identity with a passphrase creates a store, applies and reads, and asks once for each command")
  func commands() throws {
    let sandbox = try sandbox()
    let made = try typing(["correct horse", "correct horse"], "keyplan identity new --passphrase", in: sandbox)
    #expect(made.code == 0, "\(made.out)\(made.err)")
    let file = sandbox.home + "/.config/keyplan/identity.txt"
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("-----BEGIN AGE ENCRYPTED FILE-----\n"))
    for command in [
      "keyplan init", "keyplan apply --yes", "keyplan get --reveal a", "keyplan identity show", "keyplan doctor",
    ] {
      let run = try typing(["correct horse", "not asked"], command, in: sandbox)
      #expect(run.code == 0 && run.out.contains("left:not asked"), "\(command): \(run.out)\(run.err)")
      #expect(!run.out.contains("correct horse"), "\(command) showed the passphrase")
    }
    #expect(try typing(["correct horse"], "keyplan get --reveal a", in: sandbox).out.contains("value-1"))
    let wrong = try typing(["battery staple"], "keyplan get --reveal a", in: sandbox)
    #expect(wrong.code == 9 && wrong.out.contains("Wrong passphrase"), "\(wrong.out)")
  }

  @Test("without a terminal the passphrase is not asked for: exit 9, and nothing is read from standard input")
  func noTerminal() throws {
    let sandbox = try sandbox()
    try #require(try typing(["pass", "pass"], "keyplan identity new --passphrase", in: sandbox).code == 0)
    let run = try sandbox.start(
      ["setsid", "-w", "sh", "-c", "echo pass | '\(Shell.program)' identity show"]
    ).wait()
    #expect(run.code == 9 && run.err.contains("Passphrase required"), "\(run.out)\(run.err)")
    let new = try sandbox.start(
      ["setsid", "-w", Shell.program, "identity", "new", "--passphrase", "--identity", "x.txt"]
    ).wait()
    #expect(new.code == 64 && sandbox.content(of: "x.txt") == nil, "\(new.err)")
  }

  @Test("two different passphrases, or an empty one, create nothing")
  func different() throws {
    let sandbox = try sandbox()
    for answers in [["one", "two"], [""], ["one", ""]] {
      let run = try typing(answers, "keyplan identity new --passphrase --identity x.txt", in: sandbox)
      #expect(run.code == 64 && sandbox.content(of: "x.txt") == nil, "\(run.out)")
    }
  }

  @Test("age opens the file of an identity with a passphrase, and keyplan one that age encrypted")
  func age() throws {
    let sandbox = try sandbox()
    let make = "keyplan identity new -q --passphrase --identity ours.txt >recipient"
    try #require(try typing(["pass", "pass"], make, in: sandbox).code == 0)
    let opened = try typing(
      ["pass"], "age -r $(tr -d '\\r' <recipient) -o f.age a.txt && age -d -i ours.txt -o plain f.age", in: sandbox)
    #expect(opened.code == 0 && sandbox.content(of: "plain") == Array("value-1\n".utf8), "\(opened.out)")
    let theirs = try typing(
      ["word", "word"], "age-keygen -o key 2>pub && age -p -a -o theirs.txt key && chmod 600 theirs.txt", in: sandbox)
    #expect(theirs.code == 0, "\(theirs.out)")
    let shown = try typing(
      ["word"], "keyplan identity show -q --identity theirs.txt >shown; age-keygen -y key | cmp - shown", in: sandbox)
    #expect(shown.code == 0, "\(shown.out)")
  }

  @Test("an age file that has no passphrase is no identity, and nobody is asked")
  func notLocked() throws {
    let sandbox = try sandbox()
    let run = try typing(
      ["not asked"],
      "age-keygen -o key 2>/dev/null; age -a -r $(age-keygen -y key) -o sealed key; chmod 600 sealed; "
        + "keyplan identity show --identity sealed", in: sandbox)
    #expect(run.code == 9 && run.out.contains("left:not asked"), "\(run.out)")
  }
}
