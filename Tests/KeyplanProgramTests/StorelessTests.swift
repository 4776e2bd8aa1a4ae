import Foundation
import Testing

/// `run`, `get`, `env` and `plan` in a project that has a manifest and never had a store.
@Suite struct StorelessTests {
  private static let manifest = """
    version: 1
    keys:
      first: { provider: mistral, source: [dotenv://.env#NEW_KEY, dotenv://.env#MISTRAL_API_KEY] }
      second: { provider: mistral, source: env://SECOND }
      own: { provider: generic, variable: OWN, source: json://c.json#/token }
      made: { provider: generic, variable: MADE, source: { generate: { bytes: 20 } } }
      asked: { provider: generic, variable: ASKED, source: [{ command: [./tell.sh] }, dotenv://.env#MISTRAL_API_KEY] }
    active: { assistant: [first, second] }

    """

  private static func project(_ manifest: String = manifest) throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write(manifest, to: "keyplan.yaml")
    try sandbox.write("MISTRAL_API_KEY=value-from-dotenv\n", to: ".env")
    try sandbox.write(#"{"token": "value-from-json"}"#, to: "c.json")
    try sandbox.write("#!/bin/sh\ntouch ran\necho value-from-program\n", to: "tell.sh")
    chmod(sandbox.project + "/tell.sh", 0o755)
    return sandbox
  }

  @Test("run gives a program the values of variables and files, and writes nothing anywhere")
  func run() throws {
    let sandbox = try Self.project()
    let before = sandbox.files()
    let answer = try sandbox.keyplan("run", "--", "sh", "-c", "echo $MISTRAL_API_KEY $OWN ${MADE-none} ${ASKED-none}")
    #expect(answer.code == 0 && answer.out == "value-from-dotenv value-from-json none none\n", "\(answer.err)")
    #expect(answer.err.contains("No store here") && answer.err.contains("keyplan init"))
    for name in ["asked", "made"] { #expect(answer.err.contains("\"\(name)\""), "\(answer.err)") }
    #expect(sandbox.content(of: "ran") == nil)
    #expect(sandbox.files() == before)
    #expect(try sandbox.keyplan("run", "--quiet", "--", "true").err == "")
  }

  @Test("get and env have the same values as run")
  func others() throws {
    let sandbox = try Self.project()
    #expect(try sandbox.keyplan("get", "own").out == "value-from-json")
    #expect(try sandbox.keyplan("get", "active.assistant").out == "value-from-dotenv")
    #expect(
      try sandbox.keyplan("env", "--format", "dotenv-plain").out
        == "MISTRAL_API_KEY=value-from-dotenv\nOWN=value-from-json\n")
    #expect(try sandbox.keyplan("env", "--only", "OWN", "--format", "dotenv-plain").out == "OWN=value-from-json\n")
    let made = try sandbox.keyplan("get", "made")
    #expect(made.code == 1 && made.err.contains("generated") && made.err.contains("keyplan init"))
    let unknown = try sandbox.keyplan("get", "owm")
    #expect(unknown.code == 1 && unknown.err.contains("Did you mean own?"))
  }

  @Test("a slot takes the first of its keys that has a value")
  func slot() throws {
    let sandbox = try Self.project()
    try sandbox.write("", to: ".env")
    sandbox.variables["SECOND"] = "value-of-second"
    #expect(try sandbox.keyplan("get", "active.assistant").out == "value-of-second")
    sandbox.variables["SECOND"] = nil
    #expect(try sandbox.keyplan("get", "active.assistant").code == 1)
  }

  @Test("a list of sources ends at the first one that may not be read")
  func list() throws {
    let sandbox = try Self.project()
    let answer = try sandbox.keyplan("get", "asked")
    #expect(answer.code == 1 && answer.out == "" && answer.err.contains("command"), "\(answer.err)")
    #expect(sandbox.content(of: "ran") == nil)
  }

  @Test(
    "a file outside of the folder is not read, whether its path or a link leads there",
    arguments: ["dotenv://../outside.env#A", "dotenv://link.env#A", "dotenv://folder/outside.env#A", "file://link.env"])
  func outside(source: String) throws {
    let sandbox = try Self.project(
      "version: 1\nkeys: { a: { provider: generic, variable: A, source: \"\(source)\" } }\n")
    try Data("A=value-outside\n".utf8).write(to: URL(filePath: sandbox.root + "/outside.env"))
    symlink("../outside.env", sandbox.project + "/link.env")
    symlink("..", sandbox.project + "/folder")
    let answer = try sandbox.keyplan("get", "a")
    #expect(answer.code != 0 && answer.out == "", "\(answer.out)\(answer.err)")
    #expect(!answer.err.contains("value-outside"))
    #expect(try sandbox.keyplan("run", "--", "sh", "-c", "echo ${A-none}").out == "none\n")
  }

  @Test("a file in a submodule or another repository inside of the folder is not read")
  func submodule() throws {
    let sandbox = try Self.project(
      "version: 1\nkeys: { a: { provider: generic, variable: A, source: dotenv://sub/.env#A } }\n")
    for words in [["git", "init", "-q", "."], ["git", "init", "-q", "sub"]] {
      #expect(try sandbox.start(words).wait().code == 0)
    }
    try sandbox.write("A=value-of-another-project\n", to: "sub/.env")
    let answer = try sandbox.keyplan("get", "a")
    #expect(answer.code == 1 && answer.out == "", "\(answer.out)\(answer.err)")
  }

  @Test("a file in .git is not read")
  func repository() throws {
    let sandbox = try Self.project(
      "version: 1\nkeys: { a: { provider: generic, variable: A, source: file://.git/config } }\n")
    #expect(try sandbox.start(["git", "init", "-q", "."]).wait().code == 0)
    let answer = try sandbox.keyplan("get", "a")
    #expect(answer.code == 1 && answer.out == "", "\(answer.out)\(answer.err)")
  }

  @Test("in CI nothing is said about a value, which a pattern of a branch could ask for", arguments: [true, false])
  func silent(isCI: Bool) throws {
    let sandbox = try Self.project(
      """
      version: 1
      providers: { guess: { format: "value-from-x[a-z]{4}" } }
      keys: { a: { provider: guess, variable: A, source: json://c.json#/token } }

      """)
    if isCI { (sandbox.variables["KEYPLAN_CHECKOUT"], sandbox.variables["KEYPLAN_STORE"]) = (nil, "none") }
    let answer = try sandbox.keyplan("get", "a")
    #expect(answer.code == 0 && answer.err.contains("format") == !isCI, "\(answer.err)")
  }

  /// What says that there is a store, even if none is found.
  enum Sign: String, CaseIterable {
    case lock, deletedLock, folder, pin, storeInManifest, recipients, knownStore, variable
  }

  @Test("a project that has a store is never read without it", arguments: Sign.allCases)
  func signs(sign: Sign) throws {
    let sandbox = try Self.project()
    switch sign {
    case .lock, .deletedLock, .folder, .knownStore:
      #expect(try sandbox.keyplan("init", "--quiet").code == 0)
      let folder = sandbox.project + "/.keyplan"
      try FileManager.default.removeItem(atPath: folder)
      // The store of another environment.
      if sign == .folder {
        mkdir(folder, 0o700)
        try sandbox.write("", to: ".keyplan/staging.db")
      }
      if sign == .deletedLock {
        for words in [["git", "init", "-q", "."], ["git", "add", "keyplan.lock"]] {
          #expect(try sandbox.start(words).wait().code == 0)
        }
      }
      if sign != .knownStore { try FileManager.default.removeItem(atPath: sandbox.home + "/.local/state/keyplan") }
      if sign != .lock { try FileManager.default.removeItem(atPath: sandbox.project + "/keyplan.lock") }
      // Nor does the manifest say so.
      try sandbox.write(Self.manifest, to: "keyplan.yaml")
    case .pin:
      sandbox.variables["KEYPLAN_PIN"] =
        "default \(String(repeating: "0", count: 32)) " + String(repeating: "0", count: 32)
    case .storeInManifest: try sandbox.write(Self.manifest + "store: other.db\n", to: "keyplan.yaml")
    case .recipients:
      let recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
      try sandbox.write(Self.manifest + "recipients: { ada: \(recipient) }\n", to: "keyplan.yaml")
    case .variable: sandbox.variables["KEYPLAN_STORE"] = "other.db"
    }
    _ = try sandbox.keyplan("identity", "new")
    for words in [["get", "own"], ["env"], ["run", "--", "env"]] {
      let answer = try sandbox.start([Shell.program] + words).wait()
      #expect(answer.code == (words[0] == "run" ? 125 : 9), "\(sign) \(words): \(answer.code)\n\(answer.err)")
      #expect(!answer.out.contains("value-from"), "\(sign) \(words)")
    }
    guard sign != .variable else { return }
    sandbox.variables["KEYPLAN_STORE"] = "none"
    let chosen = try sandbox.keyplan("get", "own")
    #expect(chosen.code == 9 && chosen.out == "" && chosen.err.contains("has a store"), "\(sign): \(chosen.err)")
  }

  @Test("in CI, and where the files are not trusted, it has to be chosen", arguments: [true, false])
  func chosen(isCI: Bool) throws {
    let sandbox = try Self.project()
    sandbox.variables["KEYPLAN_CHECKOUT"] = nil
    if isCI { sandbox.variables["CI"] = "true" }
    let refused = try sandbox.keyplan("get", "own")
    #expect(refused.code == 9 && refused.out == "" && refused.err.contains("KEYPLAN_STORE=none"), "\(refused.err)")
    sandbox.variables["KEYPLAN_STORE"] = "none"
    #expect(try sandbox.keyplan("get", "own").out == "value-from-json")
    #expect(try sandbox.keyplan("get", "asked").code == 1)
    #expect(sandbox.content(of: "ran") == nil)
    let plan = try sandbox.keyplan("plan")
    #expect(plan.code == 0 && plan.err.contains("keyplan init"), "\(plan.err)")
  }

  @Test("a schema for editors is no store")
  func schema() throws {
    let sandbox = try Self.project()
    #expect(try sandbox.keyplan("fmt").code == 0)
    try #require(sandbox.content(of: ".keyplan/keyplan.schema.json") != nil)
    #expect(try sandbox.keyplan("get", "own").out == "value-from-json")
  }

  @Test("the word none never names a file, and nothing is made under it")
  func none() throws {
    let sandbox = try Self.project()
    sandbox.variables["KEYPLAN_STORE"] = "none"
    let made = try sandbox.keyplan("init")
    #expect(made.code == 64 && made.err.contains("none"), "\(made.code) \(made.err)")
    #expect(!sandbox.files().contains { $0.hasSuffix("/none") || $0.hasSuffix(".db") })
    for words in [["apply", "--yes"], ["drift"]] {
      let answer = try sandbox.start([Shell.program] + words).wait()
      #expect(answer.code == 9 && answer.err.contains("No store is wanted"), "\(words): \(answer.err)")
    }
  }

  @Test("a rule that the manifest breaks stops everything, and so does an error in it")
  func rules() throws {
    let broken = try Self.project("version: 1\nkeys: { a: { provider: generic, source: nowhere } }\n")
    #expect(try broken.keyplan("get", "a").code == 1)
    let run = try broken.keyplan("run", "--", "true")
    #expect(run.code == 125 && run.err.contains("keyplan.yaml:2"), "\(run.err)")
  }

  @Test("a name that would change how programs run is not exported")
  func names() throws {
    let sandbox = try Self.project(
      "version: 1\nkeys: { a: { provider: generic, variable: LD_PRELOAD, unsafeName: true, source: env://OWN } }\n")
    sandbox.variables["OWN"] = "value-of-variable"
    let answer = try sandbox.keyplan("run", "--", "true")
    #expect(answer.code == 125 && answer.err.contains("LD_PRELOAD"), "\(answer.err)")
  }
}
