import Foundation
import Testing

/// With `--json` every command writes one document to standard output, whatever happens, and it fits the command's schema.
///
/// All commands are held to it: those that the program has and this table lacks are a fault.
@Suite(
  "With --json",
  .enabled(if: Python.path != nil || Python.isCI, "run make setup-test: jsonschema in KEYPLAN_TEST_PYTHON"))
struct JSONErrorTests {
  /// How each command is called, and the schema of what it writes; nil for those that write no JSON and refuse it.
  private static let commands: [(words: [String], schema: String?)] = [
    (["plan"], "plan"), (["apply", "--yes"], "apply"), (["drift"], "drift"), (["verify"], "verify"),
    (["report"], "report"), (["metrics"], nil), (["validate"], "diagnostics"),
    (["accept", "key.one"], "apply"), (["show"], "show"), (["keys", "list"], "keys"),
    (["keys", "set", "given", "--yes", "--from-file", "one.secret"], "apply"),
    (["keys", "history"], "history"), (["keys", "move", "one", "two", "--yes"], "apply"),
    (["records", "list"], "show"), (["records", "history"], "history"), (["records", "show", "target.app"], "show"),
    (["keys", "show", "one"], "show"), (["keys", "forget", "one", "--yes"], "apply"),
    (["records", "forget", "target.app", "--yes"], "apply"), (["keys", "rollback", "one", "--yes"], "apply"),
    (["identity", "show"], "identity"), (["identity", "new", "--identity", "new.txt"], "identity"),
    (["ci", "github"], "ci"), (["unlock"], "unlock"), (["doctor"], "doctor"), (["backends"], "backends"),
    (["providers"], "providers"),
    (["backend", "check", "app", "--yes"], "backendCheck"),
    (["calendar", "sign-in", "work"], "apply"), (["calendar", "sign-out", "work", "--yes"], "apply"),
    (["calendar", "status"], "calendarStatus"), (["calendar", "refresh", "--all"], "calendarRefresh"),
    (["calendar", "list", "work"], "calendarList"), (["calendar", "events", "work"], "calendarEvents"),
    (["calendar", "token", "work"], nil),
    (["init"], nil), (["fmt"], nil), (["get", "one"], nil),
    (["helper", "git", "one", "--host", "h.example", "get"], nil),
    (["helper", "docker", "one", "--host", "h.example", "--username", "a", "get"], nil),
    (["helper", "aws", "one"], nil), (["helper", "kubernetes", "one", "--host", "h.example"], nil),
    (["helper", "headers", "one", "--host", "h.example"], nil),
    (["helper", "keyring", "one", "--host", "h.example"], nil),
    (["run"], nil), (["watch"], nil), (["generate", "swift"], nil), (["trust"], nil),
    (["backup", "backup.age"], "backup"),
    (["restore", "backup.age", "--check"], "restore"), (["restore", "backup.age", "--yes"], "restore"),
    (["keys", "add", "new", "--provider", "generic"], nil), (["keys", "activate", "one"], nil),
    (["keys", "rename", "one", "other"], nil), (["keys", "remove", "one", "--yes"], nil),
    (["keys", "rotate", "one", "--yes"], "apply"), (["keys", "revoke", "one", "--yes"], "apply"),
    (["keys", "purge", "one", "--yes"], "apply"),
    (["destroy", "--yes"], "apply"), (["store", "rekey", "--yes"], "apply"),
    // Last: the store is gone from there then.
    (["store", "move", "--to", "s/s.db", "--yes"], "storeMove"),
    // Last too: the other commands are to run with the identity that opens the store.
    (["identity", "replace", "--new", "next.txt"], "identity"),
  ]

  /// `env` writes variables or nothing: whatever reads it would take `exitCode` for one. The others have no options at all.
  private static let exceptions = ["env", "schema", "completions"]

  private static let manifest = """
    version: 1
    keys:
      one: { provider: generic, source: file://one.secret }
      given: { provider: generic }
    targets:
      app: { type: dotenv, path: .env.local, keys: { ONE: one } }

    """

  /// What can be wrong, and how it is brought about in a project in which everything is applied.
  private static let troubles: [(name: String, options: [String], make: @Sendable (ProgramSandbox) throws -> Void)] = [
    ("nothing", [], { _ in }),
    ("another subject", ["key.nope"], { _ in }),
    ("an option that is none", ["--nope"], { _ in }),
    ("a value that is none", ["--color", "pink"], { _ in }),
    ("an environment that is none", ["-e", "nope"], { _ in }),
    ("no manifest", ["-f", "nowhere.yaml"], { _ in }),
    ("no identity", ["--identity", "nowhere.txt"], { _ in }),
    ("a manifest with errors", [], { try $0.write(manifest + "surplus: 1\ntargets: {}\n", to: "keyplan.yaml") }),
    ("a manifest that is no text", [], { try $0.write([0xff, 0xfe, 0x00], to: "keyplan.yaml") }),
    ("no choice among environments", [], { try $0.write("keys: {}\n", to: "keyplan.staging.yaml") }),
    ("no store", [], { try FileManager.default.removeItem(atPath: $0.store) }),
    ("a damaged store", [], { try $0.write("no store", to: ".keyplan/default.db") }),
    ("a source that is unreadable", [], { try FileManager.default.removeItem(atPath: $0.project + "/one.secret") }),
    ("a broken keyplan.lock", [], { try $0.write("default\n", to: "keyplan.lock") }),
  ]

  @Test("each command writes one document that fits its schema, whatever is wrong", arguments: troubles.indices)
  func document(trouble: Int) throws {
    let (name, options, make) = Self.troubles[trouble]
    let sandbox = try Self.applied()
    try make(sandbox)
    var documents: [(schema: String, text: String, what: String)] = []
    for (words, schema) in Self.commands {
      let answer = try sandbox.start([Shell.program] + words + options + ["--json"]).wait()
      let what = "\(name): keyplan \((words + options).joined(separator: " ")) --json"
      documents.append((schema ?? "error", answer.out, what))
      let code = try JSONDecoder().decode(ExitCode.self, from: Data(answer.out.utf8)).exitCode
      if let code {
        #expect(answer.code == code, "\(what): \(answer.out)")
        #expect(!answer.err.isEmpty, "\(what): people are told too")
      }
    }
    try Self.validate(documents)
  }

  @Test("the variable is for commands that have a form for programs, and asks nothing of the others")
  func variable() throws {
    let sandbox = try Self.applied()
    sandbox.variables["KEYPLAN_JSON"] = "1"
    for arguments in [["plan", "-e", "nope"], ["keys", "list", "--nope"], ["identity", "show", "--identity", "x"]] {
      let answer = try sandbox.start([Shell.program] + arguments).wait()
      #expect(answer.out.contains(#""exitCode":\#(answer.code)"#), "\(arguments): \(answer.out)")
    }
    for arguments in [["get", "nope"], ["get", "--nope"], ["fmt", "-e", "nope"], ["nonsense"]] {
      let answer = try sandbox.start([Shell.program] + arguments).wait()
      #expect(answer.code != 0 && answer.out.isEmpty, "\(arguments): \(answer.out)")
    }
  }

  @Test("env writes variables or nothing", arguments: [["--target", "nope"], ["--nope"], ["-e", "nope"]])
  func variables(options: [String]) throws {
    let sandbox = try Self.applied()
    let answer = try sandbox.start([Shell.program, "env", "--json"] + options).wait()
    #expect(answer.code != 0 && answer.out.isEmpty && answer.err.hasPrefix("error: "), "\(answer.out)")
  }

  @Test("a plan that is not saved, and a baseline that is not written, are one document")
  func files() throws {
    let sandbox = try Self.applied()
    let calls = [
      (["plan", "--out", "nowhere/plan.kp"], "plan"),
      (["drift", "--write-baseline", "nowhere/known.json", "--until", "2999-01-01"], "drift"),
      (["apply", "--expect", "kp1-00000000000000000000000000"], "apply"), (["apply", "nowhere.kp"], "apply"),
      (["plan", "--format", "json", "-e", "nope"], "plan"),
    ]
    let documents = try calls.map { words, schema in
      let answer = try sandbox.start([Shell.program] + words + ["--json"]).wait()
      #expect(answer.code != 0 && answer.out.contains(#""exitCode":\#(answer.code)"#), "\(words): \(answer.out)")
      return (schema, answer.out, words.joined(separator: " "))
    }
    try Self.validate(documents)
  }

  @Test("no command is forgotten")
  func complete() throws {
    struct Help: Decodable {
      let command: Command
      struct Command: Decodable {
        let commandName: String
        let subcommands: [Command]?

        func names(_ above: [String] = []) -> [[String]] {
          guard let subcommands else { return [above] }
          return subcommands.filter { $0.commandName != "help" }.flatMap { $0.names(above + [$0.commandName]) }
        }
      }
    }
    let text = try ProgramSandbox().keyplan("--experimental-dump-help").out
    let known = try JSONDecoder().decode(Help.self, from: Data(text.utf8)).command.names()
    #expect(known.count > 20)
    for name in known where !Self.exceptions.contains(name[0]) {
      #expect(Self.commands.contains { $0.words.starts(with: name) }, "\(name.joined(separator: " "))")
    }
  }

  private struct ExitCode: Decodable { let exitCode: Int32? }

  /// A project in which everything is applied, and a key that can be rolled back.
  private static func applied() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write(manifest, to: "keyplan.yaml")
    try sandbox.write("made up", to: "one.secret")
    try #require(sandbox.keyplan("init").code == 0)
    try sandbox.keyplan("apply", "--yes")
    try #require(FileManager.default.fileExists(atPath: sandbox.project + "/.env.local"))
    return sandbox
  }

  /// One Python for all: starting it takes longer than the rest.
  private static func validate(_ documents: [(schema: String, text: String, what: String)]) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "schemas")
    let sandbox = try ProgramSandbox()
    let rows = documents.map { [$0.schema, $0.text, $0.what] }
    try sandbox.write(Array(try JSONEncoder().encode(rows)), to: "documents.json")
    try sandbox.write(script, to: "validate.py")
    let answer = try sandbox.start([
      try #require(Python.path, "KEYPLAN_TEST_PYTHON is not set"), "validate.py", folder.path,
    ]).wait()
    #expect(answer.code == 0 && answer.out == "\(documents.count)\n", "\(answer.out)\(answer.err)")
  }

  private static let script = """
    import json, jsonschema, pathlib, sys
    folder, faults, error = pathlib.Path(sys.argv[1]), [], None
    validators = {}
    for path in folder.glob("*.schema.json"):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        name = path.name.removesuffix(".schema.json")
        validators[name] = jsonschema.Draft202012Validator(schema)
        if name in ("keyplan", "events", "watch"): continue
        # One form of error for all: `keyplan schema error`, and the same in each schema.
        own = {k: v for k, v in schema.items() if k not in ("$schema", "title")} if name == "error" else schema["$defs"]["error"]
        error = error or own
        if own != error: faults.append(name + " has another form of error")
    documents = json.loads(pathlib.Path("documents.json").read_text())
    for schema, text, what in documents:
        try:
            if not text.endswith("\\n") or text.count("\\n") != 1: raise ValueError("not one line: " + repr(text))
            validators[schema].validate(json.loads(text))
        except Exception as fault:
            faults.append(what + ": " + str(fault).split("\\n")[0])
    if faults: sys.exit("\\n".join(faults))
    print(len(documents))

    """
}

private enum Python {
  static let isCI = ProcessInfo.processInfo.environment["CI"] != nil
  static let path = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]
}
