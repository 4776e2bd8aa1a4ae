import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The names of keys, and the line that has a sealed identity.
struct SealedIdentityTests {
  static let arn = "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
  static let address = "https://bao.example.com:8200/v1/team/transit/keys/ci"

  @Test("a key of AWS is named by its ARN, one of Vault by its address")
  func names() {
    #expect(ServiceKey(Self.arn) == .aws(arn: Self.arn, region: "eu-central-1"))
    #expect(
      ServiceKey(Self.address) == .transit(address: "https://bao.example.com:8200", mount: "team/transit", name: "ci"))
    for text in [Self.arn, Self.address] { #expect(ServiceKey(text)?.description == text) }
  }

  @Test(
    "what names no key is refused",
    arguments: [
      "", "alias/app", "arn:aws:kms:eu-central-1:123456789012:alias/app", "arn:aws:s3:eu-central-1:123456789012:key/a",
      "arn:aws:kms:eu central:123456789012:key/a", "arn:aws:kms:eu-central-1:1:key/a",
      "arn:aws:kms:eu-central-1:123456789012:key/", "arn:aws:kms:eu-central-1:123456789012:key/a/b",
      "https://bao.example.com/transit/keys/ci", "https://bao.example.com/v1/keys/ci",
      "https://bao.example.com/v1/transit/ci", "https://bao.example.com/v1/transit/keys/../x",
      "https://bao.example.com/v1/transit/keys/a?x=y", "https://bao.example.com/v1/transit/keys/a%2Fb",
      "ftp://bao.example.com/v1/transit/keys/a",
    ])
  func refused(text: String) { #expect(ServiceKey(text) == nil) }

  private static let logins: [KeyServiceLogin?] = [
    nil, KeyServiceLogin(role: "ci", token: .github(audience: "a \"b\"")),
    KeyServiceLogin(role: "arn:aws:iam::123456789012:role/ci", token: .variable("ID_TOKEN"), mount: "jwt/ci"),
  ]

  @Test("a line is read as it was written", arguments: logins)
  func line(login: KeyServiceLogin?) throws {
    let key = try #require(ServiceKey(Self.address))
    let identity = SealedIdentity(recipient: "age1x", key: key, login: login, sealed: "vault:v1:aGVsbG8=")
    let read = try #require(SealedIdentity(SecretBox(Array(identity.text.utf8))))
    #expect(read.recipient == "age1x")
    #expect(read.key == key)
    #expect(read.login == login)
    #expect(read.sealed == identity.sealed)
    #expect(read.text == identity.text)
  }

  @Test(
    "a line with a part that is missing, unknown or there twice is refused",
    arguments: [
      (#""sealed":"s""#, #""other":"s""#), (#""sealed":"s""#, #""sealed":"s","more":"x""#),
      (#""sealed":"s""#, #""sealed":"s","sealed":"t""#), (#""sealed":"s""#, #""sealed":5"#),
      (#""role":"ci","#, ""), (#""audience":"a","#, ""), (#""audience":"a","#, #""audience":"a","variable":"B","#),
      ("identity 1", "identity 2"), ("https:", "file:"),
    ])
  func refusedLine(part: String, instead: String) throws {
    let line =
      #"{"keyplan":"sealed identity 1","recipient":"age1x","key":"\#(Self.address)","role":"ci","audience":"a","sealed":"s"}"#
    #expect(SealedIdentity(SecretBox(Array(line.utf8))) != nil)
    #expect(line.contains(part))
    #expect(SealedIdentity(SecretBox(Array(line.replacing(part, with: instead).utf8))) == nil)
  }
}
