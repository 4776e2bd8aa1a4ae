import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanStore

/// Recipients that age does not let share a file: the keyring has a file for each class.
@Suite("A keyring for recipients of several classes")
struct RecipientClassTests {
  typealias Recipients = [Identifier<Recipient>: Recipient]

  private let postQuantum: Identity
  private let key: Identifier<Key> = name("k")

  init() throws { postQuantum = try Identity.generatePostQuantum() }

  private func recipient(_ identity: Identity, _ role: Recipient.Role = .full) -> Recipient {
    Recipient(publicKey: identity.recipient.description, role: role)
  }

  private func slots(_ scratch: Scratch) throws -> [String] { try scratch.everything().header.keyring.keys.sorted() }

  private func value(_ scratch: Scratch, as identity: Identity) throws -> String {
    let store = try SealedStore.open(at: scratch.elsewhere, identities: [identity], access: .reading)
    return try store.value(of: key, version: nil).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("is one file for each role where all are of one class, whichever that is", arguments: [false, true])
  func oneClass(isPostQuantum: Bool) throws {
    let scratch = try Scratch(identity: isPostQuantum ? postQuantum : .generate())
    try scratch.create().put(["k": "a value"], at: 1_001)
    #expect(try slots(scratch) == ["full"])
    #expect(try value(scratch, as: scratch.identity) == "a value")
  }

  @Test("opens to a classical and to a post-quantum recipient", arguments: Scratch.kinds)
  func bothClasses(kind: Scratch.Kind) throws {
    let scratch = try Scratch(kind)
    let store = try scratch.create()
    try store.put(["k": "a value"], at: 1_001)
    let all: Recipients = [name("me"): recipient(scratch.identity), name("pq"): recipient(postQuantum)]
    try store.commit([.recipients(all, freshRoot: false)], at: 1_002)
    #expect(try slots(scratch) == ["full", "full-pq"])
    for identity in [scratch.identity, postQuantum] { #expect(try value(scratch, as: identity) == "a value") }
    // The slot that programs without classes read opens to the recipient that they know.
    let file = try #require(try scratch.everything().header.keyring["full"])
    #expect(throws: Never.self) { _ = try Age.decrypt(file, with: [scratch.identity]) }

    // Who leaves a class is no longer in any file, under a fresh root key.
    try store.commit([.recipients([name("pq"): recipient(postQuantum)], freshRoot: true)], at: 1_003)
    #expect(try slots(scratch) == ["full"])
    #expect(try value(scratch, as: postQuantum) == "a value")
    #expect(throws: StoreError.self) { _ = try value(scratch, as: scratch.identity) }
  }

  @Test("lets recipients of both classes plan, and gives neither a value")
  func planners() throws {
    let scratch = try Scratch()
    let classical = Identity.generate()
    let store = try scratch.create()
    try store.put(["k": "a value"], at: 1_001)
    let all: Recipients = [
      name("me"): recipient(scratch.identity), name("ci"): recipient(classical, .plan),
      name("pq"): recipient(postQuantum, .plan),
    ]
    try store.commit([.recipients(all, freshRoot: false)], at: 1_002)
    #expect(try slots(scratch) == ["full", "plan", "plan-pq"])
    for identity in [classical, postQuantum] {
      let opened = try SealedStore.open(at: scratch.location, identities: [identity], access: .reading)
      #expect(opened.isPlanOnly)
      #expect(try opened.recorded().keys.count == 1)
      let error = #expect(throws: StoreError.self) { _ = try opened.value(of: key, version: nil) }
      #expect(error?.code == .planOnly)
    }
  }

  @Test("a file of a class that is removed, exchanged or added is noticed")
  func tampered() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    let all: Recipients = [name("me"): recipient(scratch.identity), name("pq"): recipient(postQuantum)]
    try store.commit([.recipients(all, freshRoot: false)], at: 1_002)
    let bytes = try scratch.bytes()
    for statement in [
      "DELETE FROM keyring WHERE slot = 'full-pq'",
      "UPDATE keyring SET file = (SELECT file FROM keyring WHERE slot = 'full') WHERE slot = 'full-pq'",
      "INSERT INTO keyring SELECT 'plan-pq', file FROM keyring WHERE slot = 'full-pq'",
    ] {
      var database = try Database(scratch.path, writing: true)
      try database.run(statement)
      #expect(throws: StoreError.self, "\(statement)") {
        try SealedStore.open(at: scratch.location, identities: [scratch.identity], access: .reading)
      }
      try scratch.write(bytes)
    }
    #expect(throws: Never.self) { try scratch.open() }
  }

  @Test("opens to an SSH key")
  func ssh() throws {
    let pem = """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
      -----END PRIVATE KEY-----
      """
    let identity = try #require(try Identity.parseFile(Secret(Array(pem.utf8))).first)
    let scratch = try Scratch(identity: identity)
    try scratch.create().put(["k": "a value"], at: 1_001)
    #expect(try slots(scratch) == ["full"])
    #expect(try value(scratch, as: identity) == "a value")
  }

  @Test("a backup is one file: without a choice of recipients it is refused where the store has both classes")
  func backup() throws {
    let scratch = try Scratch()
    let store = try scratch.create()
    try store.put(["k": "a value"], at: 1_001)
    let all: Recipients = [name("me"): recipient(scratch.identity), name("pq"): recipient(postQuantum)]
    try store.commit([.recipients(all, freshRoot: false)], at: 1_002)
    func backup(_ others: [AgeRecipient]) throws -> [UInt8] {
      try StoreBackup.file(of: scratch.location, identities: [scratch.identity], to: others, at: Moment(seconds: 1_003))
        .file
    }
    let error = #expect(throws: StoreError.self) { _ = try backup([]) }
    #expect(error?.detail.contains("cannot share a file") == true)
    let made = try backup([postQuantum.recipient])
    #expect(throws: Never.self) { _ = try StoreBackup(file: made, identities: [postQuantum]) }
  }
}
