import Foundation
import Testing

/// What somebody who opens a pull request tries: everything in the checkout is theirs, everything in the environment is not.
/// Each test is one attack, carried out in a git work tree as a CI job would plan it.
@Suite("A pull request")
struct PullRequestTests {
  // MARK: S1: the store

  @Test("cannot bring a store of its own, sealed to the runner's recipient, in which its program is allowed")
  func ownStore() throws {
    let victim = try PullRequest()
    let (fresh, kept) = (try victim.runner(), victim.machine())
    fresh.variables["KEYPLAN_STORE"] = nil
    let attacker = try PullRequest(keys: "key: { provider: generic, source: { command: [./evil.sh] } }") {
      try $0.write("#!/bin/sh\ntouch \(victim.marker)\necho stolen\n", to: "evil.sh")
      chmod($0.project + "/evil.sh", 0o755)
    } recipient: { _ in
      victim.recipient
    }
    try FileManager.default.removeItem(atPath: victim.marker)
    for (runner, hasLock) in [(fresh, true), (fresh, false), (kept, true), (kept, false)] {
      for name in ["keyplan.yaml", "evil.sh", "keyplan.lock"] {
        try runner.write(try #require(attacker.sandbox.content(of: name)), to: name)
      }
      chmod(runner.project + "/evil.sh", 0o755)
      if !hasLock { try? FileManager.default.removeItem(atPath: runner.project + "/keyplan.lock") }
      try runner.write(try #require(attacker.sandbox.content(of: ".keyplan/default.db")), to: "theirs.db")
      chmod(runner.project + "/theirs.db", 0o600)
      try runner.edit("keyplan.yaml") { $0 + "store: theirs.db\n" }
      for command in ["plan", "drift", "apply"] {
        let answer = try runner.keyplan(command, command == "apply" ? "--yes" : "--quiet")
        #expect(answer.code == 9, "\(command): \(answer.code)\n\(answer.out)\(answer.err)")
      }
      #expect(!victim.wasRun, "evil.sh was run")
    }
  }

  @Test("cannot have the runner contact another server")
  func otherServer() throws {
    let pull = try PullRequest()
    let fresh = try pull.runner()
    fresh.variables["KEYPLAN_STORE"] = nil
    for runner in [fresh, pull.machine()] {
      // Nobody listens there: a program that contacts it ends with 8.
      try runner.edit("keyplan.yaml") { $0 + "store: postgres://keyplan@127.0.0.1:9/keys?sslmode=disable\n" }
      let answer = try runner.keyplan("plan")
      #expect(answer.code == 9 && answer.err.contains("Unknown store"), "\(answer.code) \(answer.err)")
    }
  }

  @Test("cannot have the manifest's password reference read for the store")
  func storePassword() throws {
    let runner = try PullRequest().runner()
    let address = "postgres://keyplan@127.0.0.1:9/keys?sslmode=disable"
    runner.variables["KEYPLAN_STORE"] = address
    try runner.edit("keyplan.yaml") { $0 + "store: { url: '\(address)', password: env://PLANTED }\n" }
    let answer = try runner.keyplan("plan")
    #expect(answer.err.contains("password") && answer.err.contains("not read"), "\(answer.err)")
  }

  @Test("cannot choose another environment's store by defaultEnvironment")
  func defaultEnvironment() throws {
    let runner = try PullRequest().runner()
    try runner.write("version: 1\n", to: "keyplan.other.yaml")
    try runner.edit("keyplan.yaml") { $0 + "defaultEnvironment: other\n" }
    let answer = try runner.keyplan("plan")
    #expect(answer.code == 64 && answer.err.contains("defaultEnvironment"), "\(answer.code) \(answer.err)")
  }

  @Test("cannot remove or change the pin: no byte of keyplan.lock lets another store in, or drops away")
  func changedPin() throws {
    let pull = try PullRequest()
    let lock = try #require(pull.sandbox.content(of: "keyplan.lock"))
    let runner = try pull.runner()
    var refused = 0
    for index in lock.indices where index % 3 == 0 {
      var changed = lock
      changed[index] ^= 1
      try runner.write(changed, to: "keyplan.lock")
      let answer = try runner.keyplan("plan")
      // A comment may change; whatever else does is refused.
      let isComment = changed.prefix(index + 1).lastIndex(of: 10) == nil && changed[0] == 35
      #expect(answer.code == (isComment && changed[index] != 10 ? 0 : 9), "byte \(index): \(answer.code) \(answer.err)")
      refused += answer.code == 9 ? 1 : 0
    }
    try FileManager.default.removeItem(atPath: runner.project + "/keyplan.lock")
    #expect(try runner.keyplan("plan").code == 9)
    try runner.write("", to: "keyplan.lock")
    #expect(try runner.keyplan("plan").code == 9)
    #expect(refused > 20)
  }

  @Test("cannot place the files that say what this machine trusts into the checkout")
  func homeInside() throws {
    let runner = try PullRequest().runner()
    runner.variables["HOME"] = runner.project
    let answer = try runner.keyplan("plan")
    #expect(answer.code == 9 && answer.err.contains("work tree"), "\(answer.code) \(answer.err)")
  }

  // MARK: S6: targets

  @Test("cannot have values written into keyplan's own files or git's, whatever their path")
  func ownFiles() throws {
    let runner = try PullRequest(more: "targets:\n  app: { type: dotenv, path: app.env, keys: { A: key } }\n").runner()
    try runner.write("version: 1\n", to: "keyplan.staging.yaml")
    symlink(".git", runner.project + "/innocent")
    symlink("keyplan.lock", runner.project + "/locked.env")
    symlink("not-yet/../keyplan.later.yaml", runner.project + "/later.env")
    link(runner.project + "/keyplan.yaml", runner.project + "/hard.env")
    let store = try #require(runner.variables["KEYPLAN_STORE"])
    let before = try #require(runner.content(of: "keyplan.yaml"))
    for path in [
      "keyplan.yaml", "Keyplan.YAML", "keyplan.staging.yaml", "keyplan.lock", "a/../keyplan.lock", ".git/config",
      ".git/hooks/pre-commit", ".GIT/config", "innocent/config", "locked.env", "later.env", "hard.env", ".keyplan/x",
      "sub/.git/config", "\(runner.project)/keyplan.lock", store, store + "-journal", store + "-wal", store + ".lock",
      "~/.config/keyplan/identity.txt", "~/.local/state/keyplan/known_stores",
    ] {
      try runner.write(
        String(decoding: before, as: UTF8.self).replacing("app.env", with: "'\(path)'"), to: "keyplan.yaml")
      for command in [["validate"], ["plan"], ["apply", "--yes", "--allow-overwrite"]] {
        let answer = try runner.start([Shell.program] + command + ["-e", "default"]).wait()
        #expect(answer.code != 0, "\(path) \(command): \(answer.out)\(answer.err)")
        #expect((answer.out + answer.err).contains("protected file"), "\(path) \(command): \(answer.out)\(answer.err)")
      }
      #expect(!String(decoding: runner.content(of: "keyplan.yaml") ?? [], as: UTF8.self).contains(PullRequest.secret))
      let tracked = try runner.start(["grep", "-rl", PullRequest.secret, "."]).wait()
      #expect(tracked.out == "./app.env\n", "\(path): \(tracked.out)")
    }
  }

  @Test("cannot have values written where a CI service reads what to run, not even with takeOver")
  func pipelineFiles() throws {
    let runner = try PullRequest(more: "targets:\n  app: { type: yaml, path: app.yml, keys: { A: key } }\n").runner()
    for name in [".github", ".circleci", ".buildkite"] { mkdir(runner.project + "/" + name, 0o755) }
    symlink(".github", runner.project + "/innocent")
    for path in [
      ".github/workflows.yml", ".gitlab-ci.yml", "more.gitlab-ci.yml", "innocent/x.yml", "Jenkinsfile",
      ".circleci/config.yml",
      ".drone.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".buildkite/pipeline.yml",
    ] {
      try runner.edit("keyplan.yaml") { text in
        text.replacing(/path: [^,]*,/, with: "path: \(path), takeOver: true,").replacing(
          "takeOver: true, takeOver: true", with: "takeOver: true")
      }
      let answer = try runner.keyplan("apply", "--yes")
      #expect(answer.code == 7 && answer.out.contains("Target is a CI file"), "\(path): \(answer.out)\(answer.err)")
    }
  }

  @Test(
    "cannot set a variable that decides what programs do: refused, or shown for review; run and env set what was applied alone",
    arguments: ["GIT_EDITOR", "OPENAI_BASE_URL", "FOO_HOOK", "foo_hook"], ["target", "key", "both"])
  func variableNames(name: String, place: String) throws {
    let runner = try PullRequest(
      more: "targets:\n  app: { type: dotenv, path: app.env, keys: { A_TOKEN: key } }\n"
    ).runner()
    try runner.edit("keyplan.yaml") { text in
      var text = text
      if place != "key" { text = text.replacing("{ A_TOKEN: key }", with: "{ A_TOKEN: key, \(name): key }") }
      if place != "target" {
        text = text.replacing("provider: openai, source", with: "provider: openai, variable: \(name), source")
      }
      return text
    }
    runner.variables["COLUMNS"] = "200"
    let plan = try runner.keyplan("plan")
    let isRefused = !name.lowercased().hasPrefix("foo")
    if isRefused {
      #expect(plan.code == 1 && plan.err.contains("unsafeName: true"), "\(plan.code)\n\(plan.out)\(plan.err)")
    } else {
      #expect(plan.code == 0, "\(plan.code)\n\(plan.out)\(plan.err)")
      let owners = ["target": "target.app", "key": "key.key", "both": "key.key, target.app"][place] ?? ""
      #expect(plan.out.contains(/! variables +newly set +\w+ \(/), "\(plan.out)")
      #expect(plan.out.contains("\(name) (\(owners))   (review)"), "\(plan.out)")
      let markdown = try runner.keyplan("plan", "--format", "markdown").out
      #expect(markdown.contains("- `variables` newly set: \(name.replacing("_", with: "\\_"))"), "\(markdown)")
    }
    for export in [
      ["env"], ["env", "--target", "app"], ["run", "--", "env"], ["run", "--target", "app", "--", "env"],
    ] {
      let answer = try runner.start([Shell.program] + export).wait()
      #expect(!answer.out.contains(name + "="), "\(export): \(answer.out)")
    }
    if isRefused { return }
    // Once it was applied, it is no news.
    #expect(try runner.keyplan("apply", "--yes").code == 0)
    #expect(try runner.keyplan("env", "--target", "app").out.contains(name + "=") == (place != "key"))
    #expect(try !runner.keyplan("plan").out.contains("(review)"))
  }

  @Test("cannot loosen the mode of a target's file without a step that says so")
  func looserMode() throws {
    let runner = try PullRequest(more: "targets:\n  app: { type: dotenv, path: app.env, keys: { A: key } }\n").runner()
    try runner.edit("keyplan.yaml") { $0.replacing("path: app.env,", with: "path: app.env, mode: '0644',") }
    let plan = try runner.keyplan("plan")
    #expect(plan.code == 0 && plan.out.contains("mode 0644, was 0600   (review)"), "\(plan.out)\(plan.err)")
    try runner.edit("keyplan.yaml") { $0.replacing("'0644'", with: "'0666'") }
    let everybody = try runner.keyplan("plan")
    #expect(
      everybody.code == 1 && everybody.err.contains("every user could replace"), "\(everybody.out)\(everybody.err)")
  }

  // MARK: S2: programs

  @Test("cannot have an edited program run by planning; who applies runs it")
  func editedProgram() throws {
    let pull = try PullRequest(keys: "key: { provider: generic, source: { command: [./vault.sh] } }") {
      try $0.write("#!/bin/sh\necho from-the-vault\n", to: "vault.sh")
      chmod($0.project + "/vault.sh", 0o755)
    }
    let runner = try pull.runner()
    // As it was allowed it is not run either, and that is no change.
    let unchanged = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(
      unchanged.code == 0 && (unchanged.out + unchanged.err).contains("not read here"),
      "\(unchanged.code)\n\(unchanged.out)\(unchanged.err)")

    try runner.write("#!/bin/sh\ntouch \(pull.marker)\necho from-the-vault\n", to: "vault.sh")
    for command in ["plan", "drift", "validate"] {
      _ = try runner.keyplan(command)
      #expect(!pull.wasRun, "\(command) ran vault.sh")
    }
    let plan = try runner.keyplan("plan")
    #expect(plan.out.contains("./vault.sh changed"), "\(plan.out)\(plan.err)")
    let applied = try runner.keyplan("apply", "--yes")
    #expect(applied.code == 0 && pull.wasRun, "\(applied.code)\n\(applied.out)\(applied.err)")
    let after = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(after.code == 0, "\(after.out)\(after.err)")
  }

  /// What a pull request does with the program after a target.
  enum HookAttack: CaseIterable {
    case added, edited, otherArguments, otherTarget, variable, asSource, asTarget, asWriteOnlyTarget
  }

  @Test(
    "cannot have a program run by planning as what follows a target; an apply must allow it",
    arguments: HookAttack.allCases)
  func hooks(attack: HookAttack) throws {
    let hook = attack == .added ? "" : ", after: { command: [./reload.sh, a] }"
    let pull = try PullRequest(
      more: "targets:\n  app: { type: dotenv, path: .env.local, keys: { K: key }\(hook) }\n"
    ) {
      try $0.write("#!/bin/sh\ntouch \($0.root)/was-run\n", to: "reload.sh")
      chmod($0.project + "/reload.sh", 0o755)
    }
    #expect(pull.wasRun == (attack != .added))
    try? FileManager.default.removeItem(atPath: pull.marker)
    let runner = try pull.runner()
    let unchanged = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(unchanged.code == 0 || attack == .added, "\(unchanged.out)\(unchanged.err)")
    let theirs = "#!/bin/sh\n# theirs\ntouch \(pull.marker)\n"
    func edit(_ old: String, _ new: String) throws {
      try runner.edit("keyplan.yaml") { $0.replacingOccurrences(of: old, with: new) }
    }
    let sign: String
    switch attack {
    case .added:
      try runner.write(theirs, to: "reload.sh")
      try edit("{ K: key }", "{ K: key, L: key }, after: { command: [./reload.sh, a] }")
      sign = "may run after writing"
    case .edited:
      try runner.write(theirs, to: "reload.sh")
      try edit("{ K: key }", "{ K: key, L: key }")
      sign = "./reload.sh changed"
    case .otherArguments:
      try edit("{ K: key }", "{ K: key, L: key }")
      try edit("[./reload.sh, a]", "[sh, -c, 'touch \(pull.marker)']")
      sign = "touch"
    case .otherTarget:
      try edit(
        "targets:\n",
        "targets:\n  b: { type: dotenv, path: b, keys: { K: key }, after: { command: [./reload.sh, a] } }\n")
      sign = "with target b"
    case .variable:
      try edit("{ K: key }", "{ K: key, L: key }")
      try edit("[./reload.sh, a]", "[./reload.sh, a], variables: [PLANTED]")
      sign = "with variable PLANTED"
    case .asSource:
      try edit("keys:\n  key", "keys:\n  two: { provider: generic, source: { command: [./reload.sh, a] } }\n  key")
      sign = "surface.command"
    case .asWriteOnlyTarget:
      try edit(
        "targets:\n",
        "targets:\n  b: { type: command, command: [./reload.sh, a], takeOver: true, keys: { K: key } }\n")
      sign = "surface.command"
    case .asTarget:
      try edit(
        "targets:\n",
        "targets:\n  b: { type: command, command: [./reload.sh, a], read: [./reload.sh, a], keys: { K: key } }\n")
      sign = "surface.command"
    }
    runner.variables["PLANTED"] = "a-token"
    for command in ["plan", "drift", "validate"] {
      _ = try runner.keyplan(command)
      #expect(!pull.wasRun, "\(command) ran the program")
    }
    let plan = try runner.keyplan("plan")
    #expect(plan.out.contains(sign), "\(plan.out)\(plan.err)")
    if [.added, .edited, .otherArguments].contains(attack) {
      let applied = try runner.keyplan("apply", "--yes")
      #expect(applied.code == 0 && pull.wasRun, "\(applied.code)\n\(applied.out)\(applied.err)")
    }
  }

  @Test("cannot have planning run what may run after a target, as the source of a key")
  func hookAsSource() throws {
    let program = #"{ command: [sh, -c, 'touch "$HOME/was-hooked"; echo value'] }"#
    let pull = try PullRequest(
      more: "targets:\n  app: { type: dotenv, path: .env.local, keys: { K: key }, after: \(program) }\n")
    let runner = try pull.runner()
    let marker = runner.home + "/was-hooked"
    #expect(access(pull.sandbox.home + "/was-hooked", F_OK) == 0)
    try? FileManager.default.removeItem(atPath: marker)
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(
        of: "env://RECORDED }", with: "env://RECORDED }\n  two: { provider: generic, source: \(program) }")
    }
    for command in ["plan", "drift"] {
      _ = try runner.keyplan(command)
      #expect(access(marker, F_OK) != 0, "\(command) ran the program")
    }
    let plan = try runner.keyplan("plan")
    #expect(plan.out.contains("surface.command"), "\(plan.out)\(plan.err)")
  }

  @Test("cannot put a program of an allowed name into a PATH entry of the checkout")
  func searchPath() throws {
    let pull = try PullRequest(keys: "key: { provider: generic, source: { command: [printf, value] } }")
    let runner = try pull.runner()
    try FileManager.default.createDirectory(atPath: runner.project + "/node_modules", withIntermediateDirectories: true)
    try runner.write("#!/bin/sh\ntouch \(pull.marker)\necho value\n", to: "node_modules/printf")
    chmod(runner.project + "/node_modules/printf", 0o755)
    for path in [runner.project + "/node_modules", "node_modules", "./node_modules"] {
      runner.variables["PATH"] = path + ":/usr/bin:/bin"
      let answer = try runner.keyplan("plan")
      #expect(answer.code == 0 && !pull.wasRun, "\(answer.code) \(answer.out)\(answer.err)")
    }
  }

  @Test("cannot configure an allowed program by a file in its working directory")
  func workingDirectory() throws {
    let pull = try PullRequest(
      keys: "key: { provider: generic, source: { command: [sh, -c, 'cat config || echo none'] } }")
    let runner = try pull.runner()
    try runner.write("theirs\n", to: "config")
    let answer = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(answer.code == 0, "the command read a file of the checkout: \(answer.out)\(answer.err)")
  }

  @Test("cannot hand a variable to an allowed command")
  func variables() throws {
    let pull = try PullRequest(
      keys: "key: { provider: generic, source: { command: [sh, -c, 'echo ${PLANTED:-none}'] } }")
    let runner = try pull.runner()
    runner.variables["PLANTED"] = "a-token"
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(of: "none}'] }", with: "none}'], variables: [PLANTED] }")
    }
    let answer = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(answer.code == 2 && answer.out.contains("variable PLANTED"), "\(answer.code) \(answer.out)\(answer.err)")
    #expect(answer.out.contains("read at apply"), "the value was read: \(answer.out)")
  }

  // MARK: S3: questions about values

  @Test(
    "learns nothing about a secret from plan and drift, whatever it asks: the answer is the same for a right guess and a wrong one",
    arguments: Question.all)
  func oracle(question: Question) throws {
    let pull = try PullRequest(
      keys: """
        key: { provider: openai, source: env://RECORDED }
          file: { provider: generic, source: dotenv://.env.tracked#GUESS }
        """,
      more: "targets: { app: { type: dotenv, path: app.env, takeOver: true, keys: { RECORDED: key } } }\n"
    ) {
      try $0.write("GUESS=\(PullRequest.secret)\n", to: ".env.tracked")
    }
    var answers: [String] = []
    for guess in [PullRequest.secret, "not" + PullRequest.secret.dropFirst(3)] {
      let runner = try pull.runner()
      runner.variables["SECRET"] = PullRequest.secret
      runner.variables["RECORDED"] = PullRequest.secret
      try question.ask(runner, guess)
      try runner.commitAll()
      var answer = ""
      for format in [["plan"], ["plan", "--json"], ["plan", "--format", "github"], ["drift"], ["drift", "--json"]] {
        let told = try runner.start([Shell.program] + format).wait()
        answer += "\(told.code)\n\(told.out)\(told.err)\n"
      }
      // The guess is in the checkout, and stands where the manifest is quoted.
      let varying = try Regex("[0-9a-f]{32,64}|kp1-[0-9a-z]{26}|\(NSRegularExpression.escapedPattern(for: guess))")
      answers.append(answer.replacing(varying, with: "…"))
    }
    #expect(answers[0] == answers[1])
    #expect(!answers[0].contains("Invalid"), "the question was not asked: \(answers[0])")
  }

  /// A way to ask whether a guess is right.
  struct Question: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let ask: @Sendable (ProgramSandbox, String) throws -> Void

    static let all = [
      Question(testDescription: "a format of its own for a new key") { runner, guess in
        try runner.edit("keyplan.yaml") {
          $0.replacingOccurrences(of: "keys:\n", with: "keys:\n  new: { provider: mine, source: env://SECRET }\n")
            + "providers: { mine: { format: '\(guess)' } }\n"
        }
      },
      Question(testDescription: "a format of its own for a recorded key") { runner, guess in
        runner.variables["RECORDED"] = PullRequest.secret + "2"
        try runner.edit("keyplan.yaml") { $0 + "providers: { openai: { format: '\(guess)2' } }\n" }
      },
      Question(testDescription: "a guess in a file that git tracks") { runner, guess in
        try runner.write("GUESS=\(guess)\n# changed\n", to: ".env.tracked")
      },
      Question(testDescription: "a recorded key that reads a guess") { runner, guess in
        try runner.write("GUESS=\(guess)\n", to: ".env.guess")
        try runner.edit("keyplan.yaml") {
          $0.replacingOccurrences(of: "env://RECORDED", with: "dotenv://.env.guess#GUESS")
        }
      },
      Question(testDescription: "a new key with a guess that looks like a rename") { runner, guess in
        try runner.write("GUESS=\(guess)\n", to: ".env.guess")
        try runner.edit("keyplan.yaml") {
          $0.replacingOccurrences(
            of: "key: { provider: openai, source: env://RECORDED }",
            with: "other: { provider: openai, source: dotenv://.env.guess#GUESS }"
          )
          .replacingOccurrences(of: "RECORDED: key", with: "RECORDED: other")
        }
      },
      Question(testDescription: "a target that already holds a guess") { runner, guess in
        try runner.write("NEW=\(guess)\n", to: "guess.env")
        try runner.edit("keyplan.yaml") {
          $0.replacingOccurrences(
            of: "targets: {", with: "targets: { guess: { type: dotenv, path: guess.env, keys: { NEW: key } },")
        }
      },
      Question(testDescription: "a guess under a recorded name of a target that git tracks") { runner, guess in
        try runner.write("RECORDED=\(guess)\n", to: "app.env")
        try runner.commitAll()
      },
      Question(testDescription: "a place to adopt a value from") { runner, guess in
        try runner.write("GUESS=\(guess)\n", to: ".env.guess")
        try runner.edit("keyplan.yaml") {
          $0.replacingOccurrences(of: "keys:\n", with: "keys:\n  adopted: { provider: openai }\n")
            + "migrations: [{ adopt: 'dotenv://.env.guess#GUESS', to: adopted }]\n"
        }
      },
    ]
  }

  @Test("does not read what is not recorded for the key: a new source is read at apply, the first that has a value")
  func newSources() throws {
    let pull = try PullRequest()
    let runner = try pull.runner()
    runner.variables["SECOND"] = "made-up-second"
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(
        of: "keys:\n", with: "keys:\n  new: { provider: generic, source: [env://FIRST, env://SECOND] }\n")
    }
    let plan = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 2 && plan.out.contains("read at apply"), "\(plan.code) \(plan.out)\(plan.err)")
    let id = try #require(plan.out.firstMatch(of: /kp1-[0-9a-z]{26}/)).output
    let applied = try runner.keyplan("apply", "--expect", String(id))
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try runner.keyplan("get", "new").out == "made-up-second")
    #expect(try runner.keyplan("plan", "--detailed-exitcode").code == 0)
    // A missing value is an error of the apply, and everything recorded stays.
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(of: "keys:\n", with: "keys:\n  none: { provider: generic, source: env://NOWHERE }\n")
    }
    #expect(try runner.keyplan("apply", "--yes").code == 1)
    #expect(try runner.keyplan("get", "new").out == "made-up-second")
  }

  @Test("a value that the apply is the first to read is held against the built-in format, and drift goes on saying so")
  func formatAtApply() throws {
    let pull = try PullRequest()
    let runner = try pull.runner()
    runner.variables["SECOND"] = "made-up-second"
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(of: "keys:\n", with: "keys:\n  new: { provider: github, source: env://SECOND }\n")
    }
    let plan = try runner.keyplan("plan")
    #expect(plan.code == 0 && !plan.out.contains("does not look like"), "\(plan.out)\(plan.err)")
    let applied = try runner.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(applied.out.contains("does not look like a key of github"), "\(applied.out)\(applied.err)")
    let drift = try runner.keyplan("drift")
    #expect(drift.out.contains("does not look like a key of github"), "\(drift.out)\(drift.err)")
    #expect(!drift.out.contains("agree"))
    let next = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(next.code == 0 && next.out.contains("Unexpected key format"), "\(next.out)\(next.err)")
    // A format of the manifest's own asks nothing about the value.
    try runner.edit("keyplan.yaml") { $0 + "providers: { github: { format: 'made-up-[a-z]{6}' } }\n" }
    #expect(try !runner.keyplan("plan").out.contains("Unexpected key format"))
  }

  @Test("cannot have a value replaced by a random one: it is kept, the plan says so, and no policy replaces it")
  func generated() throws {
    let runner = try PullRequest(
      keys: "key: { provider: generic, variable: KEY, source: env://RECORDED }",
      more: "targets:\n  app: { type: dotenv, path: app.env, keys: { KEY: key } }\n"
    ).runner()
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(
        of: "source: env://RECORDED", with: "source: { generate: hex }, expires: { after: 1s, then: rotate }")
    }
    usleep(1_100_000)
    let plan = try runner.keyplan("plan", "--detailed-exitcode", "--width", "200")
    #expect(plan.code == 2, "\(plan.out)\(plan.err)")
    #expect(plan.out.contains("no longer from env://RECORDED   the value is kept"), "\(plan.out)")
    #expect(plan.out.contains("(review)") && !plan.out.contains("will be generated"), "\(plan.out)")
    // Merged without a look, and applied again and again.
    for _ in 0..<3 {
      let applied = try runner.keyplan("apply", "--yes")
      #expect(applied.code == 0, "\(applied.out)\(applied.err)")
      #expect(try runner.keyplan("get", "key").out == PullRequest.secret)
    }
    #expect(runner.content(of: "app.env").map { String(decoding: $0, as: UTF8.self) } == "KEY=\(PullRequest.secret)\n")
  }

  @Test("has nothing generated by planning, and shows nothing of what was")
  func generatedByPlanning() throws {
    let runner = try PullRequest(keys: "own: { provider: generic, source: { generate: uuid } }").runner()
    let value = try runner.keyplan("get", "own").out
    let store = try #require(runner.variables["KEYPLAN_STORE"])
    let before = try Data(contentsOf: URL(filePath: store))
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(
        of: "keys:\n", with: "keys:\n  new: { provider: generic, source: { generate: hex } }\n"
      ).replacingOccurrences(of: "generate: uuid }", with: "generate: hex }, expires: { after: 1s, then: rotate }")
    }
    // The rotation is due from then on, and the plan with it the same.
    usleep(1_100_000)
    var ids: Set<String> = []
    for command in [
      ["plan"], ["plan", "--out", "p.kp"], ["plan"], ["drift"], ["show", "p.kp"], ["report", "--html", "r.html"],
    ] {
      let answer = try runner.start([Shell.program] + command).wait()
      #expect([0, 2].contains(answer.code), "\(command): \(answer.out)\(answer.err)")
      if command.first == "plan" { ids.formUnion(answer.out.matches(of: /kp1-[0-9a-z]{26}/).map { String($0.output) }) }
      #expect(!(answer.out + answer.err).contains(value), "\(command)")
    }
    #expect(ids.count == 1)
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  // MARK: S9: composed values

  /// What a pull request does with a template.
  enum TemplateAttack: String, CaseIterable {
    case otherHost, otherTarget, newKey, replacedSource, guess, longGuess
  }

  @Test(
    "cannot have a value made of others by planning, and learns nothing from a template of its own, wherever it sends it",
    arguments: TemplateAttack.allCases)
  func composed(attack: TemplateAttack) throws {
    let runner = try PullRequest(
      keys: """
        key: { provider: generic, source: env://RECORDED }
          url: { provider: generic, variable: URL, source: { compose: "https://app:{key:url}@db/app" } }
        """,
      more: "targets:\n  app: { type: dotenv, path: app.env, keys: { URL: url } }\n"
    ).runner()
    let store = try #require(runner.variables["KEYPLAN_STORE"])
    let before = try Data(contentsOf: URL(filePath: store))
    let written = runner.content(of: "app.env")
    func edit(_ old: String, _ new: String) throws {
      try runner.edit("keyplan.yaml") { text in
        #expect(text.contains(old), "\(text)")
        return text.replacingOccurrences(of: old, with: new)
      }
    }
    switch attack {
    case .otherHost: try edit("@db/app", "@evil.example/app")
    case .otherTarget:
      try edit(
        "keys: { URL: url } }", "keys: { URL: url } }\n  out: { type: json, path: public.json, keys: { url: url } }")
    case .newKey:
      try edit("targets:\n", "targets:\n  out: { type: json, path: public.json, keys: { x: new } }\n")
      try edit("keys:\n  key:", "keys:\n  new: { provider: generic, source: { compose: \"{key}\" } }\n  key:")
    case .replacedSource: try edit("source: env://RECORDED", "source: { compose: \"{url}\" }")
    case .guess, .longGuess:
      try edit("targets:\n", "targets:\n  out: { type: dotenv, path: guess.env, keys: { X: new } }\n")
      let template = attack == .guess ? "{key}" : "{key}" + String(repeating: "x", count: 60_000)
      try edit("keys:\n  key:", "keys:\n  new: { provider: generic, source: { compose: \"\(template)\" } }\n  key:")
    }
    var answers: Set<String> = []
    for guess in [PullRequest.secret, "another-guess"] {
      try runner.write("X=\(guess)\n", to: "guess.env")
      var said = ""
      for command in [
        ["plan", "--width", "300"], ["plan", "--json"], ["plan", "--out", "p.kp"], ["drift"],
        ["report", "--html", "r.html"],
      ] {
        let answer = try runner.start([Shell.program] + command).wait()
        if attack != .replacedSource {
          #expect([0, 2, 7].contains(answer.code), "\(command): \(answer.out)\(answer.err)")
        }
        #expect(!(answer.out + answer.err).contains(PullRequest.secret), "\(command)")
        said += command.first == "report" ? "" : answer.out.replacing(/kp1-[0-9a-z]{26}/, with: "ID")
      }
      answers.insert(said)
    }
    #expect(answers.count == 1)
    let plan = try runner.keyplan("plan", "--width", "300")
    switch attack {
    case .otherHost, .newKey, .guess, .longGuess:
      #expect(plan.out.contains("composed of") && plan.out.contains("(review)"), "\(plan.out)")
    case .otherTarget: #expect(plan.out.contains("public.json") || plan.out.contains("target.out"), "\(plan.out)")
    case .replacedSource:
      #expect(
        plan.code == 1 && plan.err.contains("made of itself") || plan.out.contains("made of itself"),
        "\(plan.out)\(plan.err)")
    }
    #expect(runner.content(of: "public.json") == nil)
    #expect(runner.content(of: "app.env") == written)
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  /// What a pull request does with a key that is made at its provider.
  enum MintAttack: String, CaseIterable {
    case otherAddress, otherPath, otherConnection, otherSecret, otherCheck, moreKeys, moreRights, parts, rotation,
      overlap, removal

    /// What is to be written in the place of what.
    fileprivate func edit(_ attacker: String, _ provider: String) -> (old: String, new: String) {
      let theirs =
        "theirs: { type: twilio-keys, address: '\(attacker)', account: AC1, sid: SKmain, secret: env://MGMT }"
      switch self {
      case .otherAddress:
        return (
          "issuer: { type: openrouter-keys, address: '\(provider)'",
          "issuer: { type: openrouter-keys, address: '\(attacker)'"
        )
      case .otherPath:
        return (
          "issuer: { type: openrouter-keys, address: '\(provider)'",
          "issuer: { type: openrouter-keys, address: '\(provider)/more'"
        )
      case .otherConnection:
        return ("mint: issuer, limit: 5 }", "mint: other, limit: 5 }")
      case .otherSecret: return ("managementKey: env://MGMT }", "managementKey: env://PLANTED }")
      case .otherCheck: return ("openrouter: { address: '\(provider)' }", "openrouter: { address: '\(attacker)' }")
      case .moreKeys:
        return ("keys:\n", "keys:\n  two: { provider: generic, variable: TWO, source: { mint: issuer } }\n")
      case .moreRights: return ("limit: 5 }", "limit: 500000 }")
      case .parts: return ("connections:\n", "connections:\n  \(theirs)\n")
      case .rotation: return ("after: 90d", "after: 1s")
      case .overlap: return ("overlap: 1h", "overlap: none")
      case .removal: return ("", "")
      }
    }

    /// What the plan shows to whoever reviews it.
    fileprivate var sign: String {
      switch self {
      case .otherAddress, .otherPath, .otherConnection, .otherSecret, .otherCheck, .parts: "surface.host"
      case .moreKeys, .rotation: "new key made"
      case .moreRights: "500000"
      case .overlap: "key.chat"
      case .removal: "key revoked"
      }
    }
  }

  @Test(
    "has no key made, listed or ended by planning: nothing is sent to the provider or to anybody else",
    arguments: MintAttack.allCases)
  func minted(attack: MintAttack) throws {
    let other = try RotationProject.start()
    let (provider, attacker) = (try RotationProject.instance(), try RotationProject.instance(of: other))
    let chat = "chat: { provider: openrouter, variable: VALUE, source: { mint: issuer, limit: 5 }, expires: quarterly }"
    let pull = try PullRequest(
      keys: chat,
      more: """
        connections:
          issuer: { type: openrouter-keys, address: '\(provider)', managementKey: env://MGMT }
          other: { type: openrouter-keys, address: '\(attacker)', managementKey: env://MGMT }
        providers: { openrouter: { address: '\(provider)' } }
        policies: { quarterly: { after: 90d, then: rotate, overlap: 1h } }
        targets:
          app: { type: json, path: app.json, keys: { VALUE: chat } }

        """
    ) {
      try RotationProject.control("token", ["value": RotationProject.credential], at: provider)
      $0.variables["MGMT"] = RotationProject.credential
    }
    // One replaced key waits for its end.
    let rotated = try pull.sandbox.keyplan("keys", "rotate", "chat", "--yes")
    try #require(rotated.code == 0, "\(rotated.out)\(rotated.err)")
    let runner = try pull.runner()
    runner.variables["PLANTED"] = RotationProject.credential
    runner.variables["COLUMNS"] = "300"
    let (old, new) = attack.edit(attacker, provider)
    try runner.edit("keyplan.yaml") { text in
      switch attack {
      case .removal:
        return text.replacing(chat, with: "key: { provider: openai, source: env://RECORDED }").replacing(
          "VALUE: chat", with: "VALUE: key")
      case .parts:
        let parts =
          "chat: { provider: generic, parts: { sid: SID, secret: VALUE }, source: { mint: theirs }, expires: quarterly }"
        return text.replacing(old, with: new).replacing(chat, with: parts).replacing(
          "{ VALUE: chat }", with: "{ SID: chat.sid, VALUE: chat.secret }")
      default: return text.replacing(old, with: new)
      }
    }
    try runner.commitAll()
    let search = try CanarySearch([]).adding(
      [CanarySecret("management key", RotationProject.credential)]
        + RotationProject.values(at: provider).map { CanarySecret("value", $0) })
    _ = try RotationProject.requests(at: provider)
    // A rotation is due a second after the key was made, and the plan shows it.
    if attack == .rotation { usleep(1_100_000) }
    func run(_ words: String...) throws {
      let allowance = ["plan", "apply"].contains(words[0]) ? ["--allow-forget"] : []
      let answer = try runner.start([Shell.program] + words + allowance).wait()
      let text = answer.out + answer.err
      #expect(search.found(in: Data(text.utf8)).isEmpty, "\(words): \(text)")
      if words.first == "plan" { #expect(answer.code == 0, "\(words): \(answer.code)\n\(text)") }
      if words == ["plan"] { #expect(text.contains(attack.sign), "\(text)") }
    }
    try run("validate")
    try run("plan")
    try run("plan", "--json")
    try run("plan", "--format", "github")
    try run("drift")
    try run("keys", "rotate", "chat")
    try run("apply")
    try run("doctor")
    #expect(try RotationProject.requests(at: provider) == [])
    // A check of a recorded key goes where its provider was when that was permitted.
    try run("plan", "--verify")
    #expect(try RotationProject.requests(at: provider).allSatisfy { $0 == "GET /api/v1/key" })
    #expect(try RotationProject.requests(at: attacker) == [])
    #expect(try RotationProject.values(at: provider).count == 2)
  }

  @Test("has the same plan and id before and after the merge; a trusted id is stale in an untrusted checkout")
  func sameId() throws {
    let runner = try PullRequest().runner()
    runner.variables["OTHER"] = "made-up-other"
    try runner.edit("keyplan.yaml") {
      $0.replacingOccurrences(of: "keys:\n", with: "keys:\n  new: { provider: generic, source: env://OTHER }\n")
    }
    func id() throws -> String {
      let plan = try runner.keyplan("plan")
      return String(try #require(plan.out.firstMatch(of: /kp1-[0-9a-z]{26}/), "\(plan.out)\(plan.err)").output)
    }
    let first = try id()
    #expect(try id() == first)
    runner.variables["KEYPLAN_CHECKOUT"] = "trusted"
    let trusted = try id()
    #expect(trusted != first)
    runner.variables["KEYPLAN_CHECKOUT"] = nil
    let refused = try runner.keyplan("apply", "--expect", trusted)
    #expect(refused.code == 4 && refused.err.contains("not trusted"), "\(refused.code) \(refused.err)")
    // The other way round it is planned as it was approved.
    runner.variables["KEYPLAN_CHECKOUT"] = "trusted"
    #expect(try runner.keyplan("apply", "--expect", first).code == 0)
  }

  // MARK: S5 and S12

  @Test("cannot exchange a recipient's key under the same name unseen")
  func recipients() throws {
    let runner = try PullRequest().runner()
    let other = try PullRequest().recipient
    try runner.edit("keyplan.yaml") { $0 + "  bob: \(other)\n" }
    let answer = try runner.keyplan("plan")
    #expect(answer.out.contains("bob (\(other.prefix(10))…\(other.suffix(12)))"), "\(answer.out)\(answer.err)")
  }

  @Test("cannot show other files by a manifest that is a link", arguments: ["keyplan.yaml", "keyplan.lock"])
  func links(name: String) throws {
    let runner = try PullRequest().runner()
    try Data("password: hunter2-canary\n".utf8).write(to: URL(filePath: runner.home + "/creds"))
    try FileManager.default.removeItem(atPath: runner.project + "/" + name)
    try #require(symlink(runner.home + "/creds", runner.project + "/" + name) == 0)
    for command in ["validate", "plan"] {
      let answer = try runner.keyplan(command)
      #expect(answer.code != 0 || name == "keyplan.lock" && command == "validate")
      #expect(!(answer.out + answer.err).contains("hunter2"), "\(answer.out)\(answer.err)")
    }
  }
}
