import Foundation
import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@Suite("Commands as sources")
struct CommandTests {
  private let scratch: Scratch
  private let source: CommandSource

  init() throws {
    scratch = try Scratch()
    source = CommandSource(
      SourceContext(
        scratch,
        variables: [
          "PATH": "/usr/bin:/bin", "HOME": "/home/ada", "LANG": "C", "TMPDIR": "/tmp", "OP_ACCOUNT": "team",
          "AWS_SECRET_ACCESS_KEY": "canary", "KEYPLAN_IDENTITY": "AGE-SECRET-KEY-1CANARY", "UNASKED": "x",
        ]))
  }

  @Test("a command sees the allow-list and what its reference names, and never a KEYPLAN_ variable")
  func environment() async {
    let bare = await lines(of: .command(["env"]))
    #expect(bare == ["HOME=/home/ada", "LANG=C", "PATH=/usr/bin:/bin", "TMPDIR=/tmp"])
    let named = await lines(of: .command(["env"], variables: ["OP_ACCOUNT", "KEYPLAN_IDENTITY", "NOT_SET"]))
    #expect(named == ["HOME=/home/ada", "LANG=C", "OP_ACCOUNT=team", "PATH=/usr/bin:/bin", "TMPDIR=/tmp"])
  }

  @Test("what a command gives as a file has every byte")
  func whole() async {
    let answers = await source.readFiles([.shell("printf 'a\\000\\n'"), .shell("true"), .shell("exit 3")])
    guard case .value(let value) = answers[0] else {
      Issue.record("\(answers[0])")
      return
    }
    #expect(value.withBytes { Array($0) } == [0x61, 0, 0x0A])
    #expect(Told(answers[1]) == .unreadable("\"sh\" wrote nothing."))
    guard case .failed(let failure) = answers[2], failure.kind == .unreachable else {
      Issue.record("\(answers[2])")
      return
    }
  }

  @Test("arguments reach the program as they stand: no shell, no expansion")
  func arguments() async {
    #expect(
      await source.tell(.command(["printf", "%s|", "$HOME", "a b", "*", "`id`", ""])) == .value("$HOME|a b|*|`id`||"))
  }

  @Test("standard input is empty, and there is no terminal to ask at")
  func input() async {
    #expect(await source.tell(.shell("cat; printf done")) == .value("done"))
    // Fields 5 and 6 of its status (proc(5)): process group and session. Who leads a new session has no terminal.
    let script =
      "read -r a b c d group session rest < /proc/$$/stat; test $group = $$ && test $session = $$ && echo own"
    #expect(await source.tell(.shell(script)) == .value("own"))
  }

  @Test("no descriptor of ours is inherited")
  func descriptors() async throws {
    // Opened without O_CLOEXEC, as a careless library would.
    let open = open("/dev/null", O_RDONLY)
    defer { close(open) }
    try #require(open > 2)
    #expect(
      await source.tell(.shell("test -e /proc/self/fd/\(open) && echo leaked || echo closed")) == .value("closed"))
  }

  @Test("it runs in a private empty directory that is gone afterwards, or in the declared one")
  func folder() async throws {
    let looked = "pwd; stat -c %a .; ls -A; touch left-behind"
    guard case .value(let text) = await source.tell(.command(["sh", "-c", looked])) else {
      Issue.record("no answer")
      return
    }
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 2 && lines.last == "700" && !lines[0].hasPrefix(scratch.path), "\(lines)")
    #expect(access(lines[0], F_OK) != 0, "it was left behind")
    #expect(await source.tell(.command(["pwd"], directory: ".")) == .value(scratch.path))
    try scratch.folder("below")
    #expect(await source.tell(.command(["pwd"], directory: "below")) == .value(scratch.path + "/below"))
  }

  @Test("relative programs and arguments are relative to the manifest; PATH entries of the work tree are ignored")
  func relative() async throws {
    try scratch.write("data", to: "data.txt")
    #expect(await source.tell(.command(["cat", "./data.txt"])) == .value("data"))
    #expect(await source.tell(.command(["cat", "data.txt"])).isUnreachable)
    try scratch.write("#!/bin/sh\necho theirs\n", to: "printf", mode: 0o700)
    for path in [scratch.path, ".", scratch.path + "/."] {
      let context = SourceContext(variables: ["PATH": path + ":/usr/bin:/bin"], folder: scratch.path, home: nil)
      #expect(await CommandSource(context).tell(.command(["printf", "ours"])) == .value("ours"))
      #expect(await CommandSource(context).tell(.command(["sh", "-c", "echo $PATH"])) == .value("/usr/bin:/bin"))
    }
    try scratch.write("#!/bin/sh\necho from a script\n", to: "secret.sh", mode: 0o700)
    #expect(await source.tell(.command(["./secret.sh"])) == .value("from a script"))
    #expect(await source.tell(.command([scratch["secret.sh"]])) == .value("from a script"))
    #expect(await source.tell(.command(["secret.sh"])).isUnreachable)
  }

  @Test(
    "what a command may answer",
    arguments: [
      (script: "printf 'key\\n'", told: Told.value("key")),
      (script: "printf 'key\\r\\n'", told: .value("key")),
      (script: "printf 'key\\n\\n'", told: .value("key\n")),
      (script: "printf canary >&2; printf key", told: .value("key")),
      (script: ":", told: .unreadable("\"sh\" wrote nothing.")),
      (script: "echo", told: .unreadable("\"sh\" wrote nothing.")),
      (script: "printf 'a\\0b'", told: .unreadable("The value holds a NUL byte.")),
      (script: "head -c 65536 /dev/zero | tr '\\0' x", told: .value(String(repeating: "x", count: 65536))),
      (script: "head -c 66560 /dev/zero | tr '\\0' x", told: .unreadable("\"sh\" wrote more than 64 KiB.")),
      (script: "yes canary", told: .unreadable("\"sh\" wrote more than 64 KiB.")),
      (
        script: "echo canary; echo canary >&2; exit 3",
        told: .unreachable("\"sh\" failed with exit code 3. Run it manually to see why.")
      ),
      (script: "echo canary; kill -TERM $$", told: .unreachable("\"sh\" was terminated by signal 15.")),
    ])
  func answers(_ given: (script: String, told: Told)) async {
    #expect(await source.tell(.shell(given.script)) == given.told)
  }

  @Test("a program that is not there, or is none, or has a NUL in its arguments, is unreachable")
  func notFound() async throws {
    try scratch.write("text", to: "text", mode: 0o600)
    #expect(
      await source.tell(.command(["keyplan-no-such-program"]))
        == .unreachable(
          "\"keyplan-no-such-program\" was not found. Install it outside of the work tree, or use its full path."))
    for program in ["./absent", "./text", "/", ""] {
      #expect(await source.tell(.command([program])).isUnreachable, "\(program)")
    }
    #expect(await source.tell(.command([])).isUnreachable)
    #expect(await source.tell(.command(["echo", "a\0b"])).isUnreachable)
    #expect(await source.tell(.command(["echo\0", "a"])).isUnreachable)
    let nowhere = SourceContext(variables: ["PATH": "/bin"], folder: scratch["nowhere"], home: nil)
    #expect(
      await CommandSource(nowhere).tell(.command(["echo", "a"], directory: "."))
        == .unreachable("\"echo\" could not be started: its working directory is not accessible."))
  }

  @Test("at the time-out everything it started is killed")
  func timeout() async throws {
    let script = "(trap '' TERM; sh -c 'echo $$ > grandchild; exec sleep 60') & echo $$ > child; printf canary; wait"
    let told = await source.tell(.shell(script, seconds: 2))
    #expect(told == .unreachable("\"sh\" did not finish within 2 seconds and was stopped."))
    try await expectGone(["child", "grandchild"])
  }

  @Test("cancelling kills everything it started")
  func cancel() async throws {
    let source = source
    let task = Task { await source.tell(.shell("sh -c 'echo $$ > grandchild; exec sleep 60' & echo $$ > child; wait")) }
    let end = ContinuousClock.now + .seconds(300)
    while !["child", "grandchild"].allSatisfy({ (try? scratch.text($0))?.hasSuffix("\n") == true }) {
      try #require(ContinuousClock.now < end, "it never started what it should start")
      try await Task.sleep(for: .milliseconds(10))
    }
    task.cancel()
    #expect(await task.value == .unreachable("\"sh\" was stopped before it finished."))
    try await expectGone(["child", "grandchild"])
  }

  @Test("a command that leaves a daemon behind with its output open has answered when it ends")
  func daemon() async throws {
    #expect(await source.tell(.shell("sleep 30 & echo $! > daemon; echo key")) == .value("key"))
    let daemon = try #require(pid_t(try scratch.text("daemon").trimmingCharacters(in: .whitespacesAndNewlines)))
    kill(daemon, SIGKILL)
  }

  @Test("equal commands run once for each call, and different time-outs are different commands")
  func coalescing() async throws {
    let count = "echo run >> runs; echo key"
    #expect(await source.tell(Array(repeating: .shell(count), count: 50)) == Array(repeating: .value("key"), count: 50))
    #expect(try scratch.text("runs") == "run\n")
    _ = await source.tell([.shell(count), .shell(count, seconds: 5), .shell(count, variables: ["LANG"])])
    #expect(try scratch.text("runs") == "run\nrun\nrun\nrun\n")
  }

  @Test("no more than eight run at once, and all of them answer in order")
  func bounded() async throws {
    try scratch.folder("running")
    let told = await source.tell(
      (0..<20).map {
        .shell("mkdir running/\($0); ls running | wc -l >> counts; sleep 0.1; rmdir running/\($0); echo \($0)")
      })
    #expect(told == (0..<20).map { .value("\($0)") })
    let counts = try scratch.text("counts").split(separator: "\n").compactMap { Int($0.filter(\.isNumber)) }
    #expect(counts.count == 20)
    #expect((2...8).contains(try #require(counts.max())))
  }

  @Test("descriptors do not grow with the number of runs")
  func leaks() async throws {
    func openDescriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    _ = await source.tell(.shell("echo warm"))
    let before = try openDescriptors()
    _ = await source.tell((0..<200).map { .shell("echo \($0); exit \($0 % 2)") } + [.command(["no-such-program"])])
    // Other tests run at the same time and open some of their own, fewer than one for each run.
    #expect(try openDescriptors() < before + 150)
  }

  private func lines(of reference: Reference) async -> [String] {
    guard case .value(let text) = await source.tell(reference) else { return [] }
    return text.split(separator: "\n").map(String.init).sorted()
  }

  /// Whoever was killed may take a moment to be buried by init.
  private func expectGone(_ names: [String]) async throws {
    for name in names {
      let text = try scratch.text(name).trimmingCharacters(in: .whitespacesAndNewlines)
      let id = try #require(pid_t(text))
      var tries = 0
      while isRunning(id), tries < 200 {
        try await Task.sleep(for: .milliseconds(10))
        tries += 1
      }
      #expect(!isRunning(id), "\(name) still runs")
    }
  }

  private func isRunning(_ id: pid_t) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return false }
    return status.split(separator: ")").last?.split(separator: " ").first != "Z"
  }
}
