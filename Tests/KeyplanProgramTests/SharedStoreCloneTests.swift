import Foundation
import PostgresForTests
import Testing

/// A store whose address does not say `project=` is called after the manifest's folder, and clones have folders of other names.
@Suite("A shared store whose address names no project", needsServer)
struct SharedStoreCloneTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  /// A project that was applied, in a schema of its own, with the address in the environment.
  private func applied(_ schema: String) throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    sandbox.variables["KEYPLAN_STORE"] = server.address("schema=\(schema)")
    try sandbox.write("version: 1\nkeys: { a: { provider: generic, source: file://a.txt } }\n", to: "keyplan.yaml")
    try sandbox.write("made-up-value\n", to: "a.txt")
    for command in [["init"], ["apply", "--yes"]] {
      let answer = try sandbox.start([Shell.program] + command).wait()
      try #require(answer.code == 0, "\(answer.err)")
    }
    return sandbox
  }

  /// Runs the program for the manifest of another folder beside the project.
  private func keyplan(
    in folder: String, of sandbox: ProgramSandbox, _ words: String...
  ) throws -> ProgramRun.Answer {
    let manifest = ["--manifest", "\(sandbox.root)/\(folder)/keyplan.yaml"]
    return try sandbox.start([Shell.program] + words + manifest).wait()
  }

  /// Without the line breaks of a narrow pipe.
  private func flat(_ text: String) -> String { text.split { $0.isWhitespace }.joined(separator: " ") }

  private func clone(_ sandbox: ProgramSandbox, as folder: String) throws {
    try FileManager.default.copyItem(atPath: sandbox.project, toPath: sandbox.root + "/" + folder)
  }

  private func pin(of sandbox: ProgramSandbox) throws -> [String] {
    let lock = String(decoding: try #require(sandbox.content(of: "keyplan.lock")), as: UTF8.self)
    let line = try #require(lock.split(separator: "\n").first { $0.hasPrefix("default ") })
    return line.split(separator: " ").map(String.init)
  }

  @Test("is found from a clone in another folder by the id in keyplan.lock, and confirmed there once")
  func clone() throws {
    let sandbox = try applied("clones")
    try clone(sandbox, as: "elsewhere")
    let unknown = try keyplan(in: "elsewhere", of: sandbox, "plan")
    #expect(unknown.code == 9 && unknown.err.contains("project=project"), "\(unknown.out)\(unknown.err)")
    #expect(unknown.err.contains("keyplan trust"), "\(unknown.err)")

    let pin = try pin(of: sandbox)
    let trusted = try keyplan(in: "elsewhere", of: sandbox, "trust", "--store-id", pin[1], "--root", pin[2])
    #expect(trusted.code == 0, "\(trusted.err)")
    #expect(try keyplan(in: "elsewhere", of: sandbox, "plan").code == 0)
    #expect(try keyplan(in: "elsewhere", of: sandbox, "get", "a").out == "made-up-value")
    #expect(try keyplan(in: "elsewhere", of: sandbox, "init").out.contains("kept"))
    #expect(try server.sql("SELECT count(*) FROM clones.stores") == "1", "no second store was made")

    let notLost = try keyplan(in: "elsewhere", of: sandbox, "init", "--new-store", "--yes")
    #expect(notLost.code == 1 && notLost.err.contains("add project=NAME"), "\(notLost.out)\(notLost.err)")
    let address = try #require(sandbox.variables["KEYPLAN_STORE"])
    sandbox.variables["KEYPLAN_STORE"] = address + "&project=own"
    #expect(try keyplan(in: "elsewhere", of: sandbox, "init", "--new-store", "--yes").code == 0)
    #expect(try server.sql("SELECT count(*) FROM clones.stores") == "2")

    sandbox.variables["KEYPLAN_STORE"] = nil
    let nowhere = try keyplan(in: "elsewhere", of: sandbox, "plan")
    #expect(nowhere.code == 9 && flat(nowhere.err).contains("This machine used it at postgres://"), "\(nowhere.err)")
  }

  @Test("is found by the id in keyplan.lock without a question where KEYPLAN_PIN names the same store")
  func pinned() throws {
    let sandbox = try applied("pinned")
    try clone(sandbox, as: "elsewhere")
    sandbox.variables["KEYPLAN_PIN"] = try pin(of: sandbox).joined(separator: " ")
    let plan = try keyplan(in: "elsewhere", of: sandbox, "plan")
    #expect(plan.code == 0, "\(plan.out)\(plan.err)")
  }

  @Test(
    "named by the manifest is shown and confirmed on a terminal, and refused elsewhere without contacting the server")
  func manifest() throws {
    let sandbox = try applied("written")
    let address = try #require(sandbox.variables["KEYPLAN_STORE"])
    try sandbox.edit("keyplan.yaml") { $0 + "store: \(address)\n" }
    sandbox.variables["KEYPLAN_STORE"] = nil
    try clone(sandbox, as: "elsewhere")
    let refused = try keyplan(in: "elsewhere", of: sandbox, "plan")
    #expect(refused.code == 9 && refused.err.contains("Unknown store"), "\(refused.err)")
    let terminal = try Terminal()
    let manifest = "\(sandbox.root)/elsewhere/keyplan.yaml"
    let asking = try sandbox.start(
      ["setsid", "--ctty", "--wait", Shell.program, "plan", "--manifest", manifest], input: .file(terminal.path))
    let deadline = Deadline()
    while !asking.err.contains("  credential  "), !asking.hasEnded, !deadline.isOver { usleep(1000) }
    #expect(!asking.err.contains("recipients"), "it was opened before the question: \(asking.err)")
    try terminal.type("yes\n")
    while !asking.err.contains("recipients"), !asking.hasEnded, !deadline.isOver { usleep(1000) }
    try terminal.type("yes\n")
    let asked = asking.wait()
    #expect(asked.code == 0 && asked.err.contains("(project/default)"), "\(asked.out)\(asked.err)")
    // From then on this machine knows it.
    let again = try sandbox.start(
      ["setsid", "--ctty", "--wait", Shell.program, "plan", "--manifest", manifest], input: .file(terminal.path)
    ).wait()
    #expect(again.code == 0 && !again.err.contains("  credential  "), "\(again.out)\(again.err)")
  }

  @Test(
    "on a server that only the manifest names is not contacted before a person has seen which credential goes where",
    arguments: [["plan"], ["doctor"], ["keys", "list"], ["unlock"], ["trust"], ["init"], ["drift"], ["get", "a"]])
  func contact(command: [String]) throws {
    let sandbox = try ProgramSandbox()
    sandbox.variables["GITHUB_TOKEN"] = "made-up-token"
    let listener = try Listener()
    // As a person at a terminal has it, in a clone of somebody's repository.
    sandbox.variables["KEYPLAN_CHECKOUT"] = "trusted"
    try #require(sandbox.keyplan("identity", "new").code == 0)
    try sandbox.write(
      """
      version: 1
      keys: { a: { provider: generic, source: file://a.txt } }
      store: { url: "postgres://keyplan@127.0.0.1:\(listener.port)/x?sslmode=disable", password: "env://GITHUB_TOKEN" }

      """, to: "keyplan.yaml")
    let terminal = try Terminal()
    let asking = try sandbox.start(
      ["setsid", "--ctty", "--wait", Shell.program] + command, input: .file(terminal.path))
    let deadline = Deadline()
    while !asking.err.contains("  credential  "), !asking.hasEnded, !deadline.isOver { usleep(1000) }
    try terminal.type("no\n")
    let asked = asking.wait()
    #expect(asked.code == 9, "\(asked.code) \(asked.out)\(asked.err)")
    #expect(
      asked.err.contains("env://GITHUB_TOKEN") && asked.err.contains("127.0.0.1:\(listener.port)/x"), "\(asked.err)")
    // Where nobody can be asked, the answer is no, whatever else the job knows.
    sandbox.variables["PGPASSWORD"] = "made-up-password"
    for (name, value) in [("KEYPLAN_CHECKOUT", "trusted"), ("KEYPLAN_CHECKOUT", nil), ("CI", "true")] {
      sandbox.variables[name] = value
      let refused = try sandbox.start([Shell.program] + command).wait()
      #expect(
        refused.code == 9 && (refused.out + refused.err).contains("Set KEYPLAN_STORE to"),
        "\(refused.code) \(refused.out)\(refused.err)")
    }
    #expect(!listener.wasContacted)
  }

  @Test("is not another project's because a pull request puts that one's id into keyplan.lock")
  func copiedLine() throws {
    let sandbox = try applied("copied")
    // Another project on the same machine and in the same schema, and a checkout of it that this machine has not seen.
    let other = sandbox.root + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    try Data("version: 1\n".utf8).write(to: URL(filePath: other + "/keyplan.yaml"))
    try #require(keyplan(in: "other", of: sandbox, "init").code == 0)
    try FileManager.default.copyItem(atPath: other, toPath: sandbox.root + "/fresh")
    let line = try pin(of: sandbox).joined(separator: " ") + "\n"
    sandbox.variables["CI"] = "true"
    for checkout in ["untrusted", "trusted"] {
      sandbox.variables["KEYPLAN_CHECKOUT"] = checkout
      for folder in ["other", "fresh"] {
        try Data(line.utf8).write(to: URL(filePath: "\(sandbox.root)/\(folder)/keyplan.lock"))
        for command in [["plan"], ["keys", "list"], ["get", "a"], ["show", "key.a"], ["drift"]] {
          let manifest = ["--manifest", "\(sandbox.root)/\(folder)/keyplan.yaml"]
          let answer = try sandbox.start([Shell.program] + command + manifest).wait()
          #expect(answer.code == 9, "\(folder) \(command): \(answer.code) \(answer.out)\(answer.err)")
          #expect(!(answer.out + answer.err).contains("made-up-value"))
          #expect(!answer.out.contains("key.a"), "\(answer.out)")
        }
      }
    }
  }

  @Test("is not looked for on a server that only this machine knows: the address says where to connect")
  func otherServer() throws {
    let sandbox = try applied("apart")
    try clone(sandbox, as: "elsewhere")
    // Nobody listens there: a program that contacts it ends with 8.
    sandbox.variables["KEYPLAN_STORE"] = "postgres://keyplan@127.0.0.1:9/keys?sslmode=disable"
    let answer = try keyplan(in: "elsewhere", of: sandbox, "plan")
    #expect(answer.code == 8 && answer.out.isEmpty, "\(answer.code) \(answer.out)\(answer.err)")
  }

  @Test("and a store that is still in its file is reported as that, with the command that moves it")
  func notMoved() throws {
    let sandbox = try FaultProject.applied()
    let address = server.address("schema=unmoved")
    try server.sql("DROP SCHEMA IF EXISTS unmoved CASCADE")
    sandbox.variables["KEYPLAN_STORE"] = address
    for command in ["plan", "drift", "init"] {
      let answer = try sandbox.keyplan(command)
      #expect(
        answer.code == 9 && answer.err.contains("Store was not moved"), "\(command): \(answer.code) \(answer.err)")
      let hint = "To move it there: keyplan store move --store .keyplan/default.db --to \"$KEYPLAN_STORE\""
      #expect(flat(answer.err).contains(hint), "\(answer.err)")
    }
    // The same where the manifest has the address, which this machine does not know.
    sandbox.variables["KEYPLAN_STORE"] = nil
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(manifest + "store: \(address)\n", to: "keyplan.yaml")
    let answer = try sandbox.keyplan("plan")
    #expect(answer.code == 9 && answer.err.contains("Store was not moved"), "\(answer.code) \(answer.err)")
    let command = try #require(flat(answer.err).firstMatch(of: /keyplan (store move --store .+ --to '[^']+')/)?.1)
    let moved = try sandbox.start(["sh", "-c", "'\(Shell.program)' \(command) --yes"]).wait()
    #expect(moved.code == 0, "\(command): \(moved.out)\(moved.err)")
    #expect(try sandbox.keyplan("plan").code == 0)
  }
}

/// A port at which nobody is to call.
private final class Listener {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(made, $0, size) == 0 && listen(made, 8) == 0 && getsockname(made, $0, &size) == 0
      }
    }
    try #require(isBound)
    (descriptor, port) = (made, UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// Whether somebody waits to be answered.
  var wasContacted: Bool {
    var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&question, 1, 0) > 0
  }
}
