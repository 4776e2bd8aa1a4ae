import Foundation
import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

@Suite("The syntax of recipients")
struct RecipientSyntaxTests {
  private static let ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"

  @Test("an SSH key is recorded without its comment, so that the same key has one text")
  func comment() {
    #expect(RecipientSyntax.canonical(Self.ed25519) == Self.ed25519)
    #expect(RecipientSyntax.canonical("\(Self.ed25519) ada@host, her key") == Self.ed25519)
    #expect(RecipientSyntax.canonical(Self.rsa(bytes: 257)) == Self.rsa(bytes: 257))
  }

  @Test(
    "what is not a whole public key is refused",
    arguments: [
      "", "ssh-ed25519", "ssh-ed25519 ", "ssh-ed25519 AAAA", "ssh-ed25519 \(ed25519.dropFirst(12).dropLast(4))",
      "ssh-rsa \(ed25519.dropFirst(12))", "ssh-dss \(ed25519.dropFirst(12))", "\(ed25519.dropLast())",
      "\(ed25519)\nssh-ed25519 AAAA", "\(ed25519)AAAA", rsa(bytes: 129), rsa(bytes: 3000),
      "age1pq1\(String(repeating: "q", count: 1952))", "AGE-SECRET-KEY-1QQQ",
    ])
  func refused(text: String) {
    #expect(RecipientSyntax.canonical(text) == nil)
  }

  @Test("a post-quantum recipient needs its checksum, anywhere in its 1,959 characters")
  func postQuantum() {
    let recipient = Self.postQuantum
    #expect(recipient.utf8.count == 1959)
    #expect(RecipientSyntax.canonical(recipient) == recipient)
    for place in stride(from: 7, to: 1959, by: 61) {
      var changed = Array(recipient.utf8)
      changed[place] = changed[place] == UInt8(ascii: "q") ? UInt8(ascii: "p") : UInt8(ascii: "q")
      #expect(RecipientSyntax.canonical(String(decoding: changed, as: UTF8.self)) == nil)
    }
  }

  @Test("a manifest names recipients of every kind, in both roles")
  func manifest() throws {
    let reading = reader.read(
      base: text(
        """
        version: 1
        recipients:
          ada: \(Self.ed25519) ada@host
          ben: { key: \(Self.rsa(bytes: 257)) ben, can: plan }
          cat: \(Self.postQuantum)
        """))
    #expect(reading.diagnostics.isEmpty)
    let recipients = try #require(reading.manifest?.recipients)
    #expect(
      Set(recipients.values) == [
        Recipient(publicKey: Self.ed25519), Recipient(publicKey: Self.rsa(bytes: 257), role: .plan),
        Recipient(publicKey: Self.postQuantum),
      ])
  }

  @Test(
    "a recipient of an age plugin is one; with a wrong checksum, in upper case or for hardware it is refused with the reason"
  )
  func plugin() throws {
    let yubikey = "age1yubikey1q2w7u3vpya839jxxuq8g0sedh3d740d4xvn639sqhr95ejj8vu3hyfumptt"
    #expect(RecipientSyntax.canonical(yubikey) == yubikey)
    #expect(RecipientSyntax.isPublic(yubikey))
    for wrong in [yubikey.dropLast() + "q", "age1yubikey1", "age1../x1qqqqqqq"] {
      check(
        """
        version: 1
        recipients: { a: 1️⃣\(wrong) }
        """, Fault(.invalidValue, "Not a valid recipient of an age plugin"))
    }
    check(
      """
      version: 1
      recipients: { a: 1️⃣age1tag1qqqqqqqqqqqq }
      """, Fault(.invalidValue, "Recipients for hardware"))
  }

  @Test("the same SSH key with another comment is the same recipient")
  func twice() {
    check(
      """
      version: 1
      recipients:
        a: \(Self.ed25519)
        1️⃣b: \(Self.ed25519) other
      """, Fault(.conflict, "the same recipient as \"a\""))
  }

  private static func rsa(bytes: Int) -> String {
    func field(_ bytes: [UInt8]) -> [UInt8] { withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes }
    let modulus = [0, 0xC1] + [UInt8](repeating: 7, count: bytes - 2)
    let wire = field(Array("ssh-rsa".utf8)) + field([1, 0, 1]) + field(modulus)
    return "ssh-rsa \(Data(wire).base64EncodedString())"
  }

  /// Any 1,216 bytes: whether they are a key is not syntax.
  private static let postQuantum: String = {
    let digits = [UInt8](repeating: 11, count: 1945) + [16]
    var sum: UInt32 = 1
    func step(_ value: UInt32) {
      let top = sum >> 25
      sum = (sum & 0x1FF_FFFF) << 5 ^ value
      for (bit, generator) in [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3].enumerated()
      where top >> UInt32(bit) & 1 == 1 { sum ^= UInt32(generator) }
    }
    let prefix = "age1pq".utf8
    for value in prefix.map({ $0 >> 5 }) + [0] + prefix.map({ $0 & 31 }) + digits { step(UInt32(value)) }
    for _ in 0..<6 { step(0) }
    let checksum = (0..<6).map { UInt8((sum ^ 1) >> UInt32(5 * (5 - $0)) & 31) }
    let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
    return "age1pq1" + String((digits + checksum).map { alphabet[Int($0)] })
  }()
}
