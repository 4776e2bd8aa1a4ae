import Foundation
import Testing

/// Who signs in, and what is granted, at real authorization servers.
@Suite(
  "A sign-in as somebody",
  .enabled(if: AccountPeer.python != nil, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct AccountPersonTests {
  typealias Kind = AccountPeer.Kind

  @Test(
    "else is refused, and says whom it got; one that turns out to be is used by no command",
    arguments: [Kind.microsoft, .google].filter(\.isHere))
  func stranger(kind: Kind) throws {
    let project = try AccountProject(kind)
    try project.peer.ask("person", "mallory@example.test")
    let refused = try project.signIn()
    #expect(refused.code == 1, "\(refused.out)\(refused.err)")
    #expect(
      said(refused).contains("You signed in as mallory@example.test, but calendar.work declares ada@example.test."))
    #expect(try project.calendar("status").out.contains("not signed in yet"))
    #expect(try project.calendar("token", "work").code == 6)

    // Whose calendars they are shows only later: of a token that came from elsewhere.
    try project.peer.ask("person", "ADA@Example.test")
    #expect(try project.signIn().code == 0)
    try project.peer.ask("person", "mallory@example.test")
    let why = "the sign-in is for mallory@example.test, but ada@example.test is declared"
    for (words, code) in [
      (["calendar", "status"], 6), (["calendar", "token", "work"], 6), (["calendar", "refresh", "--all"], 6),
      (["calendar", "refresh", "work"], 6), (["calendar", "list", "work"], 6), (["calendar", "events", "work"], 6),
      (["drift"], 2), (["plan", "--detailed-exitcode"], 6), (["apply", "--yes"], 6),
    ] as [([String], Int32)] {
      let ran = try project.sandbox.start([Shell.program] + words).wait()
      #expect(ran.code == code && said(ran).lowercased().contains(why), "\(words): \(ran.code) \(ran.out)\(ran.err)")
    }
    #expect(try project.sandbox.keyplan("drift").out.contains("broken"))
    try project.peer.ask("person", "ada@example.test")
    #expect(try project.calendar("status").code == 0)
  }

  @Test(
    "who leaves out what is asked for is told so at once, with what is missing and how to agree to it",
    .enabled(if: Kind.google.isHere, "run make setup-test"))
  func partly() throws {
    let project = try AccountProject(.google)
    try project.peer.ask("fault", "partly")
    let partial = try project.signIn()
    let scope = "https://www.googleapis.com/auth/calendar.events.readonly"
    #expect(partial.code == 6 && said(partial).contains("does not cover \(scope)"), "\(partial.out)\(partial.err)")
    #expect(said(partial).contains("hint: keyplan calendar sign-in work, and grant all requested permissions"))
    let status = try project.calendar("status")
    #expect(status.code == 6 && status.out.contains("partially granted"), "\(status.out)")
    #expect(try project.calendar("token", "work").code == 6)
    try project.peer.ask("fault", "none")
    #expect(try project.signIn().code == 0)
    #expect(try project.calendar("status").code == 0)
  }

  @Test(
    "who gets no refresh token is told so at once, and until when the sign-in lasts",
    .enabled(if: Kind.google.isHere, "run make setup-test"))
  func bare() throws {
    let project = try AccountProject(.google)
    try project.peer.ask("fault", "bare")
    let signedIn = try project.signIn()
    #expect(signedIn.code == 6, "\(signedIn.out)\(signedIn.err)")
    #expect(said(signedIn).contains("No refresh token") && said(signedIn).contains("the sign-in ends at"))
    #expect(try project.calendar("token", "work").code == 0)
    // The token is still good: that it cannot be replaced does not mean that it has expired.
    let refreshed = try project.calendar("refresh", "work")
    #expect(refreshed.code == 6 && !said(refreshed).contains("has expired"), "\(refreshed.out)\(refreshed.err)")
    #expect(said(try project.calendar("status")).contains("refresh token"))
    let drift = try project.sandbox.keyplan("drift")
    #expect(said(drift).contains("refresh token"), "\(drift.out)")
    try project.peer.ask("fault", "none")
    #expect(try project.signIn().code == 0)
  }

  @Test(
    "on another device is waited for no longer than asked", .enabled(if: Kind.strict.isHere, "glewlwyd is not here"))
  func patience() throws {
    let project = try AccountProject(.strict, signIn: "device")
    let run = try project.sandbox.start([Shell.program, "calendar", "sign-in", "work", "--timeout", "1s"])
    #expect(try project.line(of: run) { $0.hasPrefix("Waiting for 1 second") } != nil)
    let ended = run.wait()
    #expect(ended.code == 6 && ended.err.contains("Sign-in timed out"), "\(ended.out)\(ended.err)")
  }

  @Test(
    "that leaves while another account is the same person's revokes nothing, and says why",
    .enabled(if: Kind.google.isHere, "run make setup-test"))
  func sparing() throws {
    let project = try AccountProject(.google)
    let manifest = String(decoding: try #require(project.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    let start = try #require(manifest.range(of: "  work:"))
    let other = manifest[start.lowerBound...].replacing("  work:", with: "  home:")
    try project.sandbox.write(manifest + other, to: "keyplan.yaml")
    #expect(try project.signIn().code == 0)
    let signedOut = try project.calendar("sign-out", "work", "--yes")
    let why = "not revoked: that would sign out calendar.home, the same person's account"
    #expect(signedOut.code == 0 && said(signedOut).contains(why), "\(signedOut.out)\(signedOut.err)")
    #expect(!said(signedOut).contains("by hand"))
    #expect(try project.peer.ask("log").log?.contains { $0.path == "/revoke" } == false)
  }

  @Test(
    "that cannot be looked at is not in order: drift says what kept it",
    .enabled(if: Kind.password.isHere, "run make setup-test"))
  func unknown() throws {
    let project = try AccountProject(.password)
    #expect(try project.sandbox.keyplan("drift").code == 0)
    try project.sandbox.write("", to: ".env")
    let drift = try project.sandbox.keyplan("drift")
    #expect(drift.code == 1 && said(drift).contains("dotenv://.env#SECRET has no value."), "\(drift.out)\(drift.err)")
  }

  private func said(_ run: ProgramRun.Answer) -> String {
    (run.out + run.err).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
