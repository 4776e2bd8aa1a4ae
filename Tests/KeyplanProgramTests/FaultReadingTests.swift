import Foundation
import Testing

/// Reading never writes: invariant 9 of the architecture.
@Suite("A command that only reads")
struct FaultReadingTests {
  static let commands = [
    "validate", "plan", "plan --detailed-exitcode", "plan --json", "plan --format markdown", "drift", "drift --json",
    "show", "show --json", "show key.alpha", "show target.app", "get alpha", "get active.main", "env",
    "env --format json",
    "keys", "keys list --json", "identity show", "run -- /bin/true", "--help", "--version",
  ]

  @Test("leaves every file as it was, in content, time and inode", arguments: [false, true])
  func leaves(isChanged: Bool) throws {
    let applied = try FaultProject.applied()
    let sandbox = isChanged ? try FaultProject.changed(applied) : applied
    for command in Self.commands {
      let before = try Self.state(of: sandbox)
      let answer = try sandbox.start([Shell.program] + command.split(separator: " ").map(String.init)).wait()
      #expect([0, 2].contains(answer.code), "\(command): \(answer.code) \(answer.err)")
      #expect(try Self.state(of: sandbox) == before, "\(command) changed something")
    }
  }

  @Test("works where it may not write, as a user without rights")
  func worksReadOnly() throws {
    let sandbox = try FaultProject.changed(try FaultProject.applied())
    let program = sandbox.root + "/keyplan"
    try #require(sandbox.start(["cp", Shell.program, program]).wait().code == 0)
    chmod(sandbox.root, 0o755)
    // Root may write anywhere, so it becomes nobody, to whom everything belongs.
    var become: [String] = []
    if geteuid() == 0 {
      become = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
      try #require(sandbox.start(["chown", "-R", "65534:65534", sandbox.project, sandbox.home]).wait().code == 0)
    }
    try #require(sandbox.start(["chmod", "-R", "a-w", sandbox.project, sandbox.home]).wait().code == 0)
    let before = try Self.state(of: sandbox)
    let tried = try sandbox.start(become + ["/usr/bin/touch", sandbox.project + "/x"]).wait()
    #expect(tried.code != 0, "the folder must be read-only for this test to mean anything")
    for command in Self.commands {
      let answer = try sandbox.start(become + [program] + command.split(separator: " ").map(String.init)).wait()
      // A plan is made, and says of the targets that their owner keeps them from being written, as drift does.
      let isAboutWrites = command.hasPrefix("plan") || command.hasPrefix("drift")
      #expect(
        (isAboutWrites ? [1] : [0, 2]).contains(answer.code), "\(command): \(answer.code) \(answer.out)\(answer.err)")
      #expect(!isAboutWrites || answer.out.contains(" is read-only"), "\(command): \(answer.out)")
    }
    #expect(try Self.state(of: sandbox) == before)
    let apply = try sandbox.start(become + [program, "apply", "--yes", "--allow-forget"]).wait()
    #expect([1, 9].contains(apply.code), "\(apply.code) \(apply.out)\(apply.err)")
    #expect(try Self.state(of: sandbox) == before, "an apply that cannot write has done nothing")
  }

  /// Content and everything that stat says but the time of the last reading.
  private static func state(of sandbox: ProgramSandbox) throws -> [String: String] {
    var state: [String: String] = [:]
    for name in ["project", "home", "tmp"] + sandbox.files() {
      var found = stat()
      try #require(lstat(sandbox.root + "/" + name, &found) == 0)
      let content = (try? Data(contentsOf: URL(filePath: sandbox.root + "/" + name))) ?? Data()
      state[name] =
        "\(found.st_ino) \(found.st_mode) \(found.st_uid) \(found.st_nlink) \(found.st_size) \(found.st_mtim) "
        + "\(found.st_ctim) \(content.base64EncodedString())"
    }
    return state
  }
}
