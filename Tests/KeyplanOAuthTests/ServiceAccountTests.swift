import CryptoExtras
import Foundation
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanOAuth

@Suite struct ServiceAccountTests {
  /// A made-up account with a fresh key.
  private static let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

  private func file(_ changes: [String: Any?] = [:]) throws -> SharedSecretHolder {
    let key = try #require(Self.key)
    var fields: [String: Any] = [
      "type": "service_account", "project_id": "p", "private_key_id": "k1", "private_key": key.pkcs8PEMRepresentation,
      "client_email": "keyplan@p.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token",
    ]
    for (name, value) in changes { fields[name] = value }
    return SharedSecretHolder(
      secret: SharedSecretHolder.Held(try Array(JSONSerialization.data(withJSONObject: fields))))
  }

  /// CryptoExtras has a `SecretBox` too.
  private struct SharedSecretHolder {
    typealias Held = SecretBox
    let secret: Held
  }

  @Test("openssl accepts the signature, and the claims are Google's")
  func signed() throws {
    let account = try ServiceAccount(try file().secret)
    let request = try account.request(
      for: ["s1", "s2"], audience: "https://oauth2.googleapis.com/token", subject: "me\"@x.example",
      at: Moment(seconds: 1_800_000_000))
    guard case .assertion(let assertion) = request else {
      Issue.record("no assertion")
      return
    }
    let parts = assertion.text.split(separator: ".").map(String.init)
    #expect(parts.count == 3)
    #expect(String(decoding: try decoded(parts[0]), as: UTF8.self) == #"{"alg":"RS256","typ":"JWT","kid":"k1"}"#)
    #expect(
      String(decoding: try decoded(parts[1]), as: UTF8.self)
        == #"{"iss":"keyplan@p.iam.gserviceaccount.com","scope":"s1 s2","aud":"https://oauth2.googleapis.com/token","#
        + #""iat":1800000000,"exp":1800003600,"sub":"me\"@x.example"}"#)
    #expect(try opensslVerifies(parts[0] + "." + parts[1], signature: try decoded(parts[2])))
    #expect(try !opensslVerifies(parts[0] + "." + parts[1] + "x", signature: try decoded(parts[2])))
  }

  private func decoded(_ text: String) throws -> Data {
    let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return try #require(Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)))
  }

  private func opensslVerifies(_ text: String, signature: Data) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = try #require(Self.key)
    try Data(key.publicKey.pemRepresentation.utf8).write(to: folder.appending(path: "key.pem"))
    try Data(text.utf8).write(to: folder.appending(path: "text"))
    try signature.write(to: folder.appending(path: "signature"))
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/env")
    openssl.arguments = ["openssl", "dgst", "-sha256", "-verify", "key.pem", "-signature", "signature", "text"]
    openssl.currentDirectoryURL = folder
    openssl.standardOutput = FileHandle.nullDevice
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    return openssl.terminationStatus == 0
  }

  @Test("a file that cannot be used says why, and nothing of what is in it")
  func refused() throws {
    let key = try #require(Self.key)
    #expect(throws: ServiceAccountError.otherType) { try ServiceAccount(try file(["type": "authorized_user"]).secret) }
    #expect(throws: ServiceAccountError.missing("client_email")) {
      try ServiceAccount(try file(["client_email": ""]).secret)
    }
    #expect(throws: ServiceAccountError.missing("private_key")) {
      try ServiceAccount(try file(["private_key": ""]).secret)
    }
    for wrong in [
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "x", key.publicKey.pemRepresentation,
    ] {
      #expect(throws: ServiceAccountError.key) { try ServiceAccount(try file(["private_key": wrong]).secret) }
    }
    #expect(throws: ServiceAccountError.notJSON) { try ServiceAccount(SharedSecretHolder.Held(Array("{".utf8))) }
  }

  @Test("a key without an id is signed with, and nothing of an account is shown")
  func shown() throws {
    let account = try ServiceAccount(try file(["private_key_id": ""]).secret)
    var dumped = ""
    dump(account, to: &dumped)
    #expect(!dumped.contains("PRIVATE") && !"\(account)".contains("PRIVATE"))
    let request = try account.request(for: [], audience: "a", subject: nil, at: Moment(seconds: 0))
    guard case .assertion(let assertion) = request else {
      Issue.record("The request has no assertion.")
      return
    }
    let header = try #require(assertion.text.split(separator: ".").first)
    #expect(String(decoding: try decoded(String(header)), as: UTF8.self) == #"{"alg":"RS256","typ":"JWT"}"#)
  }
}
