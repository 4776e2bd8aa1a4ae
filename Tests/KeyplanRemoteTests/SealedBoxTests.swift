import Crypto
import Foundation
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite struct SealedBoxTests {
  @Test("BLAKE2b hashes as RFC 7693, appendix A, and as Python's hashlib")
  func blake() {
    let whole = """
      ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
      7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923
      """
    #expect(Blake2b.hash(Array("abc".utf8), count: 64).hex == whole)
    let short: [(Int, String)] = [
      (0, "ab3b5331a7135ed50d0f182d026e60abdb3646fd51bcf8a3"),
      (128, "2a3da3bed1c5a0175121328af837641b43377181df29ff13"),
      (129, "458dd8fbe25622ea13a6a125f7bf4d2ea853aff0da7e498f"),
    ]
    for (count, hash) in short {
      #expect(Blake2b.hash([UInt8](repeating: 0x61, count: count), count: 24).hex == hash)
    }
  }

  @Test("Poly1305 authenticates as RFC 8439, section 2.5.2 and appendix A.3")
  func poly() {
    let key = "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"
    let message = Array("Cryptographic Forum Research Group".utf8)
    #expect(Poly1305.tag(of: message, key: .init(hex: key)).hex == "a8061dc1305136c6c22b8baf0c0127a9")
    // The edges of the arithmetic: vectors 7 to 11.
    let edges: [(key: String, message: String, tag: String)] = [
      ("02", String(repeating: "ff", count: 16), "03"),
      ("02" + zeros(15) + String(repeating: "ff", count: 16), "02" + zeros(15), "03"),
      (
        "01", String(repeating: "ff", count: 16) + "f0" + String(repeating: "ff", count: 15) + "11" + zeros(15), "05"
      ),
      (
        "01",
        String(repeating: "ff", count: 16) + "fb" + String(repeating: "fe", count: 15)
          + String(repeating: "01", count: 16), "00"
      ),
      ("02", "fd" + String(repeating: "ff", count: 15), "fa" + String(repeating: "ff", count: 15)),
      (
        "0100000000000000" + "04",
        "e33594d7505e43b900000000000000003394d7505e4379cd01" + zeros(7) + zeros(16) + "01" + zeros(15),
        "1400000000000000" + "55"
      ),
    ]
    for (key, message, tag) in edges {
      let padded = [UInt8](hex: key) + [UInt8](repeating: 0, count: 32 - key.count / 2)
      let wanted = [UInt8](hex: tag) + [UInt8](repeating: 0, count: 16 - tag.count / 2)
      #expect(Poly1305.tag(of: .init(hex: message), key: padded) == wanted, "\(tag)")
    }
  }

  private func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

  @Test("XSalsa20-Poly1305 encrypts as in \"Cryptography in NaCl\", section 10")
  func secretbox() {
    let key = "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389"
    let nonce = "69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37"
    let message = """
      be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a\
      1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057\
      e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040\
      e082f937763848645e0705
      """
    let boxed = """
      f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4\
      476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738\
      b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de\
      56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5
      """
    let result = [UInt8](hex: message).withUnsafeBytes {
      SealedBox.box($0, key: .init(hex: key), nonce: .init(hex: nonce))
    }
    #expect(result.hex == boxed)
  }

  @Test("boxes are those of libsodium 1.0.20 for the same keys")
  func sealed() throws {
    let ephemeral = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Array(UInt8(1)...32))
    let recipient = [UInt8](hex: "5869aff450549732cbaaed5e5df9b30a6da31cb0e5742bad5ad4a1a768f1a67b")
    let share = "07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c"
    let boxes = [
      "": "7531d7f90fa886a0ba3bafd1652975a8", "a": "ea3427eb5f8cd021c136345bdf7cde129c",
      "The launch code is 0000.":
        "a0ce7cca86b8443cc5cf9e26764236d3a9178c57dfbc3bbdcf5cd3acfedf35ee359326b39806ed2e",
    ]
    for (message, box) in boxes {
      let sealed = Array(message.utf8).withUnsafeBytes { SealedBox.seal($0, for: recipient, with: ephemeral) }
      #expect(sealed?.hex == share + box)
    }
  }

  @Test("a key that lets everybody open the box is refused, and so is one of another length")
  func lowOrder() {
    for key in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), [9], []] {
      #expect(Array("x".utf8).withUnsafeBytes { SealedBox.seal($0, for: key) } == nil)
    }
  }

  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  private static let hasSodium: Bool = {
    guard let python else { return false }
    return (try? Child.answer([python, "-c", "import nacl.public"]))?.status == 0
  }()

  @Test(
    "libsodium opens what is sealed, whatever its length",
    .enabled(
      if: hasSodium || ProcessInfo.processInfo.environment["CI"] != nil,
      "SKIPPED: run make setup-test, and set KEYPLAN_TEST_PYTHON"))
  func opened() throws {
    let python = try #require(Self.python)
    let script = """
      import sys; from nacl.public import PrivateKey, SealedBox
      box = SealedBox(PrivateKey(bytes.fromhex(sys.argv[1])))
      print(*[box.decrypt(bytes.fromhex(sealed)).hex() or "-" for sealed in sys.argv[2:]])
      """
    let recipient = Curve25519.KeyAgreement.PrivateKey()
    let messages = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 1000, 4096].map { count in
      (0..<count).map { _ in UInt8.random(in: 0...255) }
    }
    let sealed = try messages.map { message in
      try #require(message.withUnsafeBytes { SealedBox.seal($0, for: Array(recipient.publicKey.rawRepresentation)) })
        .hex
    }
    let answer = try Child.answer([python, "-c", script, Array(recipient.rawRepresentation).hex] + sealed)
    #expect(answer.status == 0)
    let opened = answer.text.split { $0 == " " || $0 == "\n" }.map(String.init)
    #expect(opened == messages.map { $0.isEmpty ? "-" : $0.hex })
  }
}

extension [UInt8] {
  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

  init(hex: String) {
    self = stride(from: 0, to: hex.utf8.count, by: 2).compactMap { start in
      UInt8(hex.dropFirst(start).prefix(2), radix: 16)
    }
  }
}
