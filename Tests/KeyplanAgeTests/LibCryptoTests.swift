import Crypto
import CryptoExtras
import Foundation
import TestTools
import Testing

/// Every primitive that keyplan takes from swift-crypto, on random inputs and in both directions.
@Suite("libcrypto, the second implementation")
struct LibCryptoTests {
  private let library: LibCrypto

  init() throws { library = try #require(LibCrypto(), "libcrypto.so.3 is not installed") }

  private static let rounds = 200

  private func random(_ counts: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: counts)).map { _ in UInt8.random(in: .min ... .max) }
  }

  private func random(_ count: Int) -> [UInt8] { random(count...count) }

  private func changed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[Int.random(in: bytes.indices)] ^= 1 << UInt8.random(in: 0..<8)
    return bytes
  }

  @Test("opens what AES-256-GCM sealed, and the other way round; and refuses the same")
  func gcm() throws {
    for _ in 0..<Self.rounds {
      let (key, nonce, data, plain) = (random(32), random(12), random(0...100), random(0...5000))
      let symmetric = SymmetricKey(data: key)
      let box = try AES.GCM.seal(plain, using: symmetric, nonce: AES.GCM.Nonce(data: nonce), authenticating: data)
      let sealed = Array(box.ciphertext) + Array(box.tag)
      let other = try library.seal(plain, .aes256GCM, key: key, nonce: nonce, data: data)
      #expect(other == sealed)
      #expect(try library.open(sealed, .aes256GCM, key: key, nonce: nonce, data: data) == plain)
      let wrong = changed(sealed)
      #expect(try library.open(wrong, .aes256GCM, key: key, nonce: nonce, data: data) == nil)
      #expect(throws: (any Error).self) {
        try AES.GCM.open(AES.GCM.SealedBox(combined: nonce + wrong), using: symmetric, authenticating: data)
      }
    }
  }

  @Test("opens what ChaCha20-Poly1305 sealed, and the other way round; and refuses the same")
  func chacha() throws {
    for _ in 0..<Self.rounds {
      let (key, nonce, data, plain) = (random(32), random(12), random(0...100), random(0...5000))
      let symmetric = SymmetricKey(data: key)
      let box = try ChaChaPoly.seal(plain, using: symmetric, nonce: ChaChaPoly.Nonce(data: nonce), authenticating: data)
      let sealed = Array(box.ciphertext) + Array(box.tag)
      let other = try library.seal(plain, .chaCha20Poly1305, key: key, nonce: nonce, data: data)
      #expect(other == sealed)
      #expect(try library.open(sealed, .chaCha20Poly1305, key: key, nonce: nonce, data: data) == plain)
      let wrong = changed(sealed)
      #expect(try library.open(wrong, .chaCha20Poly1305, key: key, nonce: nonce, data: data) == nil)
      #expect(throws: (any Error).self) {
        try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: nonce + wrong), using: symmetric, authenticating: data)
      }
    }
  }

  @Test("computes the same HMAC and HKDF with SHA-256")
  func derivation() throws {
    for _ in 0..<Self.rounds {
      let (key, data) = (random(1...100), random(0...5000))
      let code = HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key))
      #expect(try library.hmac(data, key: key) == Array(code))
      let (secret, salt, info) = (random(1...80), random(1...80), random(1...200))
      let count = Int.random(in: 1...255)
      let derived = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: secret), salt: salt, info: info, outputByteCount: count)
      #expect(
        try library.hkdf(secret, salt: salt, info: info, count: count) == derived.withUnsafeBytes { [UInt8]($0) })
    }
  }

  @Test("computes the same scrypt")
  func scrypt() throws {
    for _ in 0..<20 {
      let (passphrase, salt, factor) = (random(1...60), random(1...60), Int.random(in: 4...12))
      let derived = try KDF.Scrypt.deriveKey(
        from: passphrase, salt: salt, outputByteCount: 32, rounds: 1 << factor, blockSize: 8, parallelism: 1)
      #expect(
        try library.scrypt(passphrase, salt: salt, cost: 1 << UInt64(factor), count: 32)
          == derived.withUnsafeBytes { [UInt8]($0) })
    }
  }

  @Test("has the same public keys and agrees on the same X25519 secrets, also with keys that nobody generated")
  func agreement() throws {
    for _ in 0..<Self.rounds {
      let (own, other) = (random(32), random(32))
      let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: own)
      #expect(try library.agreementKey(of: own) == Array(key.publicKey.rawRepresentation))
      let secret = try key.sharedSecretFromKeyAgreement(
        with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: other))
      #expect(try library.agree(own, with: other) == secret.withUnsafeBytes { [UInt8]($0) })
    }
  }

  @Test("makes Ed25519 signatures that are accepted, accepts those made here, and refuses the same")
  func signatures() throws {
    for _ in 0..<Self.rounds {
      let (seed, data) = (random(32), random(1...3000))
      let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
      let publicKey = Array(key.publicKey.rawRepresentation)
      #expect(try library.signingKey(of: seed) == publicKey)
      let ours = Array(try key.signature(for: data))
      let theirs = try library.sign(data, with: seed)
      #expect(try library.verify(ours, of: data, by: publicKey))
      #expect(key.publicKey.isValidSignature(theirs, for: data))
      #expect(try !library.verify(changed(ours), of: data, by: publicKey))
      #expect(!key.publicKey.isValidSignature(changed(theirs), for: data))
    }
  }

  @Test("accepts RSA signatures made here, and refuses changed ones")
  func rsa() throws {
    for _ in 0..<2 {
      let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
      for _ in 0..<10 {
        let data = random(1...3000)
        let signature = try key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
        let der = Array(key.publicKey.derRepresentation)
        #expect(try library.verify(rsa: Array(signature.rawRepresentation), of: data, by: der))
        #expect(try !library.verify(rsa: changed(Array(signature.rawRepresentation)), of: data, by: der))
      }
    }
  }
}
