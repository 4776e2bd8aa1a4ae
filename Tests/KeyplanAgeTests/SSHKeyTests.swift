import Foundation
import KeyplanCodecs
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanAge

/// Facts that other programs established: RFC 8032's keys, and a file that Debian's age wrote.
@Suite("SSH keys")
struct SSHKeyTests {
  static let converted: [(edwards: String, montgomery: String)] = [
    (
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "d85e07ec22b0ad881537c2f44d662d1a143cf830c57aca4305d85c7a90f6b62e"
    ),
    (
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "25c704c594b88afc00a76b69d1ed2b984d7e22550f3ed0802d04fbcd07d38d47"
    ),
  ]

  @Test("an Ed25519 key becomes the X25519 key of the same point", arguments: converted)
  func converts(edwards: String, montgomery: String) {
    #expect(MontgomeryKey.u(ofEdwards: unhex(edwards)).map(hex) == montgomery)
  }

  @Test("bytes that are not a point on the curve are not a key")
  func offCurve() {
    // y = 2 has no x. RFC 8032's own example of a point on it has one.
    #expect(MontgomeryKey.u(ofEdwards: [2] + [UInt8](repeating: 0, count: 31)) == nil)
    #expect(MontgomeryKey.u(ofEdwards: [3] + [UInt8](repeating: 0, count: 31)) != nil)
    let refused = (0..<200).filter { MontgomeryKey.u(ofEdwards: Seeded.bytes(32, seed: UInt64($0))) == nil }.count
    #expect((60..<140).contains(refused), "about half of all numbers are not on it")
  }

  @Test("public and private key agree on the same secret, for a hundred keys")
  func agreement() throws {
    for seed in 0..<100 {
      let identity = try identity(pkcs8: Seeded.bytes(32, seed: UInt64(seed)))
      let file = try Age.encrypt(Secret([7]), to: [identity.recipient])
      #expect(bytes(of: try Age.decrypt(file, with: [Identity.generate(), identity])) == [7])
    }
  }

  @Test("the file key in a stanza of Debian's age is found")
  func publishedStanza() throws {
    let identity = try identity(pkcs8: unhex("24822a32011d48f5f81bd47414863c1d74d1b12d356722597980d51503197c82"))
    guard case .ssh(let key) = identity.kind else { return #expect(Bool(false)) }
    #expect(
      hex(key.publicKey.wire).hasSuffix("ac06bee83cdaa296efbe07abd0d7b65ea2be6fd0774d7811b2b70df61480b1f8"))
    let stanza = Stanza(
      arguments: ["ssh-ed25519", "seta8Q", "aaLaiBYyAokDjwMBfpgQKUy1EFEquRPBUWWTQx15ZhY"].map { Array($0.utf8) },
      body: try #require(Base64.bytes(in: Array("tKqIhvCx0DogySgSHLeLWNc6lsUV7pXn/882sZZcZBc".utf8)[...])))
    let read = try #require(SSHStanza(stanza))
    let fileKey = try #require(try read.fileKey(for: key, line: 2))
    #expect(fileKey.withBytes { hex($0) } == "eade98234b54dbf346428194121288da")
  }

  @Test("a stanza that names a key and does not open with it is an error, and one for another key is none")
  func wrongBody() throws {
    let (mine, other) = (try identity(pkcs8: Seeded.bytes(32)), try identity(pkcs8: Seeded.bytes(32, seed: 8)))
    guard case .ssh(let key) = mine.kind, case .ssh(let second) = other.kind else { return #expect(Bool(false)) }
    let stanza = try SSHStanza(wrapping: FileKey.generate(), for: key.publicKey).stanza
    #expect(try #require(SSHStanza(stanza)).fileKey(for: second, line: 2) == nil)
    var body = stanza.body
    body[0] ^= 1
    let changed = try #require(SSHStanza(Stanza(arguments: stanza.arguments, body: body)))
    #expect(throws: AgeError.header(.ssh, line: 2)) { _ = try changed.fileKey(for: key, line: 2) }
  }

  static let malformed: [(label: String, line: String)] = [
    ("no base64", "ssh-ed25519"),
    ("another type in it", "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"),
    ("not base64", "ssh-ed25519 ????"),
    ("two lines", "ssh-ed25519 AAAA a\nssh-ed25519 AAAA b"),
  ]

  @Test("a malformed public key is refused", arguments: malformed)
  func badLine(label: String, line: String) {
    #expect(throws: AgeError.self, "\(label)") { try AgeRecipient(parsing: line) }
  }

  @Test("an RSA key of 1,024 bits is refused")
  func shortRSA() {
    let modulus = [0xC1] + Seeded.bytes(126) + [1]
    #expect(throws: KeyFault.rsaSize) { try SSHPublicKey(modulus: modulus, exponent: [1, 0, 1]) }
  }

  @Test("a public exponent of 1, which encrypts nothing, is refused")
  func exponent() {
    #expect(throws: KeyFault.sshMalformed) {
      try SSHPublicKey(modulus: [0xC1] + Seeded.bytes(254) + [1], exponent: [1])
    }
  }

  @Test("a public key with random bytes, lengths among them, is refused or a key, and never ends the program")
  func randomKeys() {
    var generator = Seeded(seed: 11)
    let rsa = try? SSHPublicKey(modulus: [0xC1] + Seeded.bytes(254) + [1], exponent: [1, 0, 1])
    for wire in [rsa?.wire ?? [], SSHFields.field("ssh-ed25519".utf8) + SSHFields.field(Seeded.bytes(32))] {
      for _ in 0..<2_000 {
        var changed = wire
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          changed[Int.random(in: 0..<min(40, changed.count), using: &generator)] = .random(
            in: 0 ... .max, using: &generator)
        }
        changed.removeLast(Int.random(in: 0...2, using: &generator))
        if let key = try? SSHPublicKey(wire: changed) { #expect(key.wire == changed) }
      }
    }
  }

  @Test("without libcrypto the loader's message is the reason")
  func noLibrary() {
    #expect(CryptoLibrary.load(["libkeyplan-missing.so"])?.contains("libkeyplan-missing") == true)
  }

  private func identity(pkcs8 seed: [UInt8]) throws -> Identity {
    let der = unhex("302e020100300506032b657004220420") + seed
    let pem = "-----BEGIN PRIVATE KEY-----\n\(Data(der).base64EncodedString())\n-----END PRIVATE KEY-----\n"
    return try #require(try Identity.parseFile(Secret(Array(pem.utf8))).first)
  }
}

/// Keys and files exchanged with `ssh-keygen` and `age`.
@Suite(
  "SSH keys with ssh-keygen and age",
  .enabled(if: Program.isInstalled || Program.isCI, "install age and openssh-client"))
struct SSHProgramTests {
  static let kinds: [(label: String, options: [String])] = [
    ("ed25519", ["-t", "ed25519"]), ("rsa", ["-t", "rsa", "-b", "2048"]),
    ("rsa of an odd size", ["-t", "rsa", "-b", "3071"]), ("rsa in PEM", ["-t", "rsa", "-b", "2048", "-m", "PEM"]),
    ("rsa in PKCS #8", ["-t", "rsa", "-b", "2048", "-m", "PKCS8"]),
  ]

  @Test("age opens what keyplan encrypts to an SSH key, and the other way round", arguments: kinds)
  func exchanged(label: String, options: [String]) throws {
    try withFolder { folder in
      try Program.run(
        "ssh-keygen", arguments: ["-q", "-N", "", "-f", "key", "-C", "ada on her machine"] + options, in: folder)
      let line = try String(contentsOf: folder.appending(path: "key.pub"), encoding: .utf8)
        .trimmingCharacters(in: .newlines)
      let recipient = try AgeRecipient(parsing: line)
      #expect(line.hasPrefix(recipient.description + " ada"))
      let identities = try Identity.parseFile(Secret([UInt8](try Data(contentsOf: folder.appending(path: "key")))))
      #expect(identities.map(\.recipient) == [recipient])

      let ours = try Age.encrypt(Secret([1, 2, 3]), to: [Identity.generate().recipient, recipient])
      try Data(ours).write(to: folder.appending(path: "ours.age"))
      #expect(try Program.run("age", "-d", "-i", "key", "ours.age", in: folder) == [1, 2, 3])
      try Data([4, 5]).write(to: folder.appending(path: "plain"))
      let theirs = try Program.run("age", "-e", "-r", line, "plain", in: folder)
      #expect(bytes(of: try Age.decrypt(theirs, with: identities)) == [4, 5])
    }
  }

  @Test("a body for an RSA key that was changed is refused")
  func changedRSA() throws {
    try withFolder { folder in
      try Program.run("ssh-keygen", "-q", "-N", "", "-f", "key", "-t", "rsa", "-b", "2048", in: folder)
      let identity = try #require(
        try Identity.parseFile(Secret([UInt8](try Data(contentsOf: folder.appending(path: "key"))))).first)
      guard case .ssh(let key) = identity.kind else { return #expect(Bool(false)) }
      let stanza = try SSHStanza(wrapping: FileKey.generate(), for: key.publicKey).stanza
      #expect(try #require(SSHStanza(stanza)).fileKey(for: key, line: 2) != nil)
      var body = stanza.body
      body[9] ^= 1
      let changed = try #require(SSHStanza(Stanza(arguments: stanza.arguments, body: body)))
      #expect(throws: AgeError.header(.ssh, line: 2)) { _ = try changed.fileKey(for: key, line: 2) }
    }
  }

  @Test(
    "a key with a passphrase is refused with what to do, and one of another kind by name",
    arguments: [
      (["-t", "ed25519", "-N", "pass"], KeyFault.sshEncrypted),
      (["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "passphrase"], .sshEncrypted),
      (["-t", "rsa", "-b", "2048", "-m", "PKCS8", "-N", "passphrase"], .sshEncrypted),
      (["-t", "ecdsa", "-N", ""], .sshUnsupported),
      (["-t", "rsa", "-b", "1024", "-N", ""], .rsaSize),
    ])
  func refused(options: [String], fault: KeyFault) throws {
    try withFolder { folder in
      try Program.run("ssh-keygen", arguments: ["-q", "-f", "key"] + options, in: folder)
      let file = [UInt8](try Data(contentsOf: folder.appending(path: "key")))
      #expect(throws: AgeError.invalidIdentity(fault, line: 1)) { try Identity.parseFile(Secret(file)) }
    }
  }

  @Test("a key file with something after the key is refused: an identity there would be ignored without a word")
  func trailing() throws {
    try withFolder { folder in
      try Program.run("ssh-keygen", "-q", "-N", "", "-f", "key", "-t", "ed25519", in: folder)
      let file = [UInt8](try Data(contentsOf: folder.appending(path: "key")))
      for rest in [Array(Published.identity.utf8), file, [0]] {
        #expect(throws: AgeError.invalidIdentity(.sshMalformed, line: 1)) {
          try Identity.parseFile(Secret(file + rest))
        }
      }
      #expect(try Identity.parseFile(Secret(file + Array("\n \r\n".utf8))).count == 1)
    }
  }

  @Test("a key file with a changed byte is refused, or has the same public key")
  func changedKeyFile() throws {
    try withFolder { folder in
      try Program.run("ssh-keygen", "-q", "-N", "", "-f", "key", "-t", "ed25519", in: folder)
      let file = [UInt8](try Data(contentsOf: folder.appending(path: "key")))
      let recipient = try Identity.parseFile(Secret(file)).first?.recipient
      for place in file.indices {
        var changed = file
        changed[place] ^= 1
        if let found = try? Identity.parseFile(Secret(changed)).first { #expect(found.recipient == recipient) }
      }
    }
  }
}

func unhex(_ digits: String) -> [UInt8] {
  let digits = Array(digits)
  return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
}
