import Foundation
import Testing

/// What `keyplan ci` prints, judged by the services' own linters and schemas.
@Suite("A printed job")
struct PrintedJobTests {
  private static let analyze = "/usr/bin/systemd-analyze"
  private static let hasSystemd = access(analyze, X_OK) == 0
  private static let hasTools = PipelineFile.python != nil
  private static let secret = "made-up-password"
  private static let address = "postgres://ada:\(secret)@db.example.com:5433/keys?project=shop&sslmode=verify-full"

  /// A project, and how its store is named.
  struct Kind: CustomTestStringConvertible, Sendable {
    let name: String
    /// Run in a git work tree.
    let setUp: String
    let options: String
    var testDescription: String { name }
  }

  private static let manifest = """
    version: 1
    keys:
      payments: { provider: generic, source: env://PAYMENTS_KEY, variable: PAYMENTS_KEY }
      mail: { provider: generic, source: "dotenv://.env#MAIL" }
    connections: { bao: { type: vault, address: "https://bao.example.com", token: env://BAO_CI_TOKEN } }
    """

  static let kinds = [
    Kind(
      name: "a server", setUp: "cat >keyplan.yaml <<'END'\n\(manifest)\nEND\nexport KEYPLAN_STORE='\(address)'",
      options: ""),
    Kind(
      name: "a file",
      setUp: "cat >keyplan.yaml <<'END'\n\(manifest)\nEND\nkeyplan init --quiet --store ~/'s $t/a b.db'",
      options: "--store ~/'s $t/a b.db'"),
    Kind(
      name: "an environment in a folder",
      setUp: """
        mkdir -p 'services/a b'; cd 'services/a b'; cat >keys.yml <<'END'
        \(manifest)
        END
        echo 'keys: { mail: { source: env://MAIL_KEY } }' >keys.eu-1.yml; export KEYPLAN_STORE='\(address)'
        """, options: "-f keys.yml -e eu-1"),
    Kind(name: "no store", setUp: "cat >keyplan.yaml <<'END'\n\(manifest)\nEND", options: ""),
  ]

  private static func printed(_ kind: Kind, _ words: String, in shell: Shell) throws -> Shell.Answer {
    let answer = try shell.run("git init -q -b main; \(kind.setUp)\nkeyplan ci \(words) \(kind.options)")
    try #require(answer.code == 0, "\(answer.err)")
    for line in answer.out + answer.err {
      #expect(!line.contains(secret) && !line.contains("AGE-SECRET"), "\(line)")
    }
    return answer
  }

  /// 80 columns, but for what cannot be broken: an action with its comment, an address, a path.
  private static func expectNarrow(_ lines: [String]) {
    for line in lines where line.count > 80 {
      let last = line.split(separator: " ").last ?? ""
      #expect(
        line.contains("uses: ") || line.contains("cron/") || last.count > 50 || line.contains(" drift "), "\(line)")
    }
  }

  @Test(
    "for GitHub is taken by the schema of workflows, actionlint, zizmor and shellcheck",
    .enabled(if: hasTools, "needs KEYPLAN_TEST_PYTHON: make setup-test"),
    arguments: kinds)
  func github(kind: Kind) throws {
    let tools = try #require(PipelineFile.tools)
    let shell = try Shell()
    let text = try Self.printed(kind, "github", in: shell).out
    Self.expectNarrow(text)
    try shell.write(text, to: ".github/workflows/keyplan.yml")
    let file = ".github/workflows/keyplan.yml"
    for command in [
      "'\(tools)/check-jsonschema' --builtin-schema vendor.github-workflows \(file)",
      "'\(tools)/actionlint' -no-color -shellcheck '\(tools)/shellcheck' \(file)",
      "'\(tools)/zizmor' --offline --pedantic --min-severity low --no-progress --color never \(file)",
    ] {
      let answer = try shell.run(command)
      #expect(answer.code == 0, "\(answer.out) \(answer.err)")
    }
    // The linters would say so.
    try shell.write(text.map { $0.replacing("runs-on:", with: "runs-no:") }, to: file)
    #expect(try shell.run("'\(tools)/actionlint' -no-color \(file)").code != 0)
  }

  @Test(
    "for GitLab is taken by GitLab's schema", .enabled(if: hasTools, "needs KEYPLAN_TEST_PYTHON: make setup-test"),
    arguments: kinds)
  func gitlab(kind: Kind) throws {
    let tools = try #require(PipelineFile.tools)
    let shell = try Shell()
    let text = try Self.printed(kind, "gitlab", in: shell).out
    Self.expectNarrow(text)
    try shell.write(text, to: "pipeline.yml")
    let check = "'\(tools)/check-jsonschema' --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci pipeline.yml"
    let answer = try shell.run(check)
    #expect(answer.code == 0, "\(answer.out)")
    try shell.write(text.map { $0.replacing("stages:", with: "stagez:") }, to: "pipeline.yml")
    #expect(try shell.run(check).code != 0)
  }

  @Test(
    "for systemd is taken by systemd without a word, and holds back most of what it could do",
    .enabled(if: hasSystemd, "needs systemd-analyze"),
    arguments: kinds)
  func units(kind: Kind) throws {
    let shell = try Shell()
    let service = try Self.printed(kind, "cron", in: shell).out
    Self.expectNarrow(service)
    let timer = try shell.run("\(kind.setUp)\nkeyplan ci cron --timer \(kind.options)").out
    // The account and the folders of this machine are made up here.
    try shell.write(
      service.map { $0.replacing("<here>", with: "/srv").replacing("<home>", with: "/srv") }, to: "a-drift.service")
    try shell.write(timer, to: "a-drift.timer")
    let fit = try shell.run(
      "sed -i -e 's|^ExecStart=[^ ]*|ExecStart=\(Shell.program)|' a-drift.service")
    try #require(fit.code == 0)
    let verified = try shell.run("\(Self.analyze) verify --man=no a-drift.service a-drift.timer")
    #expect(verified.code == 0 && (verified.out + verified.err).isEmpty, "\(verified.out + verified.err)")
    let exposed = try shell.run("\(Self.analyze) security --offline=true --threshold=20 --no-pager a-drift.service")
    #expect(exposed.code == 0, "\(exposed.out.suffix(1))")
  }

  @Test("gives each job only what it needs, and names no secret's value")
  func scope() throws {
    let shell = try Shell()
    let answer = try Self.printed(Self.kinds[0], "github", in: shell)
    let text = answer.out.joined(separator: "\n")
    let jobs = text.components(separatedBy: "\n  plan:\n")[1]
    let (plan, rest) = (
      jobs.components(separatedBy: "\n  apply:\n")[0], jobs.components(separatedBy: "\n  apply:\n")[1]
    )
    let (apply, drift) = (
      rest.components(separatedBy: "\n  drift:\n")[0], rest.components(separatedBy: "\n  drift:\n")[1]
    )
    for job in [plan, drift] {
      #expect(job.contains("secrets.KEYPLAN_IDENTITY_PLANNING }}") && !job.contains("secrets.KEYPLAN_IDENTITY }}"))
      #expect(job.contains("secrets.KEYPLAN_STORE_READING }}") && !job.contains("secrets.KEYPLAN_STORE }}"))
      #expect(job.contains("secrets.PAYMENTS_KEY }}") && job.contains("secrets.BAO_CI_TOKEN }}"))
    }
    #expect(apply.contains("secrets.KEYPLAN_IDENTITY }}") && apply.contains("environment: keys\n"))
    #expect(
      drift.contains("KEYPLAN_CHECKOUT: trusted") && !plan.contains("KEYPLAN_CHECKOUT")
        && !apply.contains("KEYPLAN_CHECKOUT"))
    #expect(text.contains("#     postgres://db.example.com:5433/keys?project=shop\n"))
    // What comes first is said first.
    #expect(answer.err.contains { $0.contains("Yours must not become a secret of CI") })
  }

  @Test("for an environment has settings, a file and groups of its own")
  func environment() throws {
    let shell = try Shell()
    let text = try Self.printed(Self.kinds[2], "github", in: shell).out.joined(separator: "\n")
    for line in [
      "name: keyplan-eu-1", "      - \"services/a b/keys*.yml\"", "      - .github/workflows/keyplan-eu-1.yml",
      "  KEYPLAN_ENVIRONMENT: eu-1", "  KEYPLAN_MANIFEST: \"services/a b/keys.yml\"", "    environment: keys-eu-1",
      "          KEYPLAN_STORE: ${{ secrets.KEYPLAN_STORE_READING_EU_1 }}",
      "          MAIL_KEY: ${{ secrets.MAIL_KEY }}",
      "          environment: eu-1", "          manifest: \"services/a b/keys.yml\"",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }

  /// Names of folders that are something else to YAML, to GitHub, to systemd or to a shell.
  private static let folders = [
    "a b", "${{ github.token }}", "x}} y", "[c]+?!", "50%d", "q'\"q", "back\\slash", "$HOME", "ü #: x", "- x", "true",
  ]

  @Test("for a project in a folder is read back as it is", arguments: folders)
  func readBack(folder: String) throws {
    let shell = try Shell()
    let setUp = """
      git init -q -b main; mkdir -p './\(folder.replacing("'", with: "'\\''"))'; cd './\(folder.replacing("'", with: "'\\''"))'
      cat >keyplan.yaml <<'END'
      \(Self.manifest)
      END
      export KEYPLAN_STORE='\(Self.address)'
      """
    let units = try shell.run("\(setUp)\nkeyplan ci cron --quiet")
    #expect(units.out.contains("WorkingDirectory=<here>/" + folder.replacing("%", with: "%%")), "\(units.out)")
    // The folder has the manifest's usual name, so nothing names it.
    #expect(!units.out.contains { $0.contains("KEYPLAN_MANIFEST") })
    if Self.hasSystemd {
      try shell.write(
        units.out.map { $0.replacing("<here>", with: "/srv").replacing("<home>", with: "/srv") }, to: "a-drift.service")
      let verified = try shell.run(
        "sed -i -e 's|^ExecStart=[^ ]*|ExecStart=\(Shell.program)|' a-drift.service; "
          + "\(Self.analyze) verify --man=no ./a-drift.service")
      #expect(verified.code == 0 && (verified.out + verified.err).isEmpty, "\(verified.out + verified.err)")
    }
    guard Self.hasTools else { return }
    for service in ["github", "gitlab"] {
      let text = try shell.run("\(setUp)\nkeyplan ci \(service) --quiet").out
      try shell.write(text, to: "\(service).yml")
      let file = try PipelineFile(URL(filePath: shell.folder + "/\(service).yml"))
      let variables = try #require(file.content[service == "github" ? "env" : "variables"] as? [String: Any])
      let value = variables["KEYPLAN_MANIFEST"]
      let read = value as? String ?? (value as? [String: String])?["value"] ?? ""
      #expect(read.replacing("${{ '${{' }}", with: "${{") == folder + "/keyplan.yaml")
      if service == "github" {
        #expect(!read.replacing("${{ '${{' }}", with: "").contains("${{"))
        let inputs = try file.steps(of: "plan").compactMap { $0.inputs["manifest"] }
        #expect(inputs == [read])
        for path in try Self.patterns(of: file) { #expect(!path.contains { "?+[]!\\".contains($0) }, "\(path)") }
      } else {
        #expect((value is String) == !folder.contains("$"))
      }
    }
  }

  private static func patterns(of file: PipelineFile) throws -> [String] {
    let events = try #require(file.content["on"] as? [String: Any])
    return try #require((events["push"] as? [String: Any])?["paths"] as? [String])
  }

  @Test("for systemd runs where it finds the manifest, and is refused where nothing can quote the path")
  func places() throws {
    let shell = try Shell()
    let unusual = try shell.run(
      """
      git init -q -b main; mkdir -p sub/x 'sub/y\\'; cat >sub/keys.yml <<'END'
      \(Self.manifest)
      END
      cp sub/keys.yml 'sub/y\\/keyplan.yaml'
      export KEYPLAN_STORE='\(Self.address)'; cd sub/x; keyplan ci cron --quiet -f ../keys.yml
      """)
    #expect(unusual.out.contains("WorkingDirectory=<here>/sub"), "\(unusual.err)")
    #expect(unusual.out.contains("Environment=KEYPLAN_MANIFEST=keys.yml"))
    #expect(unusual.out.contains { $0.contains("KEYPLAN_MANIFEST=keys.yml") && $0.contains("cd <here>/sub &&") })
    // What the unit runs finds it there.
    let found = try shell.run("cd sub; KEYPLAN_MANIFEST=keys.yml keyplan validate")
    #expect(found.code == 0, "\(found.err)")
    let advice = try shell.run("cd sub; KEYPLAN_STORE='\(Self.address)' keyplan ci cron -f keys.yml >/dev/null")
    #expect(advice.err.contains { $0.contains("keyplan ci cron -f keys.yml > /etc/systemd") }, "\(advice.err)")
    let refused = try shell.run("cd 'sub/y\\'; KEYPLAN_STORE='\(Self.address)' keyplan ci cron")
    #expect(refused.code == 1 && refused.out == [] && refused.err.contains { $0.contains("backslash") }, "\(refused)")
    #expect(try shell.run("cd 'sub/y\\'; KEYPLAN_STORE='\(Self.address)' keyplan ci github").code == 0)
  }

  @Test(
    "for a manifest with overlays names its environment, also that of the manifest alone", arguments: ["default", "eu"])
  func environments(name: String) throws {
    let shell = try Shell()
    let setUp = """
      git init -q -b main; cat >keyplan.yaml <<'END'
      \(Self.manifest)
      END
      echo 'keys: { mail: { source: env://MAIL_KEY } }' >keyplan.eu.yaml; export KEYPLAN_STORE='\(Self.address)'
      """
    for service in ["github", "gitlab", "cron"] {
      let answer = try shell.run("\(setUp)\nkeyplan ci \(service) -e \(name)")
      let setting = service == "cron" ? "Environment=KEYPLAN_ENVIRONMENT=\(name)" : "  KEYPLAN_ENVIRONMENT: \(name)"
      #expect(answer.out.contains(setting), "\(service): \(answer.out)")
      #expect(answer.out.contains { $0.hasPrefix("# For the environment \(name).") })
      #expect(answer.err.contains { $0.hasPrefix("For the environment \(name).") }, "\(answer.err)")
    }
    let crontab = try shell.run("\(setUp)\nkeyplan ci cron -e \(name)")
    #expect(crontab.out.contains { $0.contains(" KEYPLAN_ENVIRONMENT=\(name) ") })
    #expect(crontab.err.contains { $0.contains("keyplan ci cron -e \(name) > ") })
  }

  @Test("is the file of the recipe for pull requests, and the pages that name it have the same settings")
  func recipe() throws {
    let example = RecipeTests.folder.appending(path: "gitops")
    let shell = try Shell()
    let address = "postgres://owner@db.example.com/keys?project=shop"
    for (service, file) in [("github", ".github/workflows/keyplan.yml"), ("gitlab", ".gitlab-ci.yml")] {
      let answer = try shell.run(
        "rm -rf copy; cp -R '\(example.path)' copy; cd copy; rm -f keyplan.lock; KEYPLAN_STORE='\(address)' keyplan ci \(service) --quiet"
      )
      #expect(answer.code == 0 && answer.err == [])
      let path = example.appending(path: file)
      if ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] == "examples/gitops" {
        try Data((answer.out.joined(separator: "\n") + "\n").utf8).write(to: path)
        Issue.record("\(file) was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
      }
      let text = try String(contentsOf: path, encoding: .utf8)
      #expect(answer.out.joined(separator: "\n") + "\n" == text, "\(file) is not what keyplan ci \(service) prints")
    }
    let readme = try String(contentsOf: example.appending(path: "README.md"), encoding: .utf8)
    for name in [
      "KEYPLAN_STORE_READING", "KEYPLAN_STORE", "KEYPLAN_IDENTITY_PLANNING", "KEYPLAN_IDENTITY", "KEYPLAN_PIN",
    ] {
      #expect(readme.contains("`\(name)`"), "\(name)")
    }
  }

  @Test("of the recipe for cron has the directives of its unit")
  func schedule() throws {
    let example = RecipeTests.folder.appending(path: "drift-cron")
    let shell = try Shell()
    let answer = try shell.run(
      "cp -R '\(example.path)/.' .; mkdir -m 700 ~/s; keyplan init --quiet --store ~/s/shop.db; "
        + "keyplan ci cron --quiet --store ~/s/shop.db; keyplan ci cron --timer --quiet")
    #expect(answer.code == 0, "\(answer.err)")
    let texts = try ["keyplan-drift.service", "keyplan-drift.timer"].map {
      try String(contentsOf: example.appending(path: $0), encoding: .utf8)
    }
    let known = Set(texts.joined(separator: "\n").split(separator: "\n").map(String.init))
    let own = [
      "Description=", "User=", "WorkingDirectory=", "Environment=KEYPLAN_STORE=", "ReadWritePaths=", "ExecStart=",
    ]
    let lines = answer.out.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    #expect(lines.count > 35)
    for line in lines where !own.contains(where: line.hasPrefix) { #expect(known.contains(line), "\(line)") }
    #expect(lines.contains("WorkingDirectory=<here>") && lines.contains("Environment=KEYPLAN_STORE=<home>/s/shop.db"))
  }
}
