import Foundation
import Testing

/// What the program needs of the system before it can do anything.
@Suite("A start")
struct StartTests {
  /// Whether this user may make a mount namespace, and mount in it.
  static let mayMount: Bool = {
    let run = try? ProgramRun.start(
      hidden + ["/bin/true"], ["PATH": "/usr/bin:/bin"], in: "/tmp", .none,
      NSTemporaryDirectory() + "keyplan-mount-\(getpid())")
    return run?.wait().code == 0
  }()

  /// Runs a program with an empty directory in the place of /proc; without root in a namespace of its own users.
  private static let hidden =
    ["unshare"] + (geteuid() == 0 ? ["-m"] : ["-U", "-r", "-m"]) + [
      "/bin/sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh",
    ]

  @Test(
    "knows its arguments without /proc",
    .enabled(if: mayMount, "SKIPPED: needs root, or leave to make namespaces (unshare)"))
  func withoutProc() throws {
    let sandbox = try FaultProject.applied()
    func run(_ words: String...) throws -> ProgramRun.Answer {
      try sandbox.start(Self.hidden + [Shell.program] + words).wait()
    }
    try check(run)
    // Tasks need it: the scheduler of Swift's ends the program, now and then, where it is missing.
    let plan = try run("plan", "--detailed-exitcode")
    #expect(plan.code == 1 && plan.err.contains("mount -t proc"), "\(plan.code) \(plan.err)")
  }

  @Test("knows its arguments where /proc/self/cmdline cannot be read", needsTracer)
  func unreadable() throws {
    try FaultTracer.requireTracer()
    let sandbox = try FaultProject.applied()
    func run(_ words: String...) throws -> ProgramRun.Answer {
      try sandbox.start(
        ["strace", "-f", "-o", sandbox.root + "/strace.log", "-P", "/proc/self/cmdline"]
          + ["-e", "inject=open,openat:error=ENOENT", Shell.program] + words
      ).wait()
    }
    try check(run)
    let plan = try run("plan", "--detailed-exitcode")
    #expect(plan.code == 0, "\(plan.out)\(plan.err)")
  }

  private func check(_ run: (String...) throws -> ProgramRun.Answer) throws {
    #expect(try run("get", "gamma").out == "gamma-1")
    let wrong = try run("get", "nothing")
    #expect(wrong.code == 1 && wrong.out == "", "\(wrong.out)\(wrong.err)")
    let unknown = try run("frobnicate", "a b")
    #expect(unknown.code == 64 && unknown.err.contains("frobnicate"), "\(unknown.out)\(unknown.err)")
    #expect(try run("run", "--", "/bin/echo", "a  b", "").out == "a  b \n")
  }

  @Test(
    "that may use too little says which limit it is, and neither crashes nor hangs",
    arguments: ["-n 3", "-n 4", "-n 8", "-n 16", "-n 24", "-v 60000", "-v 100000", "-v 200000", "-v 400000"])
  func limited(limit: String) throws {
    let sandbox = try FaultProject.applied()
    for command in ["plan", "get gamma", "apply --yes", "env", "keys"] {
      let run = try sandbox.start(["/bin/sh", "-c", "ulimit \(limit) && exec \"$0\" \(command)", Shell.program])
      let answer = run.wait()
      // A loader that lacks a file or memory says so before the program begins.
      #expect([0, 1, 127].contains(answer.code), "\(command): \(answer.code) \(answer.err)")
      if answer.code != 0 {
        #expect(answer.err.contains("imit") || answer.err.contains("error while loading"), "\(answer.err)")
      }
    }
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }

  /// A user that nobody else is, so that no other process counts. Root is exempt from the limit.
  private static let nobodyElse = 64_321

  @Test(
    "that may start too few processes says so, and does not hang",
    .enabled(if: geteuid() == 0, "SKIPPED: needs root, to become a user without other processes"),
    arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16])
  func processes(limit: Int) throws {
    let sandbox = try FaultProject.applied()
    let user = "\(Self.nobodyElse + limit)"
    try #require(try sandbox.start(["chown", "-R", "\(user):\(user)", sandbox.root]).wait().code == 0)
    for command in [["plan"], ["drift"], ["get", "gamma"], ["env"], ["run", "--", "true"]] {
      let words = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "prlimit", "--nproc=\(limit)"]
      let answer = try sandbox.start(words + [Shell.program] + command).wait()
      #expect([0, 1].contains(answer.code), "\(command): \(answer.code) \(answer.err)")
      if answer.code != 0 {
        #expect(["plan", "drift"].contains(command[0]) && answer.err.contains("limit"), "\(answer.err)")
      }
    }
    // A store on a server needs tasks for every command.
    sandbox.variables["KEYPLAN_STORE"] = "postgres://127.0.0.1:1/nobody"
    let words = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "prlimit", "--nproc=\(limit)"]
    let asking = try sandbox.start(words + [Shell.program, "get", "gamma"]).wait()
    #expect(asking.code != 0 && ["limit", "unreachable"].contains { asking.err.contains($0) }, "\(asking)")
    sandbox.variables["KEYPLAN_STORE"] = nil
    let refused = try sandbox.start(
      ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "prlimit", "--nproc=1", Shell.program, "plan"]
    ).wait()
    #expect(refused.code == 1 && refused.err.hasPrefix("error: Process limit too low\n"), "\(refused)")
  }
}
