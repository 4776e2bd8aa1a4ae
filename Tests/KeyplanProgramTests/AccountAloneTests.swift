import Foundation
import Testing

/// Accounts that let themselves in, at real authorization servers.
@Suite(
  "A calendar account where nobody signs in",
  .enabled(if: AccountPeer.python != nil, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct AccountAloneTests {
  typealias Kind = AccountPeer.Kind

  static let ways: [(kind: Kind, signIn: String)] = [
    (.google, "clientCredentials"), (.strict, "clientCredentials"), (.signed, "serviceAccount"),
  ].filter(\.kind.isHere)

  @Test("gets its token by apply, keeps it good, and says what is wrong with its secret", arguments: ways)
  func alone(way: (kind: Kind, signIn: String)) throws {
    let project = try AccountProject(way.kind, signIn: way.signIn)
    let status = try project.calendar("status")
    #expect(status.code == 0 && status.out.contains("granted") && status.out.contains("Month"), "\(status.out)")
    let asked = try #require(project.peer.ask("log").log)
    #expect(asked.map(\.status) == [200])
    let grant = way.kind == .signed ? "urn:ietf:params:oauth:grant-type:jwt-bearer" : "client_credentials"
    #expect(asked.map(\.grant) == [grant])
    let first = try project.calendar("token", "work")
    #expect(try project.calendar("refresh", "work").code == 0)
    let second = try project.calendar("token", "work")
    #expect(first.code == 0 && second.code == 0 && first.out != second.out)
    #expect(try project.peer.refreshes().isEmpty)
    #expect(try project.calendar("sign-in", "work").code == 64)

    // Glewlwyd says no with an empty 403, which could be any proxy's.
    if way.kind == .strict { return }
    if way.kind == .signed {
      // The account whose calendars are read is another one, whom nobody has put in its charge.
      let manifest = String(decoding: try #require(project.sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
      try project.sandbox.write(
        manifest.replacing(project.peer.addresses.person, with: "eve@example.test"), to: "keyplan.yaml")
    } else {
      try project.sandbox.write("SECRET=another\n", to: ".env")
    }
    let wrong = try project.calendar("refresh", "work")
    #expect(wrong.code == 1 && wrong.out.contains("Service refused a refresh"), "\(wrong.out)")
    let words = way.kind == .signed ? "rejects the service account's signature" : "rejects the client's id or secret"
    #expect(wrong.out.replacing("\n", with: " ").replacing("  ", with: " ").contains(words), "\(wrong.out)")
  }
}
