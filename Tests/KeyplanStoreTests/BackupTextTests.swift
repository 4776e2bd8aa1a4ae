import Foundation
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanStore

/// A backup can come from anybody who knows the recipients.
@Suite("The text of a backup")
struct BackupTextTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.create().put(["a": "1", "b": #"quotes " and \ and } ] ,"#])
  }

  private func text() throws -> [UInt8] {
    let file = try StoreBackup.file(
      of: scratch.location, identities: [scratch.identity], to: [], at: Moment(seconds: 1_003)
    ).file
    return try Age.decrypt(file, with: [scratch.identity]).withBytes { Array($0) }
  }

  /// With other records, under a MAC that is right.
  private func forged(_ records: [String]) throws -> Secret {
    let content = try JSONDecoder().decode(BackupContent.self, from: Data(try text()))
    let frame = BackupContent(
      createdAt: content.createdAt, store: content.store, serial: content.serial, epoch: content.epoch,
      rootKey: content.rootKey, records: [])
    let keys = try EpochKeys.open(try scratch.everything().header, with: [scratch.identity])
    return try BackupText.write(frame, records.map { Array($0.utf8) }) { bytes throws(StoreError) in
      try keys.authenticate(backup: bytes)
    }
  }

  private func records() throws -> [String] {
    let content = try JSONDecoder().decode(BackupContent.self, from: Data(try text()))
    return try content.records.map { String(decoding: try BackupText.encode($0), as: UTF8.self) }
  }

  @Test("is one JSON object that is read record by record, whatever is in its values")
  func whole() throws {
    let object = try JSONSerialization.jsonObject(with: Data(try text()))
    #expect((object as? [String: Any])?["mac"] != nil)
    let backup = try StoreBackup(try forged(try records()))
    let values = backup.currentValues.mapValues { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
    #expect(values == [name("a"): "1", name("b"): #"quotes " and \ and } ] ,"#])
    #expect(backup.count == 3 && backup.values == 2)
  }

  @Test("asks for no memory beyond its size: a record has no more members than keyplan gives one")
  func members() throws {
    let records = try records()
    let many = String(repeating: "{},", count: 100_000)
    for (index, added) in [
      "\"values\":[\(many){}]", "\"more\":[\(many)0]", "\"more\":\(String(repeating: "[", count: 100_000))",
    ].enumerated() {
      var changed = records
      changed[0] = String(changed[0].dropLast()) + ",\(added)}"
      #expect(code { _ = try StoreBackup(try forged(changed)) } == .damaged, "\(index)")
    }
    let empty = [String](repeating: "{}", count: 1_000_000)
    #expect(code { _ = try StoreBackup(try forged(empty)) } == .tampered)
  }

  @Test("with one record twice is refused: both would be sealed, and only one of them can be in the store")
  func twice() throws {
    let records = try records()
    for record in records {
      #expect(code { _ = try StoreBackup(try forged(records + [record])) } == .tampered, "\(record)")
    }
  }

  @Test("with anything else where its records are is refused")
  func shapes() throws {
    let whole = String(decoding: try text(), as: UTF8.self)
    for (label, changed) in [
      ("no records", whole.replacing(",\"records\":", with: ",\"recards\":")),
      ("nothing after them", String(whole.prefix { $0 != "]" })),
      ("a number among them", whole.replacing("\"records\":[", with: "\"records\":[1,")),
      ("a blank among them", whole.replacing("\"records\":[", with: "\"records\":[ ")),
      ("a comma after them", whole.replacing("],\"rootKey\"", with: ",],\"rootKey\"")),
      ("text after it", whole + " "), ("nothing", ""), ("a brace", "{"),
    ] {
      let error = code { _ = try StoreBackup(Secret(Array(changed.utf8))) }
      #expect(error == .damaged || error == .tampered, "\(label): \(String(describing: error))")
    }
  }
}
