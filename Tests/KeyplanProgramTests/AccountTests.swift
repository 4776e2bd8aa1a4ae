import Foundation
import Testing

/// Calendar accounts at real authorization servers.
@Suite(
  "A calendar account", .enabled(if: AccountPeer.python != nil, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct AccountTests {
  typealias Kind = AccountPeer.Kind

  @Test("every kind of server is here", arguments: Kind.allCases)
  func here(kind: Kind) throws {
    withKnownIssue("\(kind) cannot be asked on this machine: make setup, make setup-test", isIntermittent: true) {
      #expect(kind.isHere)
    }
  }

  @Test("is signed in to by whoever follows the address, and is then read", arguments: Kind.withTokens)
  func signIn(kind: Kind) throws {
    let project = try AccountProject(kind)
    let before = try project.calendar("status")
    #expect(before.code == 6 && before.out.contains("not signed in yet"), "\(before.out)")
    #expect(before.out.contains("keyplan calendar sign-in work"))

    let signedIn = try project.signIn()
    #expect(signedIn.code == 0 && signedIn.out.contains("Applied: 1 signed in"), "\(signedIn.out)\(signedIn.err)")
    #expect(signedIn.err.contains("ssh -L "))
    let status = try project.calendar("status")
    #expect(status.code == 0 && status.out.contains("granted"), "\(status.out)\(status.err)")
    #expect(status.out.contains("Month"))
    #expect(try project.calendar("refresh", "--all", "--quiet").out == "")
    #expect(try project.peer.refreshes().isEmpty, "a token that is good is not replaced")

    let listed = try project.calendar("list", "work")
    #expect(listed.out.contains("● Month"), "\(listed.out)\(listed.err)")
    let events = try project.calendar("events", "work", "--from", "2026-11-01", "--to", "2026-12-01", "--json")
    let month = try JSONDecoder().decode(Events.self, from: Data(events.out.utf8))
    #expect(month.events.count == 1000 && month.unreadable == 0)
    #expect(month.events.first?.start.utc == "2026-11-01T00:00:00Z")

    // The token is for a pipe, and is seen nowhere else.
    let token = try project.calendar("token", "work")
    #expect(token.code == 0 && token.out.utf8.count > 10 && !token.out.contains("\n"))
    for words in [["status", "--json"], ["refresh", "work"], ["list", "work", "--json"]] {
      let answer = try project.sandbox.start([Shell.program, "calendar"] + words).wait()
      #expect(!(answer.out + answer.err).contains(token.out), "\(words)")
    }
    let store = try Data(contentsOf: URL(filePath: project.sandbox.store))
    #expect(store.range(of: Data(token.out.utf8)) == nil)
  }

  private struct Events: Decodable {
    struct Event: Decodable { let start: Time }
    struct Time: Decodable { let utc: String? }
    let events: [Event]
    let unreadable: Int
  }

  @Test(
    "that eight processes need at once is refreshed once, and all have the same token",
    arguments: Kind.withTokens + [.grace].filter(\.isHere))
  func atOnce(kind: Kind) throws {
    let project = try AccountProject(kind)
    #expect(try project.signIn(lifetime: 200).code == 0)
    let runs = try (0..<8).map { _ in try project.sandbox.start([Shell.program, "calendar", "token", "work"]) }
    let answers = runs.map { $0.wait() }
    #expect(answers.allSatisfy { $0.code == 0 }, "\(answers.map(\.err))")
    #expect(Set(answers.map(\.out)).count == 1)
    #expect(try project.peer.refreshes() == [200])
    let next = try project.calendar("refresh", "work")
    #expect(next.code == 0, "\(next.out)\(next.err)")
    #expect(try project.peer.refreshes() == [200, 200])
    #expect(try project.calendar("token", "work").out != answers[0].out)
  }

  @Test(
    "whose refresh is killed between the answer and its writing is told as that, or goes on",
    arguments: Kind.withTokens + [.rotating].filter(\.isHere))
  func killed(kind: Kind) throws {
    let project = try AccountProject(kind)
    #expect(try project.signIn(lifetime: 200).code == 0)
    try project.peer.ask("fault", "hold")
    let run = try project.sandbox.start([Shell.program, "calendar", "refresh", "work"])
    #expect(try project.peer.ask("held").held == true)
    kill(-run.process, SIGKILL)
    #expect(run.wait().code == 137)
    try project.peer.ask("fault", "none")

    let next = try project.calendar("refresh", "work")
    let status = try project.calendar("status")
    switch kind {
    case .strict:
      // Glewlwyd refuses without a word, which any proxy could do: nothing is taken for its end.
      #expect(next.code == 8 && next.out.contains("HTTP 400"), "\(next.out)\(next.err)")
      let drift = try project.sandbox.keyplan("drift")
      #expect(
        drift.code == 2
          && drift.out.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("its answer was lost"),
        "\(drift.out)")
      #expect(try project.signIn().code == 0)
      #expect(try project.calendar("status").out.contains("granted"))
      return
    case .rotating: break
    default:
      #expect(next.code == 0, "\(next.out)\(next.err)")
      #expect(status.out.contains("granted"), "\(status.out)")
      return
    }
    // The service has given the next token, and nobody has it.
    #expect(next.code == 6 && next.out.replacing("\n", with: " ").contains("was lost"), "\(next.out)\(next.err)")
    #expect(status.code == 6 && status.out.contains("needs sign-in"), "\(status.out)")
    #expect(try project.signIn().code == 0)
    #expect(try project.calendar("status").out.contains("granted"))
  }

  @Test(
    "is ended by the service's own no",
    .enabled(if: Kind.microsoft.isHere, "run make setup-test"))
  func ended() throws {
    let project = try AccountProject(.microsoft)
    #expect(try project.signIn().code == 0)
    try project.peer.ask("fault", "revoked")
    let refreshed = try project.calendar("refresh", "work")
    #expect(refreshed.code == 6, "\(refreshed.out)")
    #expect(try project.calendar("status").out.contains("needs sign-in"))
  }

  @Test(
    "loses nothing when the service is not itself",
    .enabled(if: Kind.microsoft.isHere, "run make setup-test"))
  func passing() throws {
    let project = try AccountProject(.microsoft)
    #expect(try project.signIn().code == 0)
    for (fault, code) in [
      ("html500", 8), ("428", 1), ("429", 8), ("away", 8), ("empty400", 8), ("empty401", 8), ("error200", 8),
      ("busy400", 8),
      ("denied403", 1),
    ] as [(String, Int32)] {
      try project.peer.ask("fault", fault)
      let refreshed = try project.calendar("refresh", "work")
      #expect(refreshed.code == code, "\(fault): \(refreshed.out)")
      #expect(!(try project.calendar("status").out.contains("needs sign-in")), "\(fault)")
      if fault == "busy400" {
        #expect(!(try project.sandbox.keyplan("drift").out.contains("lost")), "the service has answered")
      }
      try project.peer.ask("fault", "none")
      #expect(try project.calendar("refresh", "work").code == 0, "\(fault)")
    }
    #expect(try project.calendar("status").out.contains("granted"))

    // A service that takes its time holds up nobody who needs the store for something else.
    try project.peer.ask("forget")
    try project.peer.ask("fault", "hold")
    let slow = try project.sandbox.start([Shell.program, "apply", "--yes"])
    #expect(try project.peer.ask("held").held == true)
    let manifest = String(decoding: try #require(project.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try project.sandbox.write("VALUE=made-up\n", to: "value.env")
    try project.sandbox.write(
      manifest.replacing("keys: {}", with: "keys: { a: { provider: generic, source: \"dotenv://value.env#VALUE\" } }"),
      to: "keyplan.yaml")
    let other = try project.sandbox.keyplan("apply", "--only", "key.a", "--yes")
    #expect(other.code == 0 && other.out.contains("1 stored"), "\(other.out)\(other.err)")
    try project.peer.ask("release")
    let ended = slow.wait()
    #expect(ended.code == 0 && ended.out.contains("Applied: 1 refreshed"), "\(ended.out)\(ended.err)")
    #expect(try project.calendar("status").out.contains("granted"))
  }

  @Test(
    "is unreachable while the network is away, and never needs a person for that",
    .enabled(if: Kind.microsoft.isHere, "run make setup-test"))
  func away() throws {
    let project = try AccountProject(.microsoft)
    #expect(try project.signIn().code == 0)
    project.peer.stop()
    let status = try project.calendar("status")
    #expect(status.code == 8 && status.out.contains("unreachable"), "\(status.out)")
    let refreshed = try project.calendar("refresh", "work")
    #expect(refreshed.code == 8 && !refreshed.out.contains("sign-in"), "\(refreshed.out)")
    // The one that is there is good.
    #expect(try project.calendar("token", "work").code == 0)
  }

  @Test(
    "is not signed in to by whoever says no, is by whoever pastes the address, and is signed out of",
    .enabled(if: Kind.google.isHere, "run make setup-test"))
  func signOut() throws {
    let project = try AccountProject(.google)
    let declined = try project.signIn("decline")
    #expect(declined.code == 6 && declined.err.contains("The user declined (access_denied)"), "\(declined.err)")
    #expect(try project.calendar("status").out.contains("not signed in yet"))

    // The browser runs elsewhere, and cannot get here.
    let terminal = try Terminal()
    let run = try project.sandbox.start(
      [Shell.program, "calendar", "sign-in", "work", "--no-browser"], input: .file(terminal.path))
    let address = try #require(try project.line(of: run) { $0.hasPrefix("http") })
    let arrived = try #require(try project.peer.ask("arrive", address).page)
    try terminal.type(arrived.replacing("state=", with: "state=x") + "\n")
    #expect(try project.line(of: run) { $0.hasPrefix("This is not the address of this sign-in.") } != nil)
    try terminal.type(arrived + "\n")
    let pasted = run.wait()
    #expect(pasted.code == 0 && pasted.out.contains("1 signed in"), "\(pasted.out)\(pasted.err)")
    #expect(try project.calendar("status").out.contains("granted"))

    let signedOut = try project.calendar("sign-out", "work", "--yes")
    #expect(signedOut.code == 0, "\(signedOut.out)\(signedOut.err)")
    #expect(try project.peer.ask("log").log?.last?.path == "/revoke")
    #expect(try project.peer.ask("log").log?.last?.status == 200)
    #expect(try project.calendar("status").out.contains("not signed in yet"))
  }

  @Test("is signed in to on another device", .enabled(if: Kind.strict.isHere, "glewlwyd is not here"))
  func device() throws {
    let project = try AccountProject(.strict, signIn: "device")
    let run = try project.sandbox.start([Shell.program, "calendar", "sign-in", "work"])
    #expect(try project.line(of: run) { $0.hasPrefix("and enter this code") } != nil)
    let code = try #require(try project.line(of: run) { $0.wholeMatch(of: /\s\s[A-Z0-9-]{6,}/) != nil })
    #expect(try project.peer.ask("device", code.trimmingCharacters(in: .whitespaces)).status == 302)
    let ended = run.wait()
    #expect(ended.code == 0, "\(ended.out)\(ended.err)")
    #expect(try project.calendar("status").out.contains("granted"))
  }

  /// Everything the first time, nothing the next, and everything again for another range or where the position is lost.
  private func changes(of project: AccountProject) throws {
    let range = ["--from", "2026-11-01", "--to", "2027-12-01"]
    func ask(_ words: [String]) throws -> ChangesOf {
      let answer = try project.calendar(["events", "work", "--changes", "--json"] + words)
      try #require(answer.code == 0, "\(answer.out)\(answer.err)")
      return try JSONDecoder().decode(ChangesOf.self, from: Data(answer.out.utf8))
    }
    let first = try ask(range)
    #expect(first.isWhole && !first.events.isEmpty && first.removed.isEmpty)
    let second = try ask(range)
    #expect(!second.isWhole && second.events.isEmpty && second.removed.isEmpty)
    #expect(try !ask([]).isWhole, "the range is kept")
    #expect(try project.calendar(["events", "work", "--changes"]).out.contains("No changes."))
    #expect(try ask(["--from", "2026-11-02", "--to", "2027-12-01"]).isWhole)
    #expect(try ask(range).isWhole)
    let states = try #require(
      project.sandbox.files(in: ["home"]).first { $0.contains("/changes-") && $0.hasSuffix("-work.json") })
    try Data("{".utf8).write(to: URL(filePath: project.sandbox.root + "/" + states))
    #expect(try ask(range).isWhole)
  }

  private struct ChangesOf: Decodable {
    struct Event: Decodable { let id: String }
    let events: [Event]
    let removed: [String]
    let isWhole: Bool
  }

  @Test(
    "with a password is read without a sign-in, and a wrong one is told as that",
    .enabled(if: Kind.password.isHere, "run make setup-test"))
  func password() throws {
    let project = try AccountProject(.password)
    let status = try project.calendar("status")
    #expect(status.code == 0 && status.out.contains("granted") && status.out.contains("Team"), "\(status.out)")
    let events = try project.calendar("events", "work", "--from", "2026-11-01")
    #expect(events.out.contains("2026-11-03 07:00–07:15Z"), "\(events.out)")
    // Anybody's words turn nothing around on a terminal.
    #expect(events.out.contains(#"Daily\u{202e}liaD"#) && !events.out.contains("\u{202e}"), "\(events.out)")
    try changes(of: project)
    #expect(try project.calendar("sign-in", "work").code == 64)
    #expect(try project.calendar("token", "work").code == 1)
    try project.sandbox.write("SECRET=another\n", to: ".env")
    let wrong = try project.calendar("status")
    #expect(wrong.code == 1 && wrong.out.contains("password rejected"), "\(wrong.out)")
    project.peer.stop()
    let away = try project.calendar("status")
    #expect(away.code == 8 && away.out.contains("unreachable"), "\(away.out)")
  }
}
