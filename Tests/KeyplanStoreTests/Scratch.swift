import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import PostgresForTests
import TestTools

@testable import KeyplanStore

/// A store of its own: a file in a directory that is removed at the end, or a project on the server that all tests share.
final class Scratch: Sendable {
  let directory: String
  let location: StoreLocation
  let identity: Identity

  enum Kind: CaseIterable, Sendable { case file, server }

  /// What stores can be kept on here. A machine without a server tests the file alone.
  static let kinds: [Kind] = PostgresServer.missing == nil ? [.file, .server] : [.file]

  /// - Parameter server: another than the one that all tests share.
  init(_ kind: Kind = .file, identity: Identity = .generate(), on server: PostgresServer? = nil) throws {
    self.identity = identity
    directory = NSTemporaryDirectory() + "/keyplan-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    chmod(directory, 0o700)
    switch kind {
    case .file: location = .file(directory + "/.keyplan/store.db")
    case .server:
      let name = UUID().uuidString
      location = .shared(SharedStore(try Self.address(name, "application_name=\(name)", on: server)))
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// On the shared server, or another.
  static func address(
    _ project: String, _ options: String = "", user: String = "keyplan", on server: PostgresServer? = nil
  ) throws -> PostgresAddress {
    let server = try server ?? PostgresServer.shared.get()
    return try PostgresAddress(
      server.address(options, user: user), project: project, environment: "default",
      variables: ["PGCONNECT_TIMEOUT": "120"])
  }

  var path: String { directory + "/.keyplan/store.db" }

  /// Nil for a file.
  var shared: SharedStore? {
    if case .shared(let shared) = location { shared } else { nil }
  }

  /// What the server knows this store's connections by.
  var application: String { shared?.address.project ?? "" }

  /// The same place, for somebody else: connections of his own.
  var elsewhere: StoreLocation {
    switch location {
    case .file: location
    case .shared(let shared): .shared(SharedStore(shared.address))
    }
  }

  var recipients: [Identifier<Recipient>: Recipient] {
    [name("me"): Recipient(publicKey: identity.recipient.description)]
  }

  func create() throws -> SealedStore {
    try SealedStore.create(at: location, recipients: recipients, now: Moment(seconds: 1000))
  }

  func open(_ access: SealedStore.Access = .reading, under lock: StoreLock? = nil) throws -> SealedStore {
    try SealedStore.open(at: elsewhere, identities: [identity], access: access, under: lock)
  }

  func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
  }

  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory + "/.keyplan").sorted()
  }
}

func name<Thing>(_ text: String) -> Identifier<Thing> {
  guard let name = Identifier<Thing>(text) else { preconditionFailure("a test names something wrongly") }
  return name
}

func secret(_ text: String) -> SecretBox { SecretBox(Array(text.utf8)) }

func mode(_ path: String) -> UInt32 {
  var status = stat()
  return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
}

/// The code of what is thrown; nil if nothing is.
func code(_ body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StoreError)?.code
  }
}

extension SealedStore {
  /// Commits to where the store stands.
  func commit(_ changes: [RecordChange], at now: Int64 = 2000) throws {
    _ = try commit(changes, expecting: try facts().serial, at: Moment(seconds: now))
  }

  /// Writes keys with a first or a next value each; what was before becomes history.
  func put(_ texts: [String: String], at now: Int64 = 2000) throws {
    let keys = try recorded().keys
    var changes: [RecordChange] = []
    for (word, text) in texts {
      let key: Identifier<Key> = name(word)
      let old = keys[key]
      let version = KeyVersion(
        number: (old?.version.number ?? 0) + 1, fingerprint: fingerprint(secret(text), of: key),
        storedAt: Moment(seconds: now), origin: "env://\(word)")
      let history = old.map { Array(([$0.version] + $0.history).prefix(KeyRecord.historyLimit)) } ?? []
      let facts = KeyFacts(provider: "openai", variable: "OPENAI_API_KEY", sources: ["env://\(word)"])
      let record = KeyRecord(
        revision: (old?.revision ?? 0) + 1, facts: facts, version: version, history: history)
      changes.append(.key(key, record, value: secret(text)))
    }
    try commit(changes, at: now)
  }

  func text(_ key: String, version: Int64? = nil) throws -> String {
    try value(of: name(key), version: version).withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
