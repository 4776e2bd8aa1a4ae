import Foundation
import Testing

/// Tokens, a client's secret and a password go in or come back; nothing but where they belong may hold them afterwards.
@Suite(
  "A secret of a calendar account",
  .enabled(if: AccountPeer.python != nil && FaultTracer.isWanted, "run make setup-test, and install strace"))
struct CanaryAccountTests {
  /// A command, what it ends with, and what is so at its service meanwhile.
  private typealias Line = (words: String, code: Int32, fault: String)

  private static let withTokens: [Line] = [
    ("sign-in work", 0, "none"), ("status --verbose", 0, "none"), ("status --json", 0, "none"),
    ("refresh work --json --verbose", 0, "none"), ("refresh --all", 0, "none"), ("list work --verbose", 0, "none"),
    ("list work --json", 0, "none"), ("events work --from 2026-11-01 --verbose", 0, "none"),
    ("events work --from 2026-11-01 --json", 0, "none"), ("token work", 0, "none"), ("token work --verbose", 0, "none"),
    ("refresh work --verbose", 8, "html500"), ("refresh work --json", 8, "away"), ("sign-out work --yes", 0, "none"),
    ("sign-in work", 0, "none"), ("refresh work --verbose", 6, "revoked"), ("token work", 6, "none"),
  ]

  private static let withPassword: [Line] = [
    ("status --verbose", 0, "none"), ("status --json", 0, "none"), ("refresh --all --verbose", 0, "none"),
    ("list work --verbose", 0, "none"), ("list work --json", 0, "none"),
    ("events work --from 2026-11-01 --json --verbose", 0, "none"), ("sign-in work", 64, "none"),
    ("token work", 1, "none"),
  ]

  @Test(
    "goes to its service and nowhere else, whatever is done",
    arguments: [AccountPeer.Kind.google, .password].filter(\.isHere))
  func stays(kind: AccountPeer.Kind) throws {
    try FaultTracer.requireTracer()
    let project = try AccountProject(kind)
    let lines = kind == .password ? Self.withPassword : Self.withTokens
    var answers: [ProgramRun.Answer] = []
    for (index, line) in lines.enumerated() {
      if kind != .password { try project.peer.ask("fault", line.fault) }
      let tracer = CanaryTrace.command(Self.log(index, project))
      let words = line.words.split(separator: " ").map(String.init)
      let answer =
        words[0] == "sign-in" && line.code == 0
        ? try project.signIn(under: tracer)
        : try project.sandbox.start(tracer + [Shell.program, "calendar"] + words).wait()
      #expect(answer.code == line.code, "\(line.words): \(answer.out)\(answer.err)")
      answers.append(answer)
    }

    let search = try Self.search(for: project)
    for (index, (line, answer)) in zip(lines, answers).enumerated() {
      let allowed: Set<String> = line.words.hasPrefix("token") ? ["access_token"] : []
      #expect(search.found(in: Data(answer.out.utf8), allowing: allowed).isEmpty, "\(line.words): standard output")
      #expect(search.found(in: Data(answer.err.utf8)).isEmpty, "\(line.words): standard error")
      // What goes over a socket goes to the service: there is no other peer.
      for entry in try CanaryTrace(Self.log(index, project)).own() where !entry.sink.hasPrefix("socket:") {
        let found = search.found(in: entry.text, allowing: entry.sink.hasSuffix(".out") ? allowed : [])
        #expect(found.isEmpty, "\(line.words): \(entry.call) \(entry.sink): \(found)")
      }
    }
    for name in project.sandbox.files() {
      let bytes = try? Data(contentsOf: URL(filePath: project.sandbox.root + "/" + name))
      let found = search.found(in: bytes ?? Data(), allowing: name == "project/.env" ? ["secret"] : [])
      #expect(found.isEmpty, "\(name): \(found)")
    }
    try expectSeen(search, project, lines, answers)
  }

  private static func log(_ index: Int, _ project: AccountProject) -> String {
    "\(project.sandbox.root)/strace.\(index)"
  }

  /// All that the service gave out, and what it was given.
  private static func search(for project: AccountProject) throws -> CanarySearch {
    let given = project.peer.kind == .password ? [:] : try project.peer.ask("tokens").tokens ?? [:]
    let secrets = given.flatMap { name, values in values.map { CanarySecret(name, $0) } }
    return try CanarySearch([]).adding(secrets + [CanarySecret("secret", project.peer.addresses.secret)])
  }

  /// That the search would have found them: where they went by right it does.
  private func expectSeen(
    _ search: CanarySearch, _ project: AccountProject, _ lines: [Line], _ answers: [ProgramRun.Answer]
  ) throws {
    var sent: [String] = []
    for index in lines.indices {
      for entry in try CanaryTrace(Self.log(index, project)).own() where entry.sink.hasPrefix("socket:") {
        sent += search.found(in: entry.text)
      }
    }
    let names = project.peer.kind == .password ? ["secret"] : ["secret", "access_token", "refresh_token"]
    for name in names { #expect(sent.contains { $0.hasPrefix(name + " ") }, "\(name)") }
    for (line, answer) in zip(lines, answers) where line.words.hasPrefix("token") && line.code == 0 {
      #expect(search.found(in: Data(answer.out.utf8)).contains("access_token plain"))
    }
  }
}
