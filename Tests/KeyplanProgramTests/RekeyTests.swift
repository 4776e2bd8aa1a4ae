import Foundation
import Testing

/// `keyplan store rekey`: everything is encrypted anew, and nothing of what was before is left in the file.
@Suite("A store with a new root key")
struct RekeyTests {
  private static func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write(
      "version: 1\nkeys: { a: { provider: generic, source: file://a.txt, variable: A } }\n", to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    for value in ["value-1", "value-2"] {
      try sandbox.write(value + "\n", to: "a.txt")
      try #require(sandbox.keyplan("apply", "--yes").code == 0)
    }
    return sandbox
  }

  /// What is sealed in the store, in hexadecimal.
  private static func sealed(in sandbox: ProgramSandbox) throws -> [String] {
    let script =
      "import sqlite3,sys\nfor t in ['records','secrets']:\n"
      + "  for (s,) in sqlite3.connect(sys.argv[1]).execute('SELECT sealed FROM '+t): print(s.hex())"
    let answer = try sandbox.start(["python3", "-c", script, sandbox.store]).wait()
    return answer.out.split(separator: "\n").map(String.init)
  }

  @Test("has the same values and history, and no byte of the old ciphertext is left in its folder")
  func rekeyed() throws {
    let sandbox = try Self.sandbox()
    let history = try sandbox.keyplan("keys", "history", "a").out
    let old = try Self.sealed(in: sandbox)
    try #require(old.count == 4)
    let rekeyed = try sandbox.keyplan("store", "rekey", "--yes")
    #expect(rekeyed.code == 0 && rekeyed.out.contains("fresh root key"), "\(rekeyed.out)\(rekeyed.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
    #expect(try sandbox.keyplan("keys", "history", "a").out.count == history.count)
    let fresh = try Self.sealed(in: sandbox)
    #expect(fresh.count == 4 && Set(fresh).isDisjoint(with: old))
    for name in sandbox.files(in: ["project"]) {
      let bytes = (try? Data(contentsOf: URL(filePath: sandbox.root + "/" + name))) ?? Data()
      let text = bytes.map { String(format: "%02x", $0) }.joined()
      for row in old { #expect(!text.contains(row.prefix(64)) && !text.contains(row.suffix(64)), "\(name)") }
    }
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }

  @Test("loses nothing if it is killed at a system call, and the next run completes it")
  func killed() throws {
    try FaultTracer.requireTracer()
    let applied = try Self.sandbox()
    var hit = 0
    for call in ["pwrite64", "fdatasync", "renameat", "unlink"] {
      for number in [1, 2, 4] {
        let sandbox = try ProgramSandbox(copying: applied)
        let broken = try sandbox.start([
          "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
          "inject=\(call):signal=SIGKILL:when=\(number)", Shell.program, "store", "rekey", "--yes",
        ]).wait()
        if broken.code != 0 { hit += 1 }
        let place = "\(call) \(number): \(broken.code)"
        let get = try sandbox.keyplan("get", "a")
        #expect(get.code == 0 && get.out == "value-2", "\(place): \(get.err)")
        let again = try sandbox.keyplan("store", "rekey", "--yes")
        #expect(again.code == 0, "\(place): \(again.out)\(again.err)")
        #expect(try sandbox.keyplan("get", "a").out == "value-2", "\(place)")
        #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0, "\(place)")
      }
    }
    #expect(hit > 6, "most of the faults must have happened")
  }

  @Test("is read, planned and applied by others while the root key is replaced again and again")
  func meanwhile() throws {
    let sandbox = try Self.sandbox()
    let replacing = try sandbox.start([
      "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do \"$0\" store rekey --yes --lock-timeout 60s || exit 1; done",
      Shell.program,
    ])
    var rounds = 0
    while !replacing.hasEnded {
      rounds += 1
      try sandbox.write("value-\(rounds + 2)\n", to: "a.txt")
      for words in [
        ["get", "a"], ["run", "--", "true"], ["plan"], ["drift"], ["apply", "--yes", "--lock-timeout", "60s"],
      ] {
        let answer = try sandbox.start([Shell.program] + words).wait()
        // What drift finds is the value that is not applied yet.
        let isExpected = answer.code == 0 || words[0] == "drift" && answer.code == 2
        #expect(isExpected, "\(words): \(answer.code) \(answer.out)\(answer.err)")
      }
    }
    #expect(replacing.wait().code == 0 && rounds > 1)
    #expect(try sandbox.keyplan("get", "a").out == "value-\(rounds + 2)")
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
  }
}
