import Foundation
import TestTools
import Testing

/// Files that configure keyplan or the programs that it runs, in a checkout whose author is somebody else.
@Suite("Configuration in the checkout")
struct CheckoutConfigurationTests {
  // MARK: Kubernetes

  /// What a pull request writes into the kubeconfig that the job's KUBECONFIG names.
  enum ClusterAttack: CaseIterable { case program, otherServer, tokenFile, unchanged }

  @Test(
    "of Kubernetes is not used: no program runs, and nobody gets a file as a token", arguments: ClusterAttack.allCases)
  func kubeconfig(attack: ClusterAttack) throws {
    let cluster = try FakeCluster()
    let theirs = cluster.address("theirs")
    let pull = try cluster.pullRequest { $0.project + "/kubeconfig" }
    let runner = try pull.runner()
    try Data("made-up-token-of-the-job".utf8).write(to: URL(filePath: runner.home + "/token"))
    switch attack {
    case .program:
      try runner.write(FakeCluster.config(theirs, user: Self.exec("/usr/bin/touch", pull.marker)), to: "kubeconfig")
    case .otherServer: try runner.write(FakeCluster.config(theirs), to: "kubeconfig")
    case .tokenFile:
      try runner.write(FakeCluster.config(theirs, user: "tokenFile: \(runner.home)/token"), to: "kubeconfig")
    case .unchanged: break
    }
    try runner.commitAll()
    _ = try cluster.requests("ours")
    var isAllowed = attack == .unchanged
    for command in [["plan"], ["drift"], ["report"], ["metrics"], ["doctor"], ["apply", "--yes"], ["plan"]] {
      let answer = try runner.start([Shell.program] + command).wait()
      #expect(!pull.wasRun, "\(command) ran the program")
      let text = Self.flat(answer.out + answer.err)
      // A change is to be allowed first, and the file is refused all the same.
      if command == ["plan"], !text.contains("$KUBECONFIG changed") || isAllowed {
        #expect(answer.code == 1 && text.contains("tracked by git"), "\(answer.code) \(answer.out)\(answer.err)")
      }
      isAllowed = isAllowed || command.first == "apply"
    }
    #expect(try cluster.requests("theirs") == "[]\n" && cluster.requests("ours") == "[]\n")
  }

  @Test("that an earlier step of the job wrote, and git does not track, is used")
  func writtenByTheJob() throws {
    let cluster = try FakeCluster()
    let pull = try cluster.pullRequest { $0.home + "/kubeconfig" }
    let runner = try pull.runner()
    try runner.commitAll()
    try FileManager.default.moveItem(atPath: runner.home + "/kubeconfig", toPath: runner.project + "/kubeconfig")
    runner.variables["KUBECONFIG"] = runner.project + "/kubeconfig"
    _ = try cluster.requests("ours")
    let plan = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 0, "\(plan.code) \(plan.out)\(plan.err)")
    #expect(try cluster.requests("ours").contains("GET"))
  }

  @Test("of the user is trusted, but names no program of the checkout, also by a relative path, nor an argument in it")
  func programOfTheCheckout() throws {
    let cluster = try FakeCluster()
    let pull = try cluster.pullRequest { $0.home + "/kubeconfig" }
    let runner = try pull.runner()
    try runner.write("#!/bin/sh\ntouch \(pull.marker)\n", to: "token.sh")
    chmod(runner.project + "/token.sh", 0o755)
    try runner.commitAll()
    for user in [
      Self.exec(runner.project + "/token.sh"), Self.exec("/bin/sh", runner.project + "/token.sh"),
      Self.exec("/bin/sh", "-c", ". \(runner.project)/token.sh"),
      Self.exec("../project/token.sh"),
    ] {
      let config = FakeCluster.config(cluster.address("ours"), user: user)
      try Data(config.utf8).write(to: URL(filePath: runner.home + "/kubeconfig"))
      let plan = try runner.keyplan("plan")
      #expect(plan.code != 0 && !pull.wasRun, "\(user): \(plan.code) \(plan.out)\(plan.err)")
    }
  }

  @Test("that git tracks is a term of the permission where the checkout is trusted")
  func term() throws {
    let cluster = try FakeCluster()
    let pull = try cluster.pullRequest { $0.project + "/kubeconfig" }
    let sandbox = pull.sandbox
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)
    _ = try cluster.requests("ours")
    try sandbox.write(FakeCluster.config(cluster.address("theirs")), to: "kubeconfig")
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("$KUBECONFIG changed"), "\(plan.out)\(plan.err)")
    #expect(try cluster.requests("theirs") == "[]\n", "it was used before it was allowed")
  }

  @Test("names no place: one that is not recorded is not asked which names it has, through an allowed connection")
  func unrecordedPlace() throws {
    let cluster = try FakeCluster()
    let pull = try cluster.pullRequest { $0.home + "/kubeconfig" }
    let runner = try pull.runner()
    try runner.edit("keyplan.yaml") {
      $0.replacing(
        "targets:\n",
        with:
          "targets:\n  other: { type: kubernetes, context: prod, namespace: shop, name: others, keys: { A: key } }\n")
    }
    _ = try cluster.requests("ours")
    let plan = try runner.keyplan("plan")
    #expect(plan.code == 0 && plan.out.contains("target.other"), "\(plan.code) \(plan.out)\(plan.err)")
    let asked = try cluster.requests("ours")
    #expect(asked.contains("api-keys") && !asked.contains("others"), "\(asked)")
    let applied = try runner.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try runner.keyplan("plan", "--detailed-exitcode").code == 0)
    #expect(try cluster.requests("ours").contains("others"))
  }

  // MARK: AWS

  /// What a pull request writes into the file that the job's AWS_CONFIG_FILE names, or what is in the user's own file.
  enum AWSAttack: CaseIterable { case program, endpoint, relativeProgram, programOfTheCheckout }

  @Test("of AWS is not used: no program runs, and no signed request is sent elsewhere", arguments: AWSAttack.allCases)
  func aws(attack: AWSAttack) throws {
    let server = try FakeSecretsManager()
    let pull = try PullRequest(
      keys: "key: { provider: generic, source: 'awssm://app#A' }"
    ) {
      $0.variables["AWS_REGION"] = "eu-central-1"
      $0.variables["AWS_CONFIG_FILE"] = $0.project + "/aws.ini"
      $0.variables["AWS_ENDPOINT_URL_SECRETS_MANAGER"] = server.address
      try $0.write("[default]\naws_access_key_id = AKIAMADEUP\naws_secret_access_key = made-up\n", to: "aws.ini")
    }
    let runner = try pull.runner()
    try runner.write("#!/bin/sh\ntouch \(pull.marker)\n", to: "creds.sh")
    chmod(runner.project + "/creds.sh", 0o755)
    let usual = "aws_access_key_id = AKIAMADEUP\naws_secret_access_key = made-up\n"
    let outside = runner.home + "/aws.ini"
    switch attack {
    case .program:
      try runner.write("[default]\ncredential_process = /usr/bin/touch \(pull.marker)\n", to: "aws.ini")
    case .endpoint:
      runner.variables["AWS_ENDPOINT_URL_SECRETS_MANAGER"] = nil
      try runner.write("[default]\nendpoint_url = \(server.address)\n\(usual)", to: "aws.ini")
    case .relativeProgram, .programOfTheCheckout:
      let program = attack == .relativeProgram ? "./creds.sh" : runner.project + "/creds.sh"
      try Data("[default]\ncredential_process = \(program)\n".utf8).write(to: URL(filePath: outside))
      runner.variables["AWS_CONFIG_FILE"] = outside
    }
    try runner.commitAll()
    let before = server.count
    let plan = try runner.keyplan("plan")
    let isShown = plan.out.contains("$AWS_CONFIG_FILE changed")
    #expect((plan.code != 0 || isShown) && !pull.wasRun, "\(plan.code) \(plan.out)\(plan.err)")
    let applied = try runner.keyplan("apply", "--yes")
    #expect(applied.code != 0 && !pull.wasRun, "\(applied.code) \(applied.out)\(applied.err)")
    #expect(server.count == before, "a request was sent")
    // Written by an action, and not tracked.
    try Data("[default]\n\(usual)".utf8).write(to: URL(filePath: runner.project + "/written.ini"))
    runner.variables["AWS_CONFIG_FILE"] = runner.project + "/written.ini"
    runner.variables["AWS_ENDPOINT_URL_SECRETS_MANAGER"] = server.address
    let own = try runner.keyplan("plan")
    #expect(own.code == 0 && server.count > before, "\(own.code) \(own.out)\(own.err)")
  }

  // MARK: Stores and certificates

  @Test(
    "of libpq, and certificates, are refused before the store's server is contacted",
    arguments: [
      "PGSERVICEFILE=/checkout/svc", "PGSERVICEFILE=svc", "PGPASSFILE=/checkout/svc", "PGSSLKEY=/checkout/svc",
      "PGSYSCONFDIR=/checkout/conf", "SSL_CERT_FILE=/checkout/svc", "passfile=/checkout/svc", "passfile=svc",
      "sslrootcert=/checkout/svc", "sslkey=/checkout/svc", "OPENSSL_CONF=/checkout/svc", "HOME=/checkout/home",
      "PGSERVICEFILE=/checkout/link", "PGSERVICEFILE=/link/svc",
    ])
  func libpq(setting: String) throws {
    let pull = try PullRequest()
    let runner = try pull.runner()
    try runner.write("[keys]\nhost=127.0.0.1\nport=9\n", to: "svc")
    for folder in ["conf", "home"] { try #require(mkdir(runner.project + "/" + folder, 0o755) == 0) }
    try runner.write("", to: "conf/pg_service.conf")
    symlink("svc", runner.project + "/link")
    symlink(runner.project, runner.root + "/link")
    try runner.commitAll()
    let parts = setting.replacing("/checkout", with: runner.project).replacing("/link/", with: runner.root + "/link/")
      .split(separator: "=")
    let (name, value) = (String(parts[0]), String(parts[1]))
    let isOption = name.first?.isLowercase == true
    // A server on another machine, whose certificate would be verified with the system's or the given authorities.
    let host = name == "SSL_CERT_FILE" ? "keys.invalid" : "127.0.0.1:9"
    runner.variables["KEYPLAN_STORE"] = "postgres://keyplan@\(host)/keys" + (isOption ? "?\(name)=\(value)" : "")
    if name == "HOME" {
      (runner.variables["XDG_STATE_HOME"], runner.variables["XDG_CONFIG_HOME"]) = (
        runner.home + "/.local/state", runner.home + "/.config"
      )
    }
    if !isOption { runner.variables[name] = value }
    let answer = try runner.keyplan("plan")
    #expect(answer.code == 9, "\(answer.code) \(answer.out)\(answer.err)")
    #expect(answer.err.contains("in the work tree"), "\(answer.err)")
    // What git does not track is used.
    guard value.hasPrefix(runner.project), !["HOME", "PGSYSCONFDIR"].contains(name) else { return }
    try runner.write("", to: "written")
    if isOption {
      runner.variables["KEYPLAN_STORE"] = "postgres://keyplan@\(host)/keys?\(name)=\(runner.project)/written"
    } else {
      runner.variables[name] = runner.project + "/written"
    }
    #expect(try !runner.keyplan("plan").err.contains("in the work tree"))
  }

  // MARK: Commands

  /// A way to have a command use something of the checkout.
  enum CommandAttack: CaseIterable { case variable, folder, link, home }

  @Test(
    "is not used by a command: by a variable that names a tracked file, or by a link", arguments: CommandAttack.allCases
  )
  func command(attack: CommandAttack) throws {
    let text: String =
      switch attack {
      case .variable: "command: [sh, -c, 'cat \"$CONFIG\"'], variables: [CONFIG]"
      case .folder: "command: [sh, -c, 'cat \"$FOLDER/config\"'], variables: [FOLDER]"
      case .link: "command: [sh, -c, 'cat LINK/config']"
      case .home: "command: [sh, -c, 'cat \"$HOME/link/config\"']"
      }
    // The manifest is written before the sandbox has a name.
    let link = "/tmp/keyplan-link-\(UUID().uuidString)"
    let pull = try PullRequest(keys: "key: { provider: generic, source: { \(text.replacing("LINK", with: link)) } }") {
      symlink($0.project, $0.home + "/link")
      try $0.write("ours\n", to: "config")
      ($0.variables["CONFIG"], $0.variables["FOLDER"]) = ($0.project + "/config", $0.project)
      symlink($0.project, link)
    }
    defer { unlink(link) }
    let runner = try pull.runner()
    for path in [link, runner.home + "/link"] {
      unlink(path)
      symlink(runner.project, path)
    }
    let unchanged = try runner.keyplan("plan")
    #expect((unchanged.out + unchanged.err).contains("not read here"), "\(unchanged.out)\(unchanged.err)")
    try runner.write("theirs\n", to: "config")
    try runner.commitAll()
    let plan = try runner.keyplan("plan")
    #expect(!(plan.out + plan.err).contains("replaced"), "\(plan.out)\(plan.err)")
    if attack == .variable { #expect(plan.out.contains("$CONFIG changed"), "\(plan.out)\(plan.err)") }
  }

  @Test("that the job wrote is used by a command, whose variable names it")
  func commandWithWrittenFile() throws {
    let pull = try PullRequest(
      keys: "key: { provider: generic, source: { command: [sh, -c, 'cat \"$CONFIG\"'], variables: [CONFIG] } }"
    ) {
      $0.variables["CONFIG"] = $0.home + "/config"
      try Data("value\n".utf8).write(to: URL(filePath: $0.home + "/config"))
    }
    let runner = try pull.runner()
    try runner.write("value\n", to: "written")
    runner.variables["CONFIG"] = runner.project + "/written"
    let plan = try runner.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 0 && !(plan.out + plan.err).contains("not read here"), "\(plan.out)\(plan.err)")
  }

  /// An argument whose content nothing can be said about.
  enum Unverifiable: CaseIterable { case directory, large, link }

  @Test(
    "is no argument if its content cannot be verified: nothing is allowed, and nothing runs",
    arguments: Unverifiable.allCases)
  func unverifiable(what: Unverifiable) throws {
    let program = "{ command: [./run.sh, ./thing] }"
    let pull = try PullRequest {
      try $0.write("#!/bin/sh\ntouch \($0.root)/was-run\necho value\n", to: "run.sh")
      chmod($0.project + "/run.sh", 0o755)
    }
    let runner = try pull.runner()
    switch what {
    case .directory:
      try #require(mkdir(runner.project + "/thing", 0o755) == 0)
      try runner.write("x", to: "thing/x")
    case .large: try #require(truncate(path: runner.project + "/thing", 65 << 20))
    case .link: symlink(runner.home + "/.config/keyplan/identity.txt", runner.project + "/thing")
    }
    try runner.edit("keyplan.yaml") {
      $0.replacing("keys:\n", with: "keys:\n  new: { provider: generic, source: \(program) }\n")
    }
    try runner.commitAll()
    for command in [["plan"], ["apply", "--yes"], ["apply", "--yes"]] {
      let answer = try runner.start([Shell.program] + command).wait()
      #expect(answer.code != 0 && !pull.wasRun, "\(command): \(answer.code) \(answer.out)\(answer.err)")
      #expect((answer.out + answer.err).contains("Content cannot be verified"), "\(answer.out)\(answer.err)")
      #expect(!(answer.out + answer.err).contains("sha256:"), "\(answer.out)")
    }
    try runner.edit("keyplan.yaml") { $0.replacing("./thing] }", with: "./thing], data: [./thing] }") }
    let applied = try runner.keyplan("apply", "--yes")
    #expect(applied.code == 0 && pull.wasRun, "\(applied.out)\(applied.err)")
  }

  @Test("has a digest in no plan that somebody without the store can compute, nor any that depends on a file outside")
  func digests() throws {
    func digest(of pin: String) throws -> (plan: String, terms: Set<String>) {
      let pull = try PullRequest { try $0.write("#!/bin/sh\necho value\n", to: "run.sh") }
      let runner = try pull.runner()
      try runner.write(pin, to: ".env")
      symlink(runner.home + "/.config/keyplan/identity.txt", runner.project + "/id")
      try runner.edit("keyplan.yaml") {
        $0.replacing(
          "keys:\n", with: "keys:\n  new: { provider: generic, source: { command: [/bin/cat, ./.env, ./run.sh] } }\n")
      }
      try runner.commitAll()
      let plan = try runner.keyplan("plan", "--json")
      #expect(plan.code == 0, "\(plan.out)\(plan.err)")
      _ = try runner.keyplan("plan", "--out", "plan.kp")
      let file = try String(contentsOfFile: runner.project + "/plan.kp", encoding: .utf8)
      try runner.edit("keyplan.yaml") { $0.replacing("./run.sh]", with: "./id]") }
      let linked = try runner.keyplan("plan", "--json")
      let text = plan.out + file + linked.out
      for path in [".env", "run.sh", "id"] {
        for sum in ["md5sum", "sha1sum", "sha256sum", "sha512sum"] {
          let hash = try runner.start(["/usr/bin/\(sum)", runner.project + "/" + path]).wait().out.prefix(12)
          #expect(hash.count == 12 && !text.contains(hash), "\(path) \(sum)")
        }
      }
      #expect(!linked.out.contains("id hmac:") && linked.out.contains("contentUnknown"), "\(linked.out)")
      return (text, Set(text.matches(of: /hmac:[0-9a-f]{32}/).map { String($0.output) }))
    }
    let (one, same) = (try digest(of: "493027\n"), try digest(of: "493027\n"))
    #expect(one.terms.count == 2 && same.terms.count == 2, "\(one.plan)")
    #expect(one.terms.isDisjoint(with: same.terms), "another store has other digests of the same files")
  }

  private func truncate(path: String, _ size: off_t) -> Bool {
    let file = open(path, O_WRONLY | O_CREAT, 0o644)
    defer { close(file) }
    return file >= 0 && ftruncate(file, size) == 0
  }

  // MARK: What is tracked

  @Test("is tracked in a submodule, whatever the submodule's own index says, and without readable git data")
  func submodules() throws {
    for attack in ["submodule", "untracked in it", "not checked out", "no repository", "split index"] {
      let pull = try PullRequest(
        keys: "key: { provider: generic, source: 'dotenv://sub/.env#GUESS' }"
      ) {
        try #require(mkdir($0.project + "/sub", 0o755) == 0)
        try $0.write("GUESS=\(PullRequest.secret)\n", to: "sub/.env")
      }
      var answers: [String] = []
      for guess in [PullRequest.secret, "not" + PullRequest.secret.dropFirst(3)] {
        let runner = try pull.runner()
        try FileManager.default.removeItem(atPath: runner.project + "/sub")
        try runner.commitAll()
        try #require(mkdir(runner.project + "/sub", 0o755) == 0)
        try runner.write("# \(attack)\nGUESS=\(guess)\n", to: "sub/.env")
        let script =
          switch attack {
          case "submodule":
            "cd sub && git init -q && git add -f .env && git commit -qm x && cd .. && git add sub && git commit -qm y"
          case "untracked in it":
            "cd sub && git init -q && git commit -q --allow-empty -m x && cd .. && git add sub && git commit -qm y"
          case "not checked out":
            "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && git commit -qm y"
          case "no repository": "rm -rf .git"
          default: "git add -f sub/.env && git commit -qm y && git update-index --split-index"
          }
        let identity =
          "export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=t"
          + " GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=t@example.com;"
        let made = try runner.start(["sh", "-ec", identity + script]).wait()
        try #require(made.code == 0, "\(attack): \(made.err)")
        let plan = try runner.keyplan("plan", "--json")
        answers.append("\(plan.code)\n" + plan.out.replacing(/[0-9a-f]{32,64}|kp1-[0-9a-z]{26}/, with: "…"))
      }
      #expect(answers[0] == answers[1], "\(attack)")
      #expect(answers[0].contains("key.key"), "it was not asked: \(answers[0])")
    }
  }

  @Test("shows no place in an untracked file that is a new target: it cannot be edited there")
  func positions() throws {
    let pull = try PullRequest()
    var answers: Set<String> = []
    for secret in ["x", "xxxxxxxxxxxxxxxxxxxxxx"] {
      let runner = try pull.runner()
      // Written by the job, and ended where its parser stops.
      try runner.write("{\"token\": \"\(secret)\" oops}", to: "written.json")
      try runner.edit("keyplan.yaml") {
        $0 + "targets: { app: { type: json, path: written.json, keys: { RECORDED: key } } }\n"
      }
      for command in [["plan"], ["plan", "--json"], ["drift"]] {
        let answer = try runner.start([Shell.program] + command).wait()
        let text = (answer.out + answer.err).replacing(/[0-9a-f]{32,64}|kp1-[0-9a-z]{26}/, with: "…")
        #expect(!text.contains(/[Cc]olumn \d|written\.json:\d/), "\(text)")
        if command == ["plan"] {
          #expect(text.contains("cannot be edited there"), "\(text)")
          answers.insert(text)
        }
      }
    }
    #expect(answers.count == 1)
  }

  @Test("has no events written through a link that leads nowhere")
  func events() throws {
    let runner = try PullRequest().runner()
    symlink(runner.home + "/.bashrc", runner.project + "/events.jsonl")
    let plan = try runner.keyplan("plan", "--events", "events.jsonl")
    #expect(access(runner.home + "/.bashrc", F_OK) != 0, "\(plan.out)\(plan.err)")
    #expect(plan.err.contains("belongs to an untrusted"), "\(plan.err)")
  }

  private static func exec(_ command: String, _ arguments: String...) -> String {
    let list = arguments.map { "'\($0)'" }.joined(separator: ", ")
    return
      "exec: { apiVersion: client.authentication.k8s.io/v1, command: '\(command)', args: [\(list)], interactiveMode: Never }"
  }

  private static func flat(_ text: String) -> String { text.split { $0.isWhitespace }.joined(separator: " ") }
}

/// The fake API server of Kubernetes.
private final class FakeCluster {
  private let server: FixtureServer
  private let certificates = try? Scratch()
  private let port: Int

  init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "KeyplanRemoteTests/Fixtures")
    let folder = try #require(certificates)
    try #require(try Child.run([fixtures.appending(path: "make-certificates.sh").path, folder.path]) == 0)
    server = try FixtureServer([fixtures.appending(path: "kubernetes.py").path, folder.path])
    port = try #require(try JSONDecoder().decode([String: Int].self, from: server.greeting)["http"])
  }

  func address(_ name: String) -> String { "http://127.0.0.1:\(port)/i/\(name)" }

  func requests(_ name: String) throws -> String {
    let script = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
    let sandbox = try ProgramSandbox()
    return try sandbox.start(["python3", "-c", script, address(name) + "/_/requests"]).wait().out
  }

  static func config(_ server: String, user: String = "token: good") -> String {
    """
    contexts: [{ name: prod, context: { cluster: main, user: ci } }]
    clusters: [{ name: main, cluster: { server: "\(server)" } }]
    users: [{ name: ci, user: { \(user) } }]
    """
  }

  /// A project that was applied with a target in the cluster `ours`.
  func pullRequest(_ path: (ProgramSandbox) -> String) throws -> PullRequest {
    try PullRequest(
      more: """
        targets:
          app: { type: kubernetes, context: prod, namespace: shop, name: api-keys, keys: { A: key } }

        """
    ) {
      $0.variables["KUBECONFIG"] = path($0)
      $0.variables["COLUMNS"] = "300"
      try Data(Self.config(address("ours")).utf8).write(to: URL(filePath: path($0)))
    }
  }
}

/// A server that answers every request with a secret of Secrets Manager, and counts.
private final class FakeSecretsManager {
  private let server: FixtureServer
  private let scratch: Scratch
  let address: String

  init() throws {
    scratch = try Scratch()
    let script = """
      import http.server, json, sys
      class Answers(http.server.BaseHTTPRequestHandler):
          def do_POST(self):
              self.rfile.read(int(self.headers.get("content-length", 0)))
              with open(sys.argv[1], "a") as log: log.write(self.headers.get("x-amz-target", "?") + "\\n")
              body = json.dumps({"ARN": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:app-AbCdEf", "Name": "app",
                                 "VersionId": "v1", "VersionStages": ["AWSCURRENT"],
                                 "SecretString": json.dumps({"A": "made-up-of-aws"})}).encode()
              self.send_response(200)
              self.send_header("content-type", "application/x-amz-json-1.1")
              self.send_header("content-length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
          def log_message(self, *_): pass
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
      print(server.server_port, flush=True)
      import threading
      threading.Thread(target=server.serve_forever, daemon=True).start()
      sys.stdin.read()
      """
    let path = try scratch.write(script, to: "server.py")
    server = try FixtureServer([path, scratch["log"]])
    address = "http://127.0.0.1:\(String(decoding: server.greeting, as: UTF8.self))"
  }

  /// How many requests came.
  var count: Int { (try? scratch.text("log"))?.split(separator: "\n").count ?? 0 }
}
