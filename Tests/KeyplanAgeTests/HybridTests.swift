import Foundation
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanAge

@Suite("Post-quantum recipients and passphrases")
struct HybridTests {
  @Test("a new post-quantum identity survives being written and read, and opens what its recipient seals")
  func generated() throws {
    let identity = try Identity.generatePostQuantum()
    let exported = text(of: try identity.exported())
    #expect(exported.hasPrefix("AGE-SECRET-KEY-PQ-1"))
    let again = try Identity(parsing: Secret(Array(exported.lowercased().utf8)))
    #expect(again.recipient == identity.recipient)
    let recipient = identity.recipient.description
    #expect(recipient.hasPrefix("age1pq1") && recipient.utf8.count == 1959)
    let file = try Age.encrypt(Secret([1, 2]), to: [AgeRecipient(parsing: recipient)])
    #expect(bytes(of: try Age.decrypt(file, with: [Identity.generate(), again])) == [1, 2])
    #expect(throws: AgeError.noMatch) { _ = try Age.decrypt(file, with: [Identity.generatePostQuantum()]) }
  }

  @Test("bytes that are not a key of ML-KEM are refused as a recipient")
  func notKey() {
    let text = bech32("age1pq", [UInt8](repeating: 0xFF, count: 1216))
    #expect(throws: AgeError.invalidRecipient(.hybrid)) { try AgeRecipient(parsing: text) }
  }

  @Test("post-quantum and other recipients share no file")
  func mixed() throws {
    let recipients = [try Identity.generatePostQuantum().recipient, Identity.generate().recipient]
    for order in [recipients, recipients.reversed()] {
      #expect(throws: AgeError.mixedRecipients) { try Age.encrypt(Secret([1]), to: order) }
    }
  }

  @Test("a passphrase opens what it encrypted, and no other does")
  func passphrase() throws {
    let file = try Age.encrypt(Secret([9]), passphrase: Secret(Array("correct".utf8)), workFactor: 10)
    #expect(bytes(of: try Age.decrypt(file, passphrase: Secret(Array("correct".utf8)))) == [9])
    #expect(throws: AgeError.noMatch) { _ = try Age.decrypt(file, passphrase: Secret(Array("wrong".utf8))) }
    #expect(throws: AgeError.needsPassphrase) { _ = try Age.decrypt(file, with: [Identity.generate()]) }
    let other = try Age.encrypt(Secret([9]), to: [Identity.generate().recipient])
    #expect(throws: AgeError.noMatch) { _ = try Age.decrypt(other, passphrase: Secret(Array("correct".utf8))) }
  }

  @Test("an empty passphrase is refused on both sides")
  func emptyPassphrase() throws {
    #expect(throws: AgeError.emptyPassphrase) { try Age.encrypt(Secret([9]), passphrase: Secret([])) }
    let file = try Age.encrypt(Secret([9]), passphrase: Secret([1]), workFactor: 10)
    #expect(throws: AgeError.emptyPassphrase) { _ = try Age.decrypt(file, passphrase: Secret([])) }
  }

  @Test(
    "a work factor above 20 is refused before any of it is done",
    arguments: ["21", "22", "63", "999999999999999999999"])
  func workFactor(written: String) throws {
    let file = try Age.encrypt(Secret([9]), passphrase: Secret([1]), workFactor: 10)
    let text = String(decoding: file, as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("-> scrypt") })
    let changed = Array(line.dropLast(2).utf8) + Array(written.utf8)
    let start = 22
    let hostile = Array(file[..<start]) + changed + file[(start + line.utf8.count)...]
    #expect(throws: AgeError.header(.scryptWork, line: 2)) { _ = try Age.decrypt(hostile, passphrase: Secret([1])) }
  }
}

/// Files exchanged with age 1.3 inside of SOPS, and with rage inside of pyrage.
@Suite("With sops and pyrage", .enabled(if: Program.path(of: "sops") != nil, "run scripts/setup-test.sh"))
struct PeerTests {
  @Test("sops opens what keyplan seals to a post-quantum recipient, and the other way round")
  func postQuantum() throws {
    try withFolder { folder in
      let identity = try Identity.generatePostQuantum()
      try exchange(
        recipient: identity.recipient.description, identity,
        ["SOPS_AGE_KEY": text(of: try identity.exported())], in: folder)
    }
  }

  @Test("sops opens what keyplan seals to an SSH key, and the other way round", arguments: ["ed25519", "rsa"])
  func ssh(type: String) throws {
    try withFolder { folder in
      try Program.run("ssh-keygen", "-q", "-N", "", "-f", "key", "-t", type, in: folder)
      let key = folder.appending(path: "key")
      let identity = try #require(try Identity.parseFile(Secret([UInt8](try Data(contentsOf: key)))).first)
      try exchange(
        recipient: identity.recipient.description, identity, ["SOPS_AGE_SSH_PRIVATE_KEY_FILE": key.path], in: folder)
    }
  }

  private func exchange(
    recipient: String, _ identity: Identity, _ environment: [String: String], in folder: URL
  ) throws {
    try Data(#"{"token":"value"}"#.utf8).write(to: folder.appending(path: "plain.json"))
    let theirs = try Program.run(
      "sops", arguments: ["-e", "--age", recipient, "plain.json"], in: folder, environment: ["HOME": folder.path])
    var document = try #require(try JSONSerialization.jsonObject(with: Data(theirs)) as? [String: Any])
    var metadata = try #require(document["sops"] as? [String: Any])
    var keys = try #require(metadata["age"] as? [[String: Any]])
    let sealed = try #require(keys[0]["enc"] as? String)
    let dataKey = bytes(of: try Age.decrypt(Array(sealed.utf8), with: [identity]))
    #expect(dataKey.count == 32)

    let ours = try Age.encrypt(Secret(dataKey), to: [identity.recipient], armored: true)
    keys[0]["enc"] = String(decoding: ours, as: UTF8.self)
    metadata["age"] = keys
    document["sops"] = metadata
    try JSONSerialization.data(withJSONObject: document).write(to: folder.appending(path: "ours.json"))
    let opened = try Program.run(
      "sops", arguments: ["-d", "ours.json"], in: folder, environment: environment.merging(["HOME": folder.path]) { $1 }
    )
    let content = try #require(try JSONSerialization.jsonObject(with: Data(opened)) as? [String: String])
    #expect(content == ["token": "value"])
  }

  @Test("pyrage opens keyplan's files for a passphrase and an SSH key, and the other way round")
  func rage() throws {
    try withFolder { folder in
      try Program.run("ssh-keygen", "-q", "-N", "", "-f", "key", "-t", "ed25519", in: folder)
      let identity = try #require(
        try Identity.parseFile(Secret([UInt8](try Data(contentsOf: folder.appending(path: "key"))))).first)
      try Data(try Age.encrypt(Secret([1]), passphrase: Secret(Array("word".utf8)), workFactor: 12))
        .write(to: folder.appending(path: "word.age"))
      try Data(try Age.encrypt(Secret([2]), to: [identity.recipient])).write(to: folder.appending(path: "key.age"))
      let script = """
        import pyrage
        assert pyrage.passphrase.decrypt(open("word.age", "rb").read(), "word") == b"\\x01"
        key = pyrage.ssh.Identity.from_buffer(open("key", "rb").read())
        assert pyrage.decrypt(open("key.age", "rb").read(), [key]) == b"\\x02"
        open("word-theirs.age", "wb").write(pyrage.passphrase.encrypt(b"\\x03", "word"))
        recipient = pyrage.ssh.Recipient.from_str(open("key.pub").read())
        open("key-theirs.age", "wb").write(pyrage.encrypt(b"\\x04", [recipient]))
        """
      try Program.run("python", "-c", script, in: folder)
      let word = [UInt8](try Data(contentsOf: folder.appending(path: "word-theirs.age")))
      #expect(bytes(of: try Age.decrypt(word, passphrase: Secret(Array("word".utf8)))) == [3])
      let key = [UInt8](try Data(contentsOf: folder.appending(path: "key-theirs.age")))
      #expect(bytes(of: try Age.decrypt(key, with: [identity])) == [4])
    }
  }
}
