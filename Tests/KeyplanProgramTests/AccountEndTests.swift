import Foundation
import Testing

/// What was granted ends, at real authorization servers.
@Suite(
  "A sign-in to a calendar account",
  .enabled(if: AccountPeer.python != nil, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct AccountEndTests {
  typealias Kind = AccountPeer.Kind

  static let outspoken = Kind.withTokens.filter { $0 != .strict }

  @Test("that ends at the service needs a person, and says why, within one run", arguments: outspoken)
  func ended(kind: Kind) throws {
    let project = try AccountProject(kind)
    let service = kind == .microsoft ? "Microsoft" : "Google"
    for way in kind.ends {
      #expect(try project.signIn().code == 0, "\(way)")
      try project.peer.ask("revoke", way)
      // Who only asks cannot know yet: a token may be taken back alone.
      try expect("status", in: project, 1, "\(service) rejects the access token", way)
      try expect("drift", in: project, 2, "\(service) rejects the access token", way)
      try expect("plan", in: project, 0, "\(service) rejects the current one", way)
      let why = "\(service) rejects the refresh token (expired or revoked)"
      if way == "all" {
        try expect("refresh --all --quiet", in: project, 6, "error: Sign-in required calendar.work: \(why).", way)
      } else {
        try expect("apply --yes", in: project, 6, why, way)
      }
      let count = try project.peer.refreshes().count
      try expect("refresh --all", in: project, 6, "hint: keyplan calendar sign-in work", way)
      try expect("status", in: project, 6, "needs sign-in \(why)", way)
      try expect("plan --detailed-exitcode", in: project, 6, "\(why): keyplan calendar sign-in work", way)
      try expect("drift", in: project, 2, why, way)
      try expect("token work", in: project, 6, why, way)
      #expect(try project.peer.refreshes().count == count, "what the service has ended is not asked for again")
    }
  }

  @Test(
    "is not at fault where the client is, and ends after seven days where the app is in testing",
    .enabled(if: Kind.google.isHere, "run make setup-test"))
  func clientAndTesting() throws {
    let project = try AccountProject(.google)
    #expect(try project.signIn().code == 0)
    try project.peer.ask("revoke", "client")
    try expect(
      "refresh work", in: project, 1, "Google rejects the client's id or secret (invalid_client), first at", "client")
    try expect("status", in: project, 1, "refresh refused", "client")
    try expect("drift", in: project, 2, "rejects the client's id or secret (invalid_client)", "client")
    try expect("plan", in: project, 0, "Service refused a refresh", "client")
    // Its grants went with it.
    try project.peer.ask("restore")
    try expect("refresh work", in: project, 6, "rejects the refresh token (expired or revoked)", "client")

    #expect(try project.signIn().code == 0)
    try project.peer.ask("revoke", "all")
    try setClock(of: project, forward: 7 * 86400 + 3600)
    let why =
      "Google ended the sign-in 7 days after consent, probably because the app is in testing; publish it, then sign in again"
    try expect("drift --unreachable-after 2h", in: project, 0, "", "not asked for yet")
    try expect("refresh --all", in: project, 6, "\(why). The service reported: invalid_grant.", "testing")
    try expect("status", in: project, 6, why, "testing")
    try expect("plan", in: project, 0, "\(why): keyplan calendar sign-in work", "testing")
    try expect("drift", in: project, 2, "7 days after consent: probably an app in testing mode", "testing")
    try expect("drift", in: project, 2, "keyplan calendar sign-in work and publish the app", "testing")
    #expect(try project.signIn().code == 0)
    try expect("status", in: project, 0, "granted", "testing")
  }

  @Test(
    "that a service refuses without a word is not over: any proxy can answer so",
    .enabled(if: Kind.strict.isHere, "glewlwyd is not here"))
  func wordless() throws {
    let project = try AccountProject(.strict)
    #expect(try project.signIn().code == 0)
    try project.peer.ask("revoke", "all")
    for _ in 0..<2 {
      try expect("refresh work", in: project, 8, "The response has no error code (HTTP 400)", "wordless")
    }
    #expect(try project.peer.refreshes().count == 2, "it is asked again in the next run")
    try expect("status", in: project, 1, "token rejected", "wordless")
    #expect(try project.signIn().code == 0)
    try expect("status", in: project, 0, "granted", "wordless")
  }

  @Test(
    "that nothing uses is told before it expires, and after that as what it is",
    .enabled(if: Kind.microsoft.isHere, "run make setup-test"))
  func unused() throws {
    let project = try AccountProject(.microsoft)
    #expect(try project.signIn().code == 0)
    try setClock(of: project, forward: 80 * 86400)
    try expect("drift", in: project, 0, "Microsoft ends sign-ins that are unused for 90 days", "80 days")
    try setClock(of: project, forward: 91 * 86400)
    try expect("drift", in: project, 2, "was to expire on", "91 days")
    try expect("status", in: project, 0, "a refresh will show whether the sign-in is still valid", "91 days")
  }

  @Test(
    "past the end of a policy that retires it is used by no command, and a new one is",
    .enabled(if: Kind.google.isHere, "run make setup-test"))
  func retired() throws {
    let project = try AccountProject(.google)
    let manifest = String(decoding: try #require(project.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try project.sandbox.write(
      manifest.replacing(
        "calendar: Month", with: "calendar: Month\n    expires: { after: 2d, then: retire, warn: 1h }"),
      to: "keyplan.yaml")
    #expect(try project.signIn(lifetime: 300_000).code == 0)
    #expect(try project.calendar("token", "work").code == 0)
    try setClock(of: project, forward: 2 * 86400 + 60)
    let why = "the sign-in has expired under its policy"
    for (command, code) in [
      ("status", 6), ("refresh work", 6), ("refresh --all", 6), ("token work", 6), ("drift", 2),
      ("plan --detailed-exitcode", 6),
    ] as [(String, Int32)] { try expect(command, in: project, code, why, "retired") }
    for command in ["list work", "events work"] {
      let ran = try project.sandbox.start([Shell.program, "calendar"] + command.split(separator: " ").map(String.init))
        .wait()
      #expect(ran.code == 6, "\(command): \(ran.out)\(ran.err)")
    }
    #expect(try project.peer.refreshes().isEmpty)
    #expect(try project.signIn().code == 0)
    try expect("status", in: project, 0, "granted", "signed in anew")
  }

  @Test(
    "got while the clock was ahead is replaced by whoever needs it once the clock is right",
    .enabled(if: Kind.google.isHere, "run make setup-test"))
  func ahead() throws {
    let project = try AccountProject(.google)
    #expect(try project.signIn().code == 0)
    try setClock(of: project, forward: 86400)
    #expect(try project.calendar("refresh", "work").code == 0)
    project.sandbox.variables["LD_PRELOAD"] = nil
    // Meanwhile its time is over at the service.
    try project.peer.ask("forget")
    let first = try project.calendar("token", "work")
    #expect(first.code == 0, "\(first.err)")
    try expect("status", in: project, 0, "granted", "ahead")
    // Somebody has revoked the access token alone, and the clock says nothing of that.
    try project.peer.ask("forget")
    let second = try project.calendar("token", "work")
    #expect(second.code == 0 && second.out != first.out, "\(second.err)")
    #expect(try project.calendar("token", "work").out == second.out, "one that is taken is not replaced")
  }

  /// Runs a command and looks for words in what it says, whatever its lines.
  private func expect(
    _ line: String, in project: AccountProject, _ code: Int32, _ words: String, _ situation: String
  ) throws {
    var words = (line.split(separator: " ").map(String.init), words)
    if ["status", "refresh", "token", "list", "events"].contains(words.0[0]) { words.0.insert("calendar", at: 0) }
    let ran = try project.sandbox.start([Shell.program] + words.0).wait()
    let said = (ran.out + ran.err).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(ran.code == code, "\(situation): \(line): \(ran.out)\(ran.err)")
    #expect(words.1.isEmpty || said.contains(words.1), "\(situation): \(line): \(ran.out)\(ran.err)")
  }

  /// From now on the program finds the clock in the future: it asks the C library, and finds this one before it.
  private func setClock(of project: AccountProject, forward seconds: Int) throws {
    try project.sandbox.write(
      """
      #define _GNU_SOURCE
      #include <sys/syscall.h>
      #include <time.h>
      #include <unistd.h>
      time_t time(time_t *out) {
        struct timespec now;
        syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
        now.tv_sec += \(seconds);
        if (out) *out = now.tv_sec;
        return now.tv_sec;
      }

      """, to: "clock.c")
    let built = try project.sandbox.start(["cc", "-shared", "-fPIC", "-o", "clock.so", "clock.c"]).wait()
    try #require(built.code == 0, "\(built.err)")
    project.sandbox.variables["LD_PRELOAD"] = project.sandbox.project + "/clock.so"
  }
}
