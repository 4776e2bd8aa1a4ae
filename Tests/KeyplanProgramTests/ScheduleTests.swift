import Foundation
import Testing

/// The cron line and the systemd units of `examples/drift-cron`.
@Suite("A schedule")
struct ScheduleTests {
  private static let example = RecipeTests.folder.appending(path: "drift-cron")
  private static let analyze = "/usr/bin/systemd-analyze"
  private static let hasSystemd = access(analyze, X_OK) == 0

  /// A copy of the example, with its program beside keyplan and its store where the unit's would be.
  private static let setUp = """
    \(store); cp -R '\(example.path)/.' . && cp .env.example .env && \
    install -m 755 vault.sh "$(dirname "$(command -v keyplan)")/shop-vault"
    """

  private static let store = "export KEYPLAN_STORE=$HOME/state/shop.db"

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: example.appending(path: name), encoding: .utf8)
  }

  /// What cron and the service run, each as one line for a shell.
  private static func commands() throws -> [String] {
    let line = try #require(try text("keyplan.cron").split(separator: "\n").last)
    let fields = line.split(separator: " ", maxSplits: 6).map(String.init)
    let cron = try #require(fields.last?.firstRange(of: "cd /srv/shop && ")).upperBound
    let service = try #require(try text("keyplan-drift.service").firstMatch(of: /ExecStart=\/usr\/local\/bin\/(.*)/))
    let before = try #require(try text("keyplan-drift.service").firstMatch(of: /ExecStartPre=-\/usr\/local\/bin\/(.*)/))
    return [String(try #require(fields.last)[cron...]), "{ \(before.1); \(service.1); }"]
  }

  @Test("is a line that cron takes")
  func cron() throws {
    let text = try Self.text("keyplan.cron")
    #expect(text.hasSuffix("\n"), "cron leaves out a last line that does not end")
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.wholeMatch(of: /[A-Z_]+=\S+/) != nil { continue }
      let fields = line.split(separator: " ", maxSplits: 6).map(String.init)
      try #require(fields.count == 7, "five times, the account, the command: \(line)")
      let limits = [0...59, 0...23, 1...31, 1...12, 0...7]
      for (field, limit) in zip(fields, limits) {
        #expect(field == "*" || Int(field).map(limit.contains) == true, "\(field)")
      }
      #expect(!fields[6].contains("%"), "to cron a percent sign is a line feed")
    }
  }

  @Test("keeps the store at an absolute path outside of the work tree, which git could replace")
  func place() throws {
    let places = try ["keyplan.cron", "keyplan-drift.service"].map { name in
      String(try #require(try Self.text(name).firstMatch(of: /\n(?:Environment=)?KEYPLAN_STORE=(\/\S+)\n/)).1)
    }
    #expect(Set(places).count == 1 && !places[0].hasPrefix("/srv/shop/"), "\(places)")
    let directory = try #require(try Self.text("keyplan-drift.service").firstMatch(of: /\nStateDirectory=(\S+)\n/)).1
    #expect(places[0].hasPrefix("/var/lib/\(directory)/"), "the service may write there")
    #expect(try Self.text("README.md").contains(places[0]))
  }

  @Test("runs a command that is silent while all is well, and fails with words when it is not")
  func command() throws {
    let commands = try Self.commands()
    #expect(commands[0] == commands[1], "cron and systemd ask the same")
    let shell = try Shell()
    let made = try shell.run(
      "\(Self.setUp) && keyplan init --quiet && keyplan apply --yes --quiet")
    try #require(made.code == 0, "\(made.err)")
    #expect(
      try shell.run("test ! -e .keyplan/shop.db && test ! -e .keyplan/default.db && test -f ~/state/shop.db").code == 0)
    let quiet = try shell.run("\(Self.store); \(commands[0])")
    #expect(quiet.code == 0 && (quiet.out + quiet.err).isEmpty, "\(quiet)")
    let loud = try shell.run("\(Self.store); echo MAIL_KEY=x >shop.env; \(commands[0])")
    #expect(loud.code == 2 && loud.out.contains("2 findings."), "\(loud)")

    // A calendar account whose service is away: for two hours that is nobody's business.
    let account = """
      calendars:
        work:
          service: google
          account: ci@example.com
          client: { id: made-up }
          token: file://token.txt
          endpoints: { token: "http://127.0.0.1:9/token", api: "http://127.0.0.1:9/v3" }
      """
    let adopted = try shell.run(
      "\(Self.store); echo made-up-token >token.txt && echo '\(account)' >>keyplan.yaml && keyplan apply --yes --quiet")
    try #require(adopted.code == 3 && adopted.out.contains { $0.contains("1 imported") }, "\(adopted)")
    let passing = try shell.run("\(Self.store); \(commands[0])")
    #expect(passing.code == 0 && (passing.out + passing.err).isEmpty, "\(passing)")
    let lasting = try shell.run(
      "\(Self.store); sed -i 's/2[^\"]*Z/2026-01-01T00:00:00Z/' ~/.local/state/keyplan/outages-*; \(commands[0])")
    #expect(lasting.code == 8, "\(lasting)")
    #expect(lasting.out.contains("error: Service unreachable"), "\(lasting)")
    #expect(lasting.out.contains("warning: Calendar account not checked"), "\(lasting)")
  }

  @Test("has units that systemd takes without a word", .enabled(if: hasSystemd, "needs systemd-analyze"))
  func units() throws {
    let shell = try Shell()
    let copied = try shell.run(
      """
      cp '\(Self.example.path)'/keyplan-* . && mv keyplan-alert@.service keyplan-alert@x.service
      sed -i 's|/usr/local/bin/keyplan|\(Shell.program)|' *.service
      """)
    try #require(copied.code == 0)
    let units = "keyplan-drift.service keyplan-drift.timer keyplan-alert@x.service"
    let verified = try shell.run("\(Self.analyze) verify --man=no \(units)")
    // An older systemd tells what is wrong, and exits with 0.
    #expect(verified.code == 0 && (verified.out + verified.err).isEmpty, "\(verified.out + verified.err)")
    let broken = try shell.run(
      "sed -i s/ProtectClock/ProtectClok/ keyplan-drift.service; \(Self.analyze) verify --man=no keyplan-drift.service")
    #expect((broken.out + broken.err).contains { $0.contains("ProtectClok") }, "it would tell")
    // 0 is the most that systemd can hold back, 100 nothing.
    let exposed = try shell.run(
      "\(Self.analyze) security --offline=true --threshold=20 --no-pager keyplan-drift.service")
    #expect(exposed.code == 0, "\(exposed.out.suffix(1))")
  }

  @Test(
    "asks the kernel for nothing that the unit forbids, and writes only what it remembers",
    .enabled(if: hasSystemd && FaultTracer.isWanted, "needs systemd-analyze and strace"))
  func calls() throws {
    try FaultTracer.requireTracer()
    let shell = try Shell()
    let command = try Self.commands()[1].replacing("keyplan drift", with: "strace -f -qq -o calls keyplan drift")
    // The vault is away, comes back, and the target was edited: an outage is remembered and forgotten.
    let traced = try shell.run(
      """
      \(Self.setUp) && keyplan init --quiet && keyplan apply --yes --quiet
      touch ~/vault-away; \(command); mv calls all; rm ~/vault-away; echo MAIL_KEY=x >shop.env; \(command); cat calls >>all
      """)
    #expect(traced.out.contains("2 findings."), "\(traced)")
    let lines = FileTrace.joined(shell.content(of: "all").map { Substring($0) }).map { "\($0.process) \($0.text)" }
    let called = Set(lines.compactMap { $0.firstMatch(of: /^\d+ +([a-z0-9_]+)\(/).map { String($0.1) } })
    try #require(called.contains("openat") && called.contains("execve"))
    let forbidden = called.subtracting(try Self.allowedCalls())
    #expect(forbidden.isEmpty)
    let words = ["O_WRONLY", "O_RDWR", "O_CREAT", "mkdir(", "rename", "unlink"]
    let writes = lines.filter { line in words.contains(where: line.contains) && !line.contains("\"/dev/null\"") }
    #expect(writes.contains { $0.contains("outages-") })
    for line in writes {
      #expect(line.contains("/.local") || line.contains("\"outages-") || line.contains("/keyplan-command-"), "\(line)")
    }
    #expect(!lines.contains { $0.contains("PROT_WRITE|PROT_EXEC") }, "MemoryDenyWriteExecute forbids it")
  }

  /// What the unit's SystemCallFilter lets through: sets are taken in or, behind `~`, taken out.
  private static func allowedCalls() throws -> Set<String> {
    var sets: [String: [String]] = [:]
    var name = ""
    for line in try Shell().run("\(analyze) syscall-filter --no-pager").out {
      if line.hasPrefix("@") { name = line } else { sets[name, default: []].append(line.filter { $0 != " " }) }
    }
    func expanded(_ word: String) -> Set<String> {
      word.hasPrefix("@") ? (sets[word] ?? []).reduce(into: []) { $0.formUnion(expanded($1)) } : [word]
    }
    var allowed: Set<String> = []
    for filter in try text("keyplan-drift.service").matches(of: /\nSystemCallFilter=(~?)(.*)/) {
      for word in filter.2.split(separator: " ") {
        if filter.1.isEmpty {
          allowed.formUnion(expanded(String(word)))
        } else {
          allowed.subtract(expanded(String(word)))
        }
      }
    }
    return allowed
  }
}
