import Foundation
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanOAuth

/// What other programs leave of a sign-in. `Fixtures/ImportedTokens/make.py` says where the files come from.
@Suite struct ImportedTokensTests {
  private static let google = AccountFacts(
    service: .google, account: "ada@gmail.com", client: "123-abc.apps.googleusercontent.com")

  private static func microsoft(_ account: String, client: String = "c1c1c1c1") -> AccountFacts {
    AccountFacts(service: .outlook, account: account, client: client)
  }

  private static func file(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/LeftTokens")
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private static func token(
    _ bytes: [UInt8], _ id: String = "home", _ facts: AccountFacts = google
  ) -> Result<String, ImportedTokenError> {
    do throws(ImportedTokenError) {
      let name = Identifier<Account>(id) ?? Identifier<Account>("x")
      guard let name else { throw .noRefreshToken }
      return .success(try ImportedTokens(SecretBox(bytes)).token(for: name, facts).text)
    } catch {
      return .failure(error)
    }
  }

  @Test(
    "the refresh token is found in what each program writes",
    arguments: [
      "gcalcli-4.3.json", "vdirsyncer.json", "authorized-user.json",
    ])
  func found(name: String) throws {
    #expect(try Self.token(Self.file(name)) == .success("1//0g-made-up-refresh-token"))
  }

  @Test("a token alone is one, and what tools print instead of one is none")
  func alone() {
    #expect(Self.token(Array("1//0g-x\r\n".utf8)) == .success("1//0g-x"))
    for text in ["", "\n", "error: no such account\n", "a\nb", "\u{80}"] {
      #expect(Self.token(Array(text.utf8)) == .failure(.unknownForm), "\(text)")
    }
  }

  @Test(
    "of several accounts the client's own is taken, or the one that has the account's name",
    arguments: [
      ("pizauth.dump", "home", google, "1//0g-of-pizauth-home"),
      (
        "pizauth.dump", "club", AccountFacts(service: .google, account: "x", client: google.client),
        "1//0g-of-pizauth-club"
      ),
      ("pizauth.dump", "mine", google, "1//0g-of-pizauth-home"),
      ("pizauth.dump", "any", microsoft("ada@example.com"), "M.of-pizauth-work"),
      ("msal.json", "any", microsoft("Ada@Example.com"), "M.made-up-refresh-0"),
      ("msal.json", "any", microsoft("bob@example.com"), "M.made-up-refresh-1"),
      ("msal.json", "any", microsoft("nobody", client: "d2d2d2d2"), "M.made-up-refresh-2"),
    ])
  func chosen(file: String, id: String, facts: AccountFacts, token: String) throws {
    #expect(try Self.token(Self.file(file), id, facts) == .success(token))
  }

  @Test(
    "how many there are, for whoever would remove the file",
    arguments: [("pizauth.dump", 3), ("msal.json", 3), ("vdirsyncer.json", 1)])
  func counted(file: String, count: Int) throws {
    #expect(try ImportedTokens(SecretBox(Self.file(file))).count == count)
  }

  @Test("nothing is taken over for another client, another service, or whoever it may be")
  func refused() throws {
    let other = AccountFacts(service: .google, account: "ada@gmail.com", client: "other")
    #expect(
      try Self.token(Self.file("gcalcli-4.3.json"), "home", other)
        == .failure(.otherClient("123-abc.apps.googleusercontent.com")))
    #expect(try Self.token(Self.file("pizauth.dump"), "home", other) == .failure(.otherClient(nil)))
    let own = AccountFacts(
      service: .google, account: "ada@gmail.com", client: Self.google.client,
      endpoints: [.token: "https://id.example.com/token"])
    #expect(
      try Self.token(Self.file("authorized-user.json"), "home", own)
        == .failure(.otherService("oauth2.googleapis.com", "id.example.com")))
    let elsewhere = AccountFacts(
      service: .google, account: "ada@gmail.com", client: Self.google.client,
      endpoints: [.token: "https://www.googleapis.com/oauth2/v4/token"])
    #expect(
      try Self.token(Self.file("authorized-user.json"), "home", elsewhere) == .success("1//0g-made-up-refresh-token"))
    let nobody = AccountFacts(service: .google, account: "x", client: Self.google.client)
    #expect(try Self.token(Self.file("pizauth.dump"), "y", nobody) == .failure(.ambiguous(["home", "club"])))
    #expect(try Self.token(Self.file("msal.json"), "y", Self.microsoft("x")).isFailure)
    #expect(
      try Self.token(Self.file("pizauth.dump"), "short", Self.microsoft("x", client: "e3e3e3e3"))
        == .failure(.otherClient(nil)), "it has no interactive sign-in")
  }

  @Test("what is no file of theirs is told, and where")
  func unreadable() throws {
    #expect(Self.token([0x80, 0x04, 0x95]) == .failure(.pickle))
    #expect(try Self.token(Self.file("pizauth-2.dump")) == .failure(.dump))
    #expect(try Self.token(Self.file("pizauth-more.dump")) == .failure(.dump))
    #expect(Self.token(Array(#"{"access_token":"x"}"#.utf8)) == .failure(.noRefreshToken))
    #expect(Self.token(Array(#"{"refresh_token":null}"#.utf8)) == .failure(.noRefreshToken))
    #expect(Self.token(Array(#"{"type":"service_account","private_key":"x"}"#.utf8)) == .failure(.serviceAccount))
    #expect(Self.token(Array("{\"refresh_token\":\n oops}".utf8)).words.hasPrefix("Line 2, column 2: "))
    #expect(Self.token(Array("age-encryption.org/v1\n-> X25519 x\n".utf8)) == .failure(.unknownForm))
  }

  @Test(
    "cut or changed at any byte, a file ends as an answer",
    arguments: ["pizauth.dump", "vdirsyncer.json"])
  func damaged(name: String) throws {
    let whole = try Self.file(name)
    let isText = name.hasSuffix("json")
    for end in 0..<whole.count { #expect(Self.token(Array(whole[..<end])).isFailure, "cut at \(end)") }
    for place in whole.indices where !isText {
      for flip in [0x01, 0x80, 0xFF] as [UInt8] {
        var changed = whole
        changed[place] ^= flip
        #expect(Self.token(changed).isFailure, "the tag covers all of a dump")
      }
    }
    if !isText { #expect(Self.token(whole + [0x0A]).isFailure, "nothing follows") }
  }

  @Test("no error quotes a token")
  func quiet() throws {
    for name in ["gcalcli-4.3.json", "pizauth.dump", "msal.json"] {
      let other = AccountFacts(service: .google, account: "x", client: "other")
      let words = try Self.token(Self.file(name), "home", other).words
      #expect(!words.isEmpty)
      for secret in ["1//0g", "M.", "made-up-access", "secret"] { #expect(!words.contains(secret), "\(words)") }
    }
  }
}

extension Result<String, ImportedTokenError> {
  fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
  fileprivate var words: String { if case .failure(let error) = self { error.description } else { "" } }
}
