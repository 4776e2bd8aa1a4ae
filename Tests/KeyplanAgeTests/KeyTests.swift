import KeyplanAge
import KeyplanSecrets
import TestTools
import Testing

@Suite("Recipients and identities")
struct KeyTests {
  @Test("the specification's example identity has its example recipient")
  func published() throws {
    let identity = try identity(Published.identity)
    #expect(identity.recipient.description == Published.recipient)
    #expect(try AgeRecipient(parsing: Published.recipient) == identity.recipient)
    #expect(text(of: try identity.exported()) == Published.identity)
  }

  @Test("a new identity survives being written and read, and is never the same twice")
  func generated() throws {
    let one = Identity.generate()
    let again = try Identity(parsing: try one.exported())
    #expect(again.recipient == one.recipient)
    // It is its own after it was exported, too.
    #expect(text(of: try one.exported()) == text(of: try again.exported()))
    #expect(try AgeRecipient(parsing: one.recipient.description) == one.recipient)
    #expect(Identity.generate().recipient != one.recipient)
  }

  @Test("upper and lower case mean the same key")
  func letterCase() throws {
    #expect(try AgeRecipient(parsing: Published.recipient.uppercased()).description == Published.recipient)
    #expect(text(of: try identity(Published.identity.lowercased()).exported()) == Published.identity)
  }

  static let badRecipients: [(label: String, text: String, fault: KeyFault)] = [
    ("empty", "", .notBech32),
    ("no separator", "agezvkyg2lqzraa2", .notBech32),
    ("no room for a checksum", "age1zvkyg", .notBech32),
    ("an identity", Published.identity, .otherKind),
    (
      "a plugin's with a wrong checksum", "age1yubikey1q2w7u3vpya839jxxuq8g0sedh3d740d4xvn639sqhr95ejj8vu3hyfumptq",
      .checksum
    ),
    ("a 1 for an l", published("age1zvkyg21", from: 11), .otherKind),
    ("a truncated SSH key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH", .sshMalformed),
    ("an SSH key of another kind", "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAA", .sshUnsupported),
    ("a short post-quantum key", bech32("age1pq", [UInt8](repeating: 9, count: 1215)), .length),
    ("mixed case", published("Age", from: 3), .mixedCase),
    ("a character of no digit", published("age1b", from: 5), .character),
    ("not ASCII", published("age1é", from: 5), .character),
    ("white space behind", "\(Published.recipient) ", .character),
    ("a character mistyped", "\(Published.recipient.dropLast())q", .checksum),
    ("a character lost", "\(Published.recipient.dropLast())", .checksum),
    ("two swapped", published("age1vzkyg", from: 9), .checksum),
    ("31 bytes", bech32("age", [UInt8](repeating: 9, count: 31)), .length),
    ("33 bytes", bech32("age", [UInt8](repeating: 9, count: 33)), .length),
    ("no bytes", bech32("age", []), .length),
    ("the zero point", bech32("age", [UInt8](repeating: 0, count: 32)), .lowOrder),
    ("the point 1", bech32("age", [1] + [UInt8](repeating: 0, count: 31)), .lowOrder),
  ]

  /// The published recipient with another beginning.
  private static func published(_ beginning: String, from place: Int) -> String {
    beginning + Published.recipient.dropFirst(place)
  }

  @Test("a recipient that is none is refused with its reason", arguments: badRecipients)
  func badRecipient(label: String, text: String, fault: KeyFault) {
    #expect(throws: AgeError.invalidRecipient(fault), "\(label)") { try AgeRecipient(parsing: text) }
  }

  @Test("BIP-173 sets bits behind the last byte to zero: a text with others is refused though its checksum fits")
  func paddingBits() {
    var digits = bech32Digits([UInt8](repeating: 9, count: 32))
    digits[digits.count - 1] |= 1
    #expect(throws: AgeError.invalidRecipient(.length)) { try AgeRecipient(parsing: bech32("age", digits: digits)) }
  }

  @Test("a wrong character anywhere in a key is noticed")
  func everyCharacter() {
    for place in 4..<Published.recipient.utf8.count {
      var changed = Array(Published.recipient.utf8)
      changed[place] = changed[place] == UInt8(ascii: "q") ? UInt8(ascii: "p") : UInt8(ascii: "q")
      #expect(throws: AgeError.invalidRecipient(.checksum)) {
        try AgeRecipient(parsing: String(decoding: changed, as: UTF8.self))
      }
    }
  }

  @Test("a Bech32 text has no limit of length, and a megabyte of it is read")
  func longText() {
    let long = bech32("age", Seeded.bytes(1 << 20))
    #expect(throws: AgeError.invalidRecipient(.length)) { try AgeRecipient(parsing: long) }
  }

  @Test("an identity file has comments, empty lines, CRLF and several identities")
  func identityFile() throws {
    let second = Identity.generate()
    let file = "# created: today\r\n\n  # more\n\(Published.identity)\r\n\n\(text(of: try second.exported()))"
    let identities = try Identity.parseFile(Secret(Array(file.utf8)))
    #expect(identities.map(\.recipient.description) == [Published.recipient, second.recipient.description])
  }

  @Test("an identity file is refused with the line, and never with the text")
  func badIdentityFile() {
    let mistyped = Published.identity.dropLast() + "Q"
    let file = "# comment\n\(Published.identity)\n\n\(mistyped)\n"
    let error = #expect(throws: AgeError.self) { try Identity.parseFile(Secret(Array(file.utf8))) }
    #expect(error == .invalidIdentity(.checksum, line: 4))
    #expect(error.map { !"\($0)\(String(reflecting: $0))".contains("GFPYYSJZ") } == true)
    #expect(throws: AgeError.noIdentities) { try Identity.parseFile(Secret(Array("# nothing\n\n".utf8))) }
    #expect(throws: AgeError.invalidIdentity(.otherKind, line: 1)) { try identity(Published.recipient) }
    #expect(throws: AgeError.invalidIdentity(.plugin, line: 1)) { try identity("AGE-PLUGIN-YUBIKEY-1QQQQQQQQ") }
    #expect(throws: AgeError.invalidIdentity(.sshPublic, line: 1)) {
      try Identity.parseFile(Secret(Array("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 ada@vm\n".utf8)))
    }
    #expect(throws: AgeError.invalidIdentity(.sshNotAlone, line: 2)) {
      try Identity.parseFile(Secret(Array("\(Published.identity)\n-----BEGIN OPENSSH PRIVATE KEY-----\n".utf8)))
    }
  }

  @Test("nothing that Swift can print of an identity shows its key")
  func neverShown() throws {
    let identity = try identity(Published.identity)
    struct Holder { let inside: Identity }
    var dumped = ""
    dump(identity, to: &dumped)
    var printed = ""
    print(identity, to: &printed)
    #expect(dumped == "- (secret)\n")
    #expect(printed == "(secret)\n")
    #expect("\(identity)" == "(secret)")
    #expect(String(describing: identity) == "(secret)")
    #expect(String(reflecting: identity) == "(secret)")
    #expect(identity.debugDescription == "(secret)")
    #expect("\([identity]) \(identity as Identity?)" == "[(secret)] Optional((secret))")
    #expect(Mirror(reflecting: identity).children.isEmpty)
    #expect(Mirror(reflecting: identity).superclassMirror == nil)
    dumped = ""
    dump(Holder(inside: identity), to: &dumped)
    #expect(dumped.split(separator: "\n").last?.hasSuffix("inside: (secret)") == true)
  }
}
