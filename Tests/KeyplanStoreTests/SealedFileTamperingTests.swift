import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanStore

/// The age files that stand for a whole store: its keyring, and a backup. Together with `TamperingTests`, which change each byte of a
/// store, and `SavedPlanTests`, each of a plan.
@Suite("An age file of a store")
struct SealedFileTamperingTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.create().fill()
  }

  /// Every byte with another bit each time; all bits in `make torture`.
  private static var masks: (Int) -> [UInt8] {
    let isThorough = ProcessInfo.processInfo.environment["KEYPLAN_TEST_FAULTS"] == "all"
    return { isThorough ? (0..<8).map { 1 << $0 } : [1 << UInt8($0 % 8)] }
  }

  @Test("opens no store with any one bit of the keyring changed, nor with a part of it missing or there twice")
  func keyring() throws {
    let header = try SQLiteRows.open(scratch.path, writing: false).header()
    let file = try #require(header.keyring[Keyring.fullSlot])
    func opens(_ changed: [UInt8]) -> Bool {
      var other = header
      other.keyring[Keyring.fullSlot] = changed
      do {
        let keys = try EpochKeys.open(other, with: [scratch.identity])
        // The keyring is covered by the root, too.
        try Digest(keys: keys).verify(other)
        return true
      } catch {
        return false
      }
    }
    #expect(opens(file))
    var trials = 0
    for index in file.indices {
      for mask in Self.masks(index) {
        var changed = file
        changed[index] ^= mask
        if opens(changed) { Issue.record("byte \(index) ^ \(mask)") }
        trials += 1
      }
    }
    for cut in stride(from: 0, to: file.count, by: 7) {
      if opens(Array(file[..<cut])) { Issue.record("cut at \(cut)") }
      if opens(Array(file[..<cut]) + file[cut...].dropFirst()) { Issue.record("without byte \(cut)") }
      if opens(Array(file[...cut]) + file[cut...]) { Issue.record("byte \(cut) twice") }
      trials += 3
    }
    #expect(trials > 400)
  }

  @Test("restores nothing with any one bit of a backup changed, nor with a part of it missing or there twice")
  func backup() throws {
    let file = try StoreBackup.file(
      of: scratch.location, identities: [scratch.identity], to: [], at: Moment(seconds: 1_003)
    ).file
    func opens(_ changed: [UInt8]) -> Bool {
      do throws(StoreError) {
        _ = try StoreBackup(file: changed, identities: [scratch.identity])
        return true
      } catch {
        if ![.tampered, .damaged, .wrongIdentity].contains(error.code) { Issue.record("\(error)") }
        return false
      }
    }
    #expect(opens(file))
    for index in file.indices {
      for mask in Self.masks(index) {
        var changed = file
        changed[index] ^= mask
        if opens(changed) { Issue.record("byte \(index) ^ \(mask)") }
      }
    }
    for cut in stride(from: 0, to: file.count, by: 97) {
      if opens(Array(file[..<cut])) { Issue.record("cut at \(cut)") }
      if opens(Array(file[..<cut]) + file[cut...].dropFirst()) { Issue.record("without byte \(cut)") }
      if opens(Array(file[...cut]) + file[cut...]) { Issue.record("byte \(cut) twice") }
    }
    if opens(file + file) { Issue.record("the file twice") }
  }

  @Test("restores nothing whose content was changed by somebody who can encrypt, and has no key")
  func forgedBackup() throws {
    let file = try StoreBackup.file(
      of: scratch.location, identities: [scratch.identity], to: [], at: Moment(seconds: 1_003)
    ).file
    let content = try Age.decrypt(file, with: [scratch.identity]).withBytes { Array($0) }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<(ProcessInfo.processInfo.environment["KEYPLAN_TEST_FAULTS"] == "all" ? 20_000 : 500) {
      var changed = content
      let index = Int.random(in: changed.indices, using: &random)
      changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let forged = try Age.encrypt(Secret(changed), to: [scratch.identity.recipient])
      let error = #expect(throws: StoreError.self, "byte \(index)") {
        _ = try StoreBackup(file: forged, identities: [scratch.identity])
      }
      if let error { #expect([.tampered, .damaged, .newerVersion].contains(error.code), "byte \(index): \(error)") }
    }
  }
}
