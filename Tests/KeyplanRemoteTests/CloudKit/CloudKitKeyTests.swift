import Foundation
import KeyplanCloudKit
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("The signature of a request to CloudKit") struct CloudKitKeyTests {
  private static let path = "/database/1/iCloud.com.example.app/development/public/records/query"

  @Test(
    "is verified by openssl, whatever form the private key has",
    arguments: [
      (form: "SEC 1 after its parameters", words: ["ecparam", "-name", "prime256v1", "-genkey"]),
      (form: "SEC 1", words: ["ecparam", "-name", "prime256v1", "-genkey", "-noout"]),
      (form: "PKCS #8", words: ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]),
    ])
  func openssl(form: String, words: [String]) throws {
    let folder = try Scratch()
    #expect(try Child.run(["openssl"] + words + ["-out", folder["key.pem"]]) == 0)
    #expect(try Child.run(["openssl", "pkey", "-in", folder["key.pem"], "-pubout", "-out", folder["public.pem"]]) == 0)
    let pem = SecretBox(Array(try folder.text("key.pem").utf8))
    let key = try #require(CloudKitKey(id: "0123abcd", pem: pem))

    let body = #"{"records":[]}"#
    let headers = key.headers(for: SecretBox(Array(body.utf8)), path: Self.path, now: 1_453_759_782)
    #expect(
      headers.map(\.name) == [
        "X-Apple-CloudKit-Request-KeyID", "X-Apple-CloudKit-Request-ISO8601Date",
        "X-Apple-CloudKit-Request-SignatureV1",
      ])
    // The date in Apple's documentation.
    #expect(headers[0].value == "0123abcd" && headers[1].value == "2016-01-25T22:09:42Z")

    try folder.write(body, to: "body")
    let digest = try Child.answer(["openssl", "dgst", "-sha256", "-binary", folder["body"]]).bytes
    let message = "2016-01-25T22:09:42Z:\(Data(digest).base64EncodedString()):\(Self.path)"
    try folder.write(message, to: "message")
    let signature = try #require(Data(base64Encoded: headers[2].value))
    try signature.write(to: URL(filePath: folder["signature"]))
    let verification = [
      "openssl", "dgst", "-sha256", "-verify", folder["public.pem"], "-signature", folder["signature"],
    ]
    #expect(try Child.answer(verification + [folder["message"]]).text == "Verified OK\n")
    try folder.write(message + "x", to: "message")
    #expect(try Child.run(verification + [folder["message"]]) != 0)
  }

  @Test("needs a P-256 key without a password")
  func others() throws {
    let folder = try Scratch()
    for words in [
      ["ecparam", "-name", "secp384r1", "-genkey", "-noout"], ["genpkey", "-algorithm", "ED25519"],
      ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes-256-cbc", "-pass", "pass:x"],
    ] {
      #expect(try Child.run(["openssl"] + words + ["-out", folder["key.pem"]]) == 0)
      #expect(CloudKitKey(id: "1", pem: SecretBox(Array(try folder.text("key.pem").utf8))) == nil, "\(words)")
    }
    for text in [
      "", "key", "-----BEGIN EC PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----\n*\n-----END EC PRIVATE KEY-----",
    ] {
      #expect(CloudKitKey(id: "1", pem: SecretBox(Array(text.utf8))) == nil, "\(text)")
    }
  }
}
