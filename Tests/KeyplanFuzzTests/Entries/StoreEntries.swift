import Crypto
import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

@testable import KeyplanStore

extension FuzzEntry {
  static let stores = [
    FuzzEntry(name: "record", check: record), FuzzEntry(name: "tokens", longest: 512, check: tokens),
    FuzzEntry(name: "keyring", longest: 1024, check: keyring), FuzzEntry(name: "backup", longest: 8192, check: backup),
    FuzzEntry(name: "store-mark", longest: 256, check: mark),
    FuzzEntry(name: "store-address", longest: 512, check: address),
  ]

  /// A record as it is once it was opened: written again and read, it is the same.
  private static func record(_ input: [UInt8]) throws(Violation) {
    guard let record = try? StoredRecord(decoding: input) else { return }
    let written = record.encoded
    guard let again = try? StoredRecord(decoding: written) else {
      throw Violation("a record that was read cannot be read again")
    }
    try require(again.encoded == written, "a record that was read changed when it was written")
  }

  /// Tokens have one form.
  private static func tokens(_ input: [UInt8]) throws(Violation) {
    guard let tokens = try? AccountTokens(sealed: SecretBox(input)) else { return }
    try require(tokens.sealing.withBytes { Array($0) } == input, "tokens with two forms")
  }

  /// The text in the age files of a keyring.
  private static func keyring(_ input: [UInt8]) throws(Violation) {
    if let keyring = Keyring(Secret(input)) {
      try require(keyring.epoch > 0 && keyring.store.count == 16, "a keyring that is none")
      try require((try? keyring.subkeys()) != nil, "a keyring without keys")
    }
    if let keyring = PlanKeyring(Secret(input)) {
      try require(keyring.epoch > 0 && keyring.subkeys().isPlanOnly, "a keyring for planning that opens values")
    }
  }

  /// The JSON of a backup, with a code that is right: only who has the root key makes one.
  private static func backup(_ input: [UInt8]) throws(Violation) {
    var text = input
    if let content = try? JSONDecoder().decode(BackupContent.self, from: Data(input)),
      text.popLast() == UInt8(ascii: "}"),
      let root = bytes(content.rootKey), let id = bytes(content.store),
      let keys = try? EpochKeys(root: SymmetricKey(data: root), store: id, epoch: content.epoch),
      let code = try? keys.authenticate(backup: text)
    {
      text += Array(",\"mac\":\"\(code.hexadecimal)\"}\n".utf8)
    }
    guard let backup = try? StoreBackup(Secret(text)) else { return }
    try require(backup.values >= backup.currentValues.count, "more values than there are")
    _ = (backup.addresses, backup.usableValues)
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    return digits.withUnsafeBytes { hexadecimal($0[...]) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What the header says of where the store is.
  private static func mark(_ input: [UInt8]) throws(Violation) {
    let header = Header(
      format: String(decoding: input, as: UTF8.self), store: [], serial: 1, epoch: 1, count: 0, buckets: [], root: [],
      keyring: [:])
    guard let mark = StoreMark(header) else { return }
    var again = header
    again.format = mark.format
    try require(StoreMark(again) == mark, "a mark with two meanings")
  }

  /// An address is not quoted, and what is kept of it leads to the same server.
  private static func address(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    let address: PostgresAddress
    do throws(StoreError) {
      address = try PostgresAddress(text, project: "p", environment: "e", variables: [:])
    } catch {
      return try require(text.utf8.count < 16 || !"\(error)".contains(text), "the address is quoted")
    }
    guard let lasting = try? PostgresAddress(address.lasting, project: "p", environment: "e", variables: [:]) else {
      throw Violation("\(address.lasting.debugDescription) is refused")
    }
    try require(
      lasting.lasting == address.lasting,
      "\(address.lasting.debugDescription) became \(lasting.lasting.debugDescription)")
    try require(lasting.project == address.project, "another project")
    guard let identity = try? PostgresAddress(address.identity, project: "p", environment: "e", variables: [:]) else {
      return
    }
    try require(identity.lasting == address.lasting, "the identity leads elsewhere")
  }
}
