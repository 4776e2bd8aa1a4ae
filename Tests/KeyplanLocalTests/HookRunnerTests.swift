import Foundation
import KeyplanLocal
import KeyplanPorts
import TestTools
import Testing

@testable import KeyplanModel

@Suite("Programs that run after a target was written")
struct HookRunnerTests {
  private let scratch: Scratch
  private let runner: HookRunner

  init() throws {
    scratch = try Scratch()
    runner = HookRunner(
      SourceContext(
        scratch,
        variables: [
          "PATH": "/usr/bin:/bin", "HOME": "/home/ada", "TMPDIR": "/tmp", "STAGE": "test", "OTHER": "canary",
          "KEYPLAN_IDENTITY": "canary",
        ]))
  }

  /// The reason why it failed; nil if it did not.
  private func failure(
    _ arguments: [String], seconds: Int64? = nil, variables: [String] = [], directory: String? = nil
  ) async -> String? {
    let hook = Reference(
      scheme: "command", arguments: arguments, timeout: seconds.map { Interval(seconds: $0) }, variables: variables,
      directory: directory, isLocal: true, surface: ExternalAccess(.hook, "x"))
    do throws(AccessFailure) {
      try await runner.run(hook, with: ["KEYPLAN_TARGET": "app"])
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("it gets the usual variables, those that it declares and the target's name, no input, and an empty directory")
  func surroundings() async throws {
    let out = scratch.path + "/out"
    let script = "{ env | sort; cat; ls -A; } > \(out)"
    #expect(await failure(["sh", "-c", script], variables: ["STAGE", "KEYPLAN_IDENTITY"]) == nil)
    let lines = try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n").map(String.init)
    let own = lines.filter {
      !$0.hasPrefix("PWD=") && !$0.hasPrefix("OLDPWD=") && !$0.hasPrefix("_=") && !$0.hasPrefix("SHLVL=")
    }
    #expect(own == ["HOME=/home/ada", "KEYPLAN_TARGET=app", "PATH=/usr/bin:/bin", "STAGE=test", "TMPDIR=/tmp"])
    #expect(lines.contains { $0.hasPrefix("PWD=/tmp/keyplan-command-") })
  }

  @Test("its output is dropped, however much it is; only the exit code counts")
  func output() async {
    #expect(await failure(["sh", "-c", "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"]) == nil)
    let reason = await failure(["sh", "-c", "echo canary; echo canary >&2; exit 3"])
    #expect(reason == "\"sh\" failed with exit code 3. Run it manually to see why.")
  }

  @Test("after its time it is killed with all that it started, and so is what it leaves running")
  func timeout() async throws {
    let pids = scratch.path + "/pids"
    let late = await failure(["sh", "-c", "sleep 600 & echo $! > \(pids); sleep 600"], seconds: 1)
    #expect(late?.contains("did not finish within") == true)
    #expect(await failure(["sh", "-c", "sleep 600 > /dev/null 2>&1 & echo $! >> \(pids)"]) == nil)
    let started = try String(contentsOfFile: pids, encoding: .utf8).split(separator: "\n").compactMap { Int32($0) }
    #expect(started.count == 2)
    for pid in started { try await expectGone(pid) }
  }

  private func expectGone(_ pid: Int32) async throws {
    var tries = 0
    while isRunning(pid), tries < 500 {
      try await Task.sleep(for: .milliseconds(10))
      tries += 1
    }
    #expect(!isRunning(pid), "\(pid) still runs")
  }

  private func isRunning(_ pid: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    return status.split(separator: ")").last?.split(separator: " ").first != "Z"
  }

  @Test("a program of the work tree runs by its path, and none that is not there")
  func programs() async throws {
    try scratch.write("#!/bin/sh\nexit 0\n", to: "reload", mode: 0o700)
    #expect(await failure(["./reload"]) == nil)
    #expect(await failure(["reload"])?.contains("not found") == true)
    #expect(await failure(["sh", "-c", "test -e reload"], directory: ".") == nil)
    #expect(await failure(["sh", "-c", "test -e reload"]) != nil)
  }
}
