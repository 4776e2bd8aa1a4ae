import Foundation
import PostgresForTests
import Testing

/// `init`, broken at each of its writing system calls in turn. The same command again completes it.
@Suite("An init that breaks at a system call")
struct FaultInitTests {
  struct Fault: CustomTestStringConvertible {
    let how: String
    let calls: [String]
    var testDescription: String { how }
  }

  static let making = ["openat", "mkdir", "chmod", "fchmod", "pwrite64", "ftruncate", "flock"]
  static let keeping = ["fsync", "fdatasync", "renameat", "renameat2", "unlink", "unlinkat"]
  static let faults = [
    Fault(how: "signal=SIGKILL", calls: making + keeping), Fault(how: "error=ENOSPC", calls: making + keeping),
    Fault(how: "error=EIO", calls: making + keeping),
  ]

  private static func places(in sandbox: ProgramSandbox) -> [String] {
    let (project, home) = (sandbox.project, sandbox.home)
    var places = [sandbox.store, sandbox.store + "-journal", project, project + "/.keyplan", home]
    places += ["/.config", "/.config/keyplan", "/.local", "/.local/state", "/.local/state/keyplan"].map { home + $0 }
    for file in [
      sandbox.identity, home + "/.local/state/keyplan/begun-stores", project + "/keyplan.yaml",
      project + "/keyplan.lock",
      project + "/.keyplan/.gitignore", project + "/.keyplan/keyplan.schema.json",
    ] {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      places += [file, file + ".keyplan-new", name, name + ".keyplan-new"]
    }
    return places
  }

  private func tracer(_ sandbox: ProgramSandbox, _ command: [String] = ["init"]) -> FaultTracer {
    FaultTracer(sandbox, command, at: Self.places(in: sandbox))
  }

  /// The same command again completes what was begun, and then everything is as if nothing had happened.
  private func expectCompleted(
    _ sandbox: ProgramSandbox, like unbroken: [String], _ place: String, by command: [String] = ["init"]
  ) throws {
    let again = try sandbox.start([Shell.program] + command).wait()
    #expect(again.code == 0, "\(place): \(again.code)\n\(again.out)\(again.err)")
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 0, "\(place): \(plan.code)\n\(plan.out)\(plan.err)")
    let pins = String(decoding: sandbox.content(of: "keyplan.lock") ?? [], as: UTF8.self)
    #expect(pins.split(separator: "\n").count == 2, "\(place): \(pins)")
    // What is noted outside the project may be lost, and goes when it is no longer needed.
    let isState = { (name: String) in name.hasPrefix("home/.local") }
    let files = sandbox.files()
    #expect(files.filter { !isState($0) } == unbroken.filter { !isState($0) }, "\(place)")
    // A draft whose lock failed may be another process's, and stays until the next one is made.
    let draft = "home/.local/state/keyplan/begun-stores.keyplan-new"
    #expect(Set(files).subtracting([draft]).isSubset(of: unbroken), "\(place)")
  }

  @Test("is completed by the next one", needsTracer, arguments: faults)
  func completed(fault: Fault) throws {
    try FaultTracer.requireTracer()
    let whole = try ProgramSandbox()
    try #require(whole.keyplan("init").code == 0)
    let unbroken = whole.files()
    var (tried, hit) = (0, 0)
    for call in fault.calls {
      let counted = try tracer(try ProgramSandbox()).count(call)
      for number in FaultTracer.sample(counted, atMost: 4) {
        let sandbox = try ProgramSandbox()
        let place = "\(fault.how) at \(call) \(number) of \(counted)"
        let broken = try tracer(sandbox).apply(breaking: call, fault.how, at: number)
        tried += 1
        hit += broken.isHit ? 1 : 0
        #expect([0, 1, 9, 137].contains(broken.answer.code), "\(place): \(broken.answer.err)")
        try expectCompleted(sandbox, like: unbroken, place)
      }
    }
    print("\(fault.how): \(tried) runs, \(hit) of them broken")
    #expect(tried > 20 && hit * 10 > tried * 8, "most of the faults must have happened")
  }

  @Test(
    "that replaces a lost store is completed by the next one", needsTracer,
    arguments: ["signal=SIGKILL", "error=ENOSPC"])
  func replacing(how: String) throws {
    try FaultTracer.requireTracer()
    let command = ["init", "--new-store", "--yes"]
    func lost() throws -> ProgramSandbox {
      let sandbox = try ProgramSandbox()
      try #require(sandbox.keyplan("init").code == 0)
      try FileManager.default.removeItem(atPath: sandbox.project + "/.keyplan")
      return sandbox
    }
    let whole = try lost()
    try #require(whole.start([Shell.program] + command).wait().code == 0)
    let unbroken = whole.files()
    for call in ["openat", "pwrite64", "fsync", "renameat", "renameat2", "unlink"] {
      let counted = try tracer(try lost(), command).count(call)
      for number in FaultTracer.sample(counted, atMost: 5) {
        let sandbox = try lost()
        _ = try tracer(sandbox, command).apply(breaking: call, how, at: number)
        try expectCompleted(sandbox, like: unbroken, "\(how) at \(call) \(number) of \(counted)", by: command)
      }
    }
  }

  @Test(
    "on a server is completed by the next one", needsServer, needsTracer,
    arguments: ["openat", "renameat", "fsync"])
  func completedOnServer(call: String) throws {
    try FaultTracer.requireTracer()
    let server = try PostgresServer.shared.get()
    let whole = try ProgramSandbox.shared(on: server)
    try #require(whole.keyplan("init").code == 0)
    let unbroken = whole.files()
    let counted = try tracer(try .shared(on: server)).count(call)
    for number in FaultTracer.sample(counted, atMost: 6) {
      let sandbox = try ProgramSandbox.shared(on: server)
      _ = try tracer(sandbox).apply(breaking: call, "signal=SIGKILL", at: number)
      try expectCompleted(sandbox, like: unbroken, "\(call) \(number) of \(counted)")
    }
  }

  /// Killed as `keyplan.lock` gets its name: the store is whole and nothing pins it.
  private func unpinned() throws -> ProgramSandbox {
    let counted = try tracer(try ProgramSandbox()).count("renameat")
    let sandbox = try ProgramSandbox()
    // The last one is the schema for editors.
    _ = try tracer(sandbox).apply(breaking: "renameat", "signal=SIGKILL", at: counted - 1)
    try #require(sandbox.content(of: ".keyplan/default.db") != nil && sandbox.content(of: "keyplan.lock") == nil)
    return sandbox
  }

  @Test(
    "pins the store that it began, and no other that is put in its place", needsTracer,
    arguments: [true, false])
  func replaced(isReplaced: Bool) throws {
    try FaultTracer.requireTracer()
    let sandbox = try unpinned()
    if isReplaced {
      // An attacker's store, which this identity opens, too.
      let other = try ProgramSandbox()
      other.variables["KEYPLAN_IDENTITY"] = sandbox.identity
      try #require(other.keyplan("init").code == 0)
      try sandbox.write(try #require(other.content(of: ".keyplan/default.db")), to: ".keyplan/default.db")
    }
    let again = try sandbox.keyplan("init")
    #expect(again.code == (isReplaced ? 9 : 0), "\(again.out)\(again.err)")
    #expect((sandbox.content(of: "keyplan.lock") == nil) == isReplaced)
    if isReplaced { #expect(again.err.contains("keyplan trust"), "\(again.err)") }
  }

  @Test(
    "does not pin a store to which something has been committed since", needsTracer,
    arguments: [true, false])
  func committed(isCommitted: Bool) throws {
    try FaultTracer.requireTracer()
    let sandbox = try unpinned()
    let state = "../home/.local/state/keyplan/"
    let begun = try #require(sandbox.content(of: state + "begun-stores"))
    // Only a pinned store takes a commit.
    try #require(sandbox.keyplan("init").code == 0)
    if isCommitted {
      try sandbox.write("value\n", to: "value.txt")
      let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
      try sandbox.write(
        manifest.replacing("keys: {}", with: "keys: { a: { provider: generic, source: file://value.txt } }"),
        to: "keyplan.yaml")
      let applied = try sandbox.keyplan("apply", "--yes")
      try #require(applied.code == 0, "\(applied.err)")
    }
    // As before the pin, but for the commit: that this machine began the store is all that speaks for it.
    for name in ["keyplan.lock", state + "known_stores"] { try #require(unlink(sandbox.project + "/" + name) == 0) }
    try sandbox.write(begun, to: state + "begun-stores")
    #expect(chmod(sandbox.project + "/" + state + "begun-stores", 0o600) == 0)
    let again = try sandbox.keyplan("init")
    #expect(again.code == (isCommitted ? 9 : 0), "\(again.out)\(again.err)")
    #expect((sandbox.content(of: "keyplan.lock") == nil) == isCommitted)
    if isCommitted { #expect(again.err.contains("keyplan trust"), "\(again.err)") }
  }

  @Test("completes empty files that an earlier version left behind", arguments: ["identity", "store", "manifest"])
  func empty(file: String) throws {
    let sandbox = try ProgramSandbox()
    let (path, folders) =
      switch file {
      case "identity": (sandbox.identity, [sandbox.home + "/.config", sandbox.home + "/.config/keyplan"])
      case "store": (sandbox.store, [sandbox.project + "/.keyplan"])
      default: (sandbox.project + "/keyplan.yaml", [])
      }
    for folder in folders { try #require(mkdir(folder, 0o700) == 0) }
    try #require(FileManager.default.createFile(atPath: path, contents: nil) && chmod(path, 0o600) == 0)
    let made = try sandbox.keyplan("init")
    #expect(made.code == 0, "\(made.out)\(made.err)")
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }

  @Test("makes nothing where keyplan.lock names a store that is not there, or the manifest other recipients")
  func nothing() throws {
    let manifest = "version: 1\nkeys: {}\n"
    let lock = "default \(String(repeating: "0", count: 32)) \(String(repeating: "1", count: 32))\n"
    let another = "recipients: { o: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p }\n"
    for (files, code) in [
      (["keyplan.yaml": manifest, "keyplan.lock": lock], Int32(9)), (["keyplan.lock": lock], 9),
      (["keyplan.yaml": manifest + another], 7), (["keyplan.yaml": "version: 1\nkeys: []\n"], 1),
    ] {
      let sandbox = try ProgramSandbox()
      for (name, text) in files { try sandbox.write(text, to: name) }
      let before = sandbox.files()
      let answer = try sandbox.keyplan("init")
      #expect(answer.code == code, "\(files.keys): \(answer.out)\(answer.err)")
      #expect(sandbox.files() == before, "\(files.keys)")
    }
  }
}
