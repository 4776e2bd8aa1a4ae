import Foundation
import Testing

/// Known secrets go in; nothing but where they belong may hold them afterwards, in whatever form.
@Suite("A secret")
struct CanaryTests {
  @Test("is found in every form in which it is planted", arguments: CanarySecret.forms)
  func planted(form: String) throws {
    let search = try Self.search.get()
    for secret in CanaryProject.secrets {
      let needles = try secret.needles().filter { $0.form == form }
      try #require(!needles.isEmpty)
      for needle in needles {
        let text = Array("before ".utf8) + needle.bytes + Array(" after".utf8)
        #expect(search.found(in: text).contains("\(secret.name) \(form)"))
      }
      #expect(search.found(in: secret.bytes, allowing: [secret.name]).isEmpty)
    }
    #expect(search.found(in: Array("nothing of the kind".utf8)).isEmpty)
  }

  @Test(
    "is found when a program writes it, passes it on, or names a file after it", needsTracer,
    arguments: [
      (leak: "echo \"$S\"", call: "write"), (leak: "/bin/true \"$S\"", call: "execve"),
      (leak: "X=\"$S\" /bin/true", call: "execve"), (leak: ": > \"$TMPDIR/$S\"", call: "openat"),
      (leak: "exec 9> \"$TMPDIR/x\"; echo \"a $S b\" >&9; rm \"$TMPDIR/x\"", call: "write"),
    ])
  func leaked(leak: String, call: String) throws {
    try FaultTracer.requireTracer()
    let sandbox = try ProgramSandbox()
    try sandbox.write("S=\(CanaryProject.text("env"))\n\(leak)\n:\n", to: "leak.sh")
    let log = sandbox.root + "/strace.log"
    _ = try sandbox.start(CanaryTrace.command(log) + ["/bin/sh", "leak.sh"]).wait()
    let search = try CanarySearch([CanarySecret("env", CanaryProject.text("env"))])
    let lines = try CanaryTrace(log).own().filter { !search.found(in: $0.text).isEmpty }
    #expect(lines.contains { $0.call == call }, "\(lines.map(\.call))")
  }

  /// Made once: every digest is another program's work.
  private static let search = Result { try CanarySearch(CanaryProject.secrets) }

  @Test("stays where it belongs, whatever is done", needsTracer, arguments: 0..<2)
  func stays(half: Int) throws {
    try FaultTracer.requireTracer()
    let applied = try CanaryProject.applied()
    try #require(applied.keyplan("plan", "--detailed-exitcode").code == 0)
    var runs = 0
    for (index, situation) in CanaryProject.cases.enumerated() where index % 2 == half {
      for more in [[], ["--verbose"], ["--json"], ["--json", "--verbose"]] {
        try check(situation, more, on: applied)
        runs += 1
      }
    }
    print("canary: \(runs) runs, \(CanaryProject.secrets.count + 2) secrets")
  }

  @Test(
    "is in no word of a crash, and in no core", needsTracer,
    arguments: [SIGSEGV, SIGABRT, SIGQUIT, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS, SIGHUP, SIGTERM])
  func crashes(signal: Int32) throws {
    try FaultTracer.requireTracer()
    let applied = try CanaryProject.applied()
    for call in ["renameat2", "fdatasync", "pwrite64"] {
      let sandbox = try ProgramSandbox(copying: applied)
      try sandbox.write(CanaryProject.text("newer") + "\n", to: "gamma.txt")
      let log = sandbox.root + "/strace.log"
      // Held in the middle of its work, values in memory, until the signal comes.
      let held = ["-e", "trace=execve,\(call)", "-e", "inject=\(call):delay_enter=200000:when=1"]
      let run = try sandbox.start(
        ["/bin/sh", "-c", "ulimit -c unlimited; exec \"$@\"", "sh", "strace", "-f", "-o", log] + held
          + [Shell.program, "apply", "--yes"])
      try #require(run.waits(for: log) { $0.contains("\(call)(") })
      let process = try #require(pid_t(String(contentsOfFile: log, encoding: .utf8).prefix { $0 != " " }))
      kill(process, signal)
      let ran = run.wait()
      let isHandled = [SIGTERM, SIGHUP, SIGQUIT].contains(signal)
      #expect(ran.code == 128 + signal || isHandled, "\(signal) at \(call): \(ran.code)\n\(ran.out)\(ran.err)")
      // The draft of a target is the target's own, 0600, and the next apply takes it away.
      let allowed = ["project/gamma.txt": ["newer"] as Set]
      try expectNothing(in: sandbox, ran, allowed, "\(signal) at \(call)")
      #expect(!sandbox.files().contains { $0.hasSuffix("/core") || $0.contains("/core.") }, "\(sandbox.files())")
    }
  }

  @Test("that an apply generates is in the store and at its target, and nowhere else")
  func generated() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write(
      """
      version: 1
      keys:
        session: { provider: generic, source: { generate: hex }, expires: { after: 90d, then: rotate } }
        hook: { provider: generic, source: { generate: { format: base64url, bytes: 48 } } }
        own: { provider: generic }
      targets:
        app: { type: dotenv, path: app.env, keys: { SESSION: session, HOOK: hook } }

      """, to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    var secrets: [CanarySecret] = []
    var answers: [(words: [String], answer: ProgramRun.Answer)] = []
    for words in [
      ["plan", "--out", "p.kp"], ["keys", "set", "own", "--generate", "--yes"], ["apply", "--yes", "--verbose"],
      ["keys", "rotate", "session", "hook", "--yes", "--json"],
      ["keys", "rotate", "session", "--yes", "--verbose"], ["keys", "set", "own", "--generate", "--yes", "--json"],
      ["show", "p.kp"], ["show", "key.session", "--json"], ["keys", "history", "--json"],
      ["records", "--json"], ["records", "history"], ["drift", "--verbose"],
      ["report", "--html", "report.html"], ["apply", "p.kp"], ["keys", "rotate", "own", "--yes"],
    ] {
      answers.append((words, try sandbox.start([Shell.program] + words).wait()))
      for key in ["session", "hook", "own"] {
        let value = try sandbox.keyplan("get", key)
        if value.code == 0 { secrets.append(CanarySecret("\(key) after \(words)", value.out)) }
      }
    }
    #expect(
      Set(secrets.map(\.bytes)).count == 7, "the first session and hook, the rotated, the second session, two of own")
    let search = try CanarySearch(secrets)
    for (words, answer) in answers {
      let found = search.found(in: Data((answer.out + answer.err).utf8))
      #expect(found.isEmpty, "\(words): \(found)")
    }
    for name in sandbox.files() where name != "project/app.env" {
      let bytes = (try? Data(contentsOf: URL(filePath: sandbox.root + "/" + name))) ?? Data()
      #expect(search.found(in: bytes).isEmpty, "\(name)")
    }
    #expect(!search.found(in: Data(try #require(sandbox.content(of: "app.env")))).isEmpty)
  }

  private func check(_ situation: CanaryCase, _ more: [String], on applied: ProgramSandbox) throws {
    let sandbox = try ProgramSandbox(copying: applied)
    try situation.prepare(sandbox)
    let end = situation.arguments.firstIndex(of: "--") ?? situation.arguments.endIndex
    let words = situation.arguments[..<end] + more + situation.arguments[end...]
    let log = sandbox.root + "/strace.log"
    let ran = try sandbox.start(CanaryTrace.command(log) + [Shell.program] + words, input: situation.input).wait()
    let place = "\(situation.name): keyplan \(words.joined(separator: " "))"
    // Those have no form for programs.
    let isTwice = words.firstIndex(of: "--format").map { words[$0 + 1] != "json" } ?? false
    let isRefused =
      more.contains("--json") && (isTwice || ["get", "helper", "run", "init", "metrics"].contains(words.first))
    #expect((isRefused ? [64] : situation.codes).contains(ran.code), "\(place): \(ran.code)\n\(ran.out)\(ran.err)")
    let search = try expectNothing(in: sandbox, ran, situation.allowed, place)

    let allowedStart = situation.allowed["start"] ?? []
    for line in try CanaryTrace(log).own() {
      let path = line.sink.hasPrefix(sandbox.root) ? String(line.sink.dropFirst(sandbox.root.count + 1)) : line.sink
      var allowed = Self.allowed(path, situation.allowed)
      if path.hasSuffix(".out") { allowed.formUnion(situation.allowed["out"] ?? []) }
      if line.isStart { allowed = allowedStart }
      let found = search.found(in: line.text, allowing: allowed)
      #expect(found.isEmpty, "\(place): \(line.call) \(path): \(found)")
      guard line.isStart, situation.arguments.first != "run" else { continue }
      let given = CanaryTrace.variables(of: line)
      #expect(given.isSubset(of: ["PATH", "HOME", "LANG", "TMPDIR", "NAMED"]), "\(place): \(given)")
    }
  }

  /// What was said and what was left behind.
  @discardableResult
  private func expectNothing(
    in sandbox: ProgramSandbox, _ ran: ProgramRun.Answer, _ allowed: [String: Set<String>], _ place: String
  ) throws -> CanarySearch {
    let search = try Self.search.get().adding(Self.identity(of: sandbox))
    let out = search.found(in: Data(ran.out.utf8), allowing: allowed["out"] ?? [])
    #expect(out.isEmpty, "\(place): standard output: \(out)")
    let err = search.found(in: Data(ran.err.utf8))
    #expect(err.isEmpty, "\(place): standard error: \(err)")
    for name in sandbox.files() {
      let bytes = (try? Data(contentsOf: URL(filePath: sandbox.root + "/" + name))) ?? Data()
      let found = search.found(in: bytes, allowing: Self.allowed(name, allowed))
      #expect(found.isEmpty, "\(place): \(name): \(found)")
      #expect(search.found(in: Data(name.utf8)).isEmpty, "\(place): a name: \(name)")
    }
    return search
  }

  private static func allowed(_ name: String, _ more: [String: Set<String>]) -> Set<String> {
    (CanaryProject.sinks[name] ?? []).union(more[name] ?? [])
  }

  /// The identity that the program made, without its begin, which is no secret.
  private static func identity(of sandbox: ProgramSandbox) throws -> [CanarySecret] {
    let text = (try? String(contentsOfFile: sandbox.identity, encoding: .utf8)) ?? ""
    guard let found = text.firstMatch(of: /AGE-SECRET-KEY-1([A-Z0-9]+)/) else { return [] }
    return [CanarySecret("identity", String(found.1))]
  }
}
