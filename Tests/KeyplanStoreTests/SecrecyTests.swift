import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanStore

@Suite("What a store's file shows")
struct SecrecyTests {
  @Test("no value, name, model, source, target or recipient, in any spelling")
  func nothing() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["canary-name": "canary-value-93f1b2c4"])
    try store.put(["canary-name": "canary-second-55d0aa17"])
    let target = TargetRecord(
      revision: 1, destination: Destination(type: "dotenv", location: "/canary/target/.env"), entries: [:])
    try store.commit([.target(name("canary-target"), target), .allow(ExternalAccess(.command, "canary command"), [])])
    try store.commit([.forget(name("canary-name"))])
    let facts = AccountFacts(service: .google, account: "canary@account.example", client: "canary-client")
    let signIn = SignInRecord(signedInAt: Moment(seconds: 1), access: .unlimited, isRefreshable: true)
    let tokens = AccountTokens(access: secret("canary-access-0b7d"), refresh: secret("canary-refresh-e1c4"))
    try store.commit([
      .account(name("canary-home"), AccountRecord(revision: 1, facts: facts, signIn: signIn), tokens: tokens)
    ])
    let bytes = try scratch.bytes()
    let words = [
      "canary-value-93f1b2c4", "canary-second-55d0aa17", "canary-name", "OPENAI_API_KEY", "env://canary-name",
      "canary-target", "canary@account", "canary-client", "canary-home", "canary-access-0b7d", "canary-refresh-e1c4",
      "/canary/target", "canary command", scratch.identity.recipient.description, "AGE-SECRET-KEY",
    ]
    for word in words {
      for spelling in spellings(Array(word.utf8)) { #expect(!contains(bytes, spelling), "\(word)") }
    }
    #expect(contains(bytes, Array("kp1".utf8)), "the search finds what is there")
  }

  @Test("neither do errors")
  func errors() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    let key: Identifier<Key> = name("k")
    let secret = secret("canary-value-93f1b2c4")
    let version = KeyVersion(
      number: 1, fingerprint: store.fingerprint(secret, of: key), storedAt: Moment(seconds: 1), origin: nil)
    let record = KeyRecord(revision: 1, facts: KeyFacts(provider: "generic"), version: version)
    do {
      _ = try store.commit([.key(key, record, value: secret)], expecting: 99, at: Moment(seconds: 1))
      Issue.record("it must be stale")
    } catch {
      #expect(!"\(error)".contains("canary"))
    }
  }

  @Test(
    "no row of a value that has left the history, nor of one that came and went in a single commit",
    arguments: Scratch.kinds)
  func dropped(_ kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let store = try scratch.create()
    for number in 0..<9 { try store.put(["a": "\(number)"]) }
    let record = try #require(try store.recorded().keys[name("a")])
    var next = record
    next.version = KeyVersion(
      number: 99, fingerprint: record.version.fingerprint, storedAt: Moment(seconds: 3), origin: nil)
    var last = next
    last.version = KeyVersion(
      number: 100, fingerprint: record.version.fingerprint, storedAt: Moment(seconds: 3), origin: nil)
    try store.commit([
      .key(name("a"), next, value: secret("came and went")), .key(name("a"), last, value: secret("stays")),
    ])
    #expect(try scratch.sealed("secrets").count == 1 + KeyRecord.historyLimit)
    #expect(try store.text("a") == "stays")
  }

  @Test("values whose lengths differ by little have rows of one size", arguments: Scratch.kinds)
  func lengths(_ kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let store = try scratch.create()
    try store.put(["short": "1", "longer": String(repeating: "1", count: 59)])
    #expect(Set(try scratch.sealed("secrets").map(\.count)) == [112])
  }

  @Test("padding adds less than 12 % to what is longer than 512 bytes, and its inverse finds the content")
  func padding() {
    for count in Array(0...5000) + [65_536, 1_000_000] {
      let size = Padding.size(of: count)
      #expect(size >= count + 4)
      if count + 4 <= 512 { #expect(size % 64 == 0 && size < count + 4 + 64) }
      if count + 4 > 512 { #expect(Double(size) < Double(count + 4) * 1.12) }
      var padded: [UInt8] = []
      padded.append(bigEndian: UInt32(count))
      padded.append(contentsOf: [UInt8](repeating: 0, count: size - 4))
      #expect(Padding.content(of: padded) == 4..<4 + count)
    }
    #expect(Padding.content(of: [0, 0, 0, 61] + [UInt8](repeating: 0, count: 60)) == nil)
    #expect(Padding.content(of: [0, 0]) == nil)
  }

  private func spellings(_ word: [UInt8]) -> [[UInt8]] {
    let hex = Array(word.hexadecimal.utf8)
    let upper = Array(word.hexadecimal.uppercased().utf8)
    let base64 = (0..<3).map { skipped in
      // Without the characters at both ends, which depend on what stands beside.
      Array(Data(word.dropFirst(skipped)).base64EncodedString().utf8.prefix(word.count - skipped - 4))
    }
    return [word, Array(word.reversed()), hex, upper] + base64 + [word.flatMap { [$0, 0] }]
  }

  private func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
    Data(bytes).firstRange(of: Data(word)) != nil
  }
}
