import Crypto
import Foundation
import Testing

@testable import KeyplanAge

/// Vectors for known mistakes of implementations, through the calls that keyplan makes.
@Suite("Wycheproof's vectors")
struct WycheproofTests {
  private struct File: Decodable {
    struct Test: Decodable {
      let tcId: Int
      let flags: [String]
      let result: String
      // AEAD
      var key: String?
      var iv: String?
      var aad: String?
      var msg: String?
      var ct: String?
      var tag: String?
      // HKDF
      var ikm: String?
      var salt: String?
      var info: String?
      var size: Int?
      var okm: String?
      // X25519
      var `public`: String?
      var `private`: String?
      var shared: String?

      var isValid: Bool { result == "valid" }
    }
    let tests: [Test]
  }

  private func tests(_ name: String, count: Int) throws -> [File.Test] {
    let url = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "Fixtures/wycheproof/\(name)_test.json")
    let tests = try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).tests
    #expect(tests.count == count)
    return tests
  }

  @Test("ChaCha20-Poly1305 seals as they say and opens nothing else")
  func chacha() throws {
    var own = 0
    for test in try tests("chacha20_poly1305", count: 316) {
      let (key, nonce) = (SymmetricKey(data: unhex(try #require(test.key))), unhex(try #require(test.iv)))
      let (plain, data) = (unhex(try #require(test.msg)), unhex(try #require(test.aad)))
      let sealed = unhex(try #require(test.ct)) + unhex(try #require(test.tag))
      let box = try ChaChaPoly.SealedBox(combined: nonce + sealed)
      let opened = try? ChaChaPoly.open(box, using: key, authenticating: data)
      #expect(opened.map { [UInt8]($0) } == (test.isValid ? plain : nil), "\(test.tcId)")
      if test.isValid {
        let again = try ChaChaPoly.seal(plain, using: key, nonce: ChaChaPoly.Nonce(data: nonce), authenticating: data)
        #expect([UInt8](again.combined) == nonce + sealed, "\(test.tcId)")
      }
      // age has no associated data.
      guard data.isEmpty else { continue }
      own += 1
      var found = [UInt8](repeating: 0xee, count: plain.count)
      let isOpen = found.withUnsafeMutableBytes { memory in
        (try? ChaCha.open(sealed[...], under: key, nonce: nonce, into: memory)) != nil
      }
      #expect(isOpen == test.isValid, "\(test.tcId)")
      #expect(found == (isOpen ? plain : [UInt8](repeating: 0xee, count: plain.count)), "\(test.tcId)")
    }
    #expect(own > 10)
  }

  @Test("AES-256-GCM seals as they say and opens nothing else")
  func gcm() throws {
    for test in try tests("aes_gcm", count: 66) {
      let (key, nonce) = (SymmetricKey(data: unhex(try #require(test.key))), unhex(try #require(test.iv)))
      let (plain, data) = (unhex(try #require(test.msg)), unhex(try #require(test.aad)))
      let combined = nonce + unhex(try #require(test.ct)) + unhex(try #require(test.tag))
      let opened = try? AES.GCM.open(try AES.GCM.SealedBox(combined: combined), using: key, authenticating: data)
      #expect(opened.map { [UInt8]($0) } == (test.isValid ? plain : nil), "\(test.tcId)")
      guard test.isValid else { continue }
      let again = try AES.GCM.seal(plain, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: data)
      #expect(again.combined.map { [UInt8]($0) } == combined, "\(test.tcId)")
    }
  }

  @Test("HKDF-SHA-256 derives what they say")
  func hkdf() throws {
    // keyplan asks for at most 64 bytes: the limit of 8,160 is swift-crypto's, by a precondition.
    for test in try tests("hkdf_sha256", count: 86) where test.isValid {
      let key = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: unhex(try #require(test.ikm))), salt: unhex(try #require(test.salt)),
        info: unhex(try #require(test.info)), outputByteCount: try #require(test.size))
      #expect(key.withUnsafeBytes { hex($0) } == test.okm, "\(test.tcId)")
    }
  }

  @Test("X25519 agrees on what they say, and on nothing where the other key decides it")
  func x25519() throws {
    var refused = 0
    for test in try tests("x25519", count: 518) {
      let own = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: unhex(try #require(test.private)))
      let found = own.agreement(with: unhex(try #require(test.public)))?.withUnsafeBytes { hex($0) }
      if test.flags.contains("ZeroSharedSecret") {
        refused += 1
        #expect(found == nil, "\(test.tcId)")
      } else {
        #expect(found == test.shared, "\(test.tcId)")
      }
    }
    #expect(refused > 20)
  }
}
