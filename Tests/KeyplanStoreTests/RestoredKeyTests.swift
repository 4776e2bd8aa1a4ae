import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

/// What a store knows that its backup cannot.
@Suite("A backup that is restored over a store")
struct RestoredKeyTests {
  @Test("keeps the keys that were made at a provider since: they are valid there, and their values are gone")
  func issued() throws {
    let scratch = try Scratch()
    try scratch.create().put(["a": "one"])
    let file = try StoreBackup.file(
      of: scratch.location, identities: [scratch.identity], to: [], at: Moment(seconds: 2100)
    ).file
    let place = Destination(type: "issuer", location: "account")
    func made(_ id: String) -> IssuedKey {
      IssuedKey(id: id, label: "keyplan", place: place, version: 2, mintedAt: Moment(seconds: 2200))
    }
    let store = try scratch.open(.writing)
    var record = try #require(try store.recorded().keys[name("a")])
    record.revision += 1
    record.issued = [made("made-since"), made("and-another")]
    try store.commit([.key(name("a"), record, value: nil)])
    let seen = try scratch.open().facts()
    _ = try StoreBackup(file: file, identities: [scratch.identity]).restore(
      to: scratch.location, identities: [scratch.identity], under: nil, replacing: seen, recipients: scratch.recipients,
      above: seen.serial, at: Moment(seconds: 3000), tellFreshRoot: { _ in })
    let restored = try #require(try scratch.open().recorded().keys[name("a")])
    #expect(restored.issued.map(\.id) == ["made-since", "and-another"])
    #expect(restored.issued.allSatisfy { $0.version == 0 }, "no version has their values")
    #expect(try scratch.open().text("a") == "one")
  }
}
