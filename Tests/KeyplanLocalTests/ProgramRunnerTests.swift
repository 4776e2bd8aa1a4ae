import Foundation
import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@Suite("Programs that keyplan runs")
struct ProgramRunnerTests {
  private let scratch: Scratch
  private let runner: ProgramRunner

  init() throws {
    scratch = try Scratch()
    runner = ProgramRunner(
      SourceContext(
        scratch,
        variables: [
          "PATH": "\(scratch.path):/usr/bin:/bin", "HOME": "/home/ada", "LANG": "C", "TMPDIR": "/tmp",
          "OTHER": "canary",
          "KEYPLAN_IDENTITY": "canary",
        ]))
  }

  private func run(_ script: String, input: String? = nil, seconds: Int64 = 30) async -> Ended {
    var call = ProgramCall(["sh", "-c", script])
    call.input = input.map { SecretBox(Array($0.utf8)) }
    call.timeout = Interval(seconds: seconds)
    return Ended(await runner.run(call))
  }

  @Test("the input arrives whole, by a pipe, and the output comes back to the last byte")
  func input() async {
    #expect(await run("cat", input: "a\nb\n") == .code(0, "a\nb\n", ""))
    #expect(await run("test -p /dev/stdin && echo pipe", input: "x") == .code(0, "pipe\n", ""))
    let large = String(repeating: "0123456789abcdef", count: 60_000)
    #expect(await run("cat", input: large) == .code(0, large, ""))
    #expect(await run("cat; echo none") == .code(0, "none\n", ""))
    #expect(await run("cat; echo none", input: "") == .code(0, "none\n", ""))
  }

  @Test("a program that does not read its input ends as usual")
  func unread() async {
    #expect(await run("exec <&-; exit 4", input: String(repeating: "x", count: 900_000)) == .code(4, "", ""))
  }

  @Test("an input that no pipe can hold is refused before the program starts")
  func tooMuchInput() async {
    guard
      case .failed(let reason) = await run("touch \(scratch.path)/ran", input: String(repeating: "x", count: 1_048_577))
    else {
      Issue.record("it ran")
      return
    }
    #expect(reason == "\"sh\" could not be started: its input does not fit into a pipe.")
    #expect(try! scratch.names() == [])
  }

  @Test("the exit code and both outputs are the result; of the standard error only the beginning is kept")
  func outputs() async {
    #expect(await run("echo out; echo err >&2; exit 3") == .code(3, "out\n", "err\n"))
    let result = await run("head -c 200000 /dev/zero | tr '\\0' e >&2; echo done")
    #expect(result == .code(0, "done\n", String(repeating: "e", count: 64 << 10)))
    #expect(await run("yes canary") == .failed("\"sh\" wrote more than 1 MiB."))
    #expect(await run("kill -9 $$") == .failed("\"sh\" was terminated by signal 9."))
  }

  @Test("it gets the allow-list and what the call names; PATH has no entry of the work tree")
  func variables() async {
    var call = ProgramCall(["env"])
    call.variables = ["GNUPGHOME": "/g", "KEYPLAN_IDENTITY": "x", "PATH": "/other"]
    guard case .code(0, let text, _) = Ended(await runner.run(call)) else {
      Issue.record("it did not run")
      return
    }
    #expect(
      text.split(separator: "\n").sorted() == [
        "GNUPGHOME=/g", "HOME=/home/ada", "LANG=C", "PATH=/usr/bin:/bin", "TMPDIR=/tmp",
      ])
  }

  @Test("a program of the work tree is not found by its name")
  func workTree() async throws {
    try scratch.write("#!/bin/sh\necho theirs\n", to: "only-here", mode: 0o700)
    guard case .failed = Ended(await runner.run(ProgramCall(["only-here"]))) else {
      Issue.record("it ran")
      return
    }
    #expect(Ended(await runner.run(ProgramCall([scratch["only-here"]]))) == .code(0, "theirs\n", ""))
  }

  @Test("what a program leaves running in its session is killed, at its end and at the time-out")
  func leftovers() async throws {
    #expect(await run("sleep 60 & echo $!").code == 0)
    guard case .code(0, let text, _) = await run("sleep 60 >/dev/null 2>&1 & echo $!") else {
      Issue.record("it did not run")
      return
    }
    try await expectGone(try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))))
    let late = await run("echo $$ > \(scratch.path)/pid; sleep 60", input: "x", seconds: 2)
    #expect(late == .failed("\"sh\" did not finish within 2 seconds and was stopped."))
    try await expectGone(try #require(pid_t(try scratch.text("pid").trimmingCharacters(in: .whitespacesAndNewlines))))
  }

  private func expectGone(_ id: pid_t) async throws {
    var tries = 0
    while isRunning(id), tries < 500 {
      try await Task.sleep(for: .milliseconds(10))
      tries += 1
    }
    #expect(!isRunning(id), "\(id) still runs")
  }

  private func isRunning(_ id: pid_t) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return false }
    return status.split(separator: ")").last?.split(separator: " ").first != "Z"
  }
}

/// A result as it can be compared.
private enum Ended: Equatable {
  case code(Int32, String, String), failed(String)

  var code: Int32? { if case .code(let code, _, _) = self { code } else { nil } }

  init(_ result: ProgramResult) {
    func text(_ secret: SecretBox) -> String { secret.withBytes { String(decoding: $0, as: UTF8.self) } }
    self =
      switch result {
      case .ended(let code, let output, let error): .code(code, text(output), text(error))
      case .failed(let reason): .failed(reason)
      }
  }
}
