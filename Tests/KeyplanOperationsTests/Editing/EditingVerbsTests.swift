import Foundation
import KeyplanDocuments
import KeyplanManifest
import KeyplanModel
import Testing

@testable import KeyplanOperations
@testable import KeyplanReporting

@Suite("Verbs that edit the manifest")
struct EditingVerbsTests {
  private func files(_ bytes: [UInt8], overlay: [UInt8]? = nil) throws -> ManifestFiles {
    ManifestFiles(
      try .init("/keyplan.yaml", shown: "keyplan.yaml", environment: nil, bytes: bytes),
      overlays: try overlay.map {
        [try .init("/keyplan.staging.yaml", shown: "keyplan.staging.yaml", environment: "staging", bytes: $0)]
      } ?? [],
      reader: reader)
  }

  /// Runs an edit on many manifests. One that is refused is not counted.
  private func check(
    _ seed: UInt64, atLeast: Int, isLosing: Bool = false, _ edit: (inout ManifestFiles, String) throws -> Void,
    _ expect: (_ before: Meaning, _ after: Meaning, _ key: String) -> Bool
  ) throws {
    var done = 0
    for number in 0..<400 {
      let manifest = RandomManifest(seed: seed * 10_000 + UInt64(number))
      let before = try #require(Meaning(manifest.bytes), "\(seed), \(number)")
      let key = manifest.keys[number % manifest.keys.count]
      var files = try files(manifest.bytes)
      do { try edit(&files, key) } catch is Failure { continue }
      let environment = files.environments()[0]
      guard environment.faults.isEmpty else { continue }
      done += 1
      let text = String(decoding: files.base.text.bytes, as: UTF8.self)
      let after = try #require(Meaning(environment.after))
      #expect(
        expect(before, after, key), "\(number), \(key):\n\(String(decoding: manifest.bytes, as: UTF8.self))\n\(text)")
      #expect(Array(text.utf8).contains(0x0D) == manifest.bytes.contains(0x0D))
      // What was said of a key that leaves can go with it.
      let lost = manifest.words.filter { !text.contains($0) }
      #expect(lost.isEmpty || isLosing, "\(number) lost \(lost)")
    }
    #expect(done >= atLeast, "\(done) done")
  }

  @Test("a renaming changes the name wherever it stands, and nothing else") func rename() throws {
    try check(1, atLeast: 350) { files, key in
      try KeyRename(old: key, new: "fresh").make(in: &files)
    } _: { before, after, key in
      func renamed(_ name: String) -> String { name == key ? "fresh" : name }
      var expected = before
      expected.facts = Dictionary(uniqueKeysWithValues: before.facts.map { (renamed($0.key), $0.value) })
      expected.sources = Dictionary(uniqueKeysWithValues: before.sources.map { (renamed($0.key), $0.value) })
      expected.follow = Dictionary(uniqueKeysWithValues: before.follow.map { (renamed($0.key), $0.value) })
      expected.slots = before.slots.mapValues { $0.map(renamed) }
      expected.moves = Set(before.moves.map { $0.map(renamed) } + [[key, "fresh"]])
      expected.entries = before.entries.mapValues { entries in
        Set(
          entries.map { entry in
            var entry = entry
            entry.key = entry.key.map(renamed)
            return entry
          })
      }
      expected.rules = Set(
        before.rules.map { Meaning.About(rule: $0.rule, demand: $0.demand, keys: $0.keys.map { Set($0.map(renamed)) }) }
      )
      return after == expected
    }
  }

  @Test("a removal takes out the key and what speaks of it, and nothing else") func remove() throws {
    try check(2, atLeast: 120, isLosing: true) { files, key in
      try KeyRemoval(key: key, successor: nil).make(in: &files)
      #expect(files.base.text.mentions(of: key).isEmpty)
    } _: { before, after, key in
      var expected = before
      expected.facts[key] = nil
      expected.sources[key] = nil
      expected.follow[key] = nil
      expected.slots = before.slots.mapValues { $0.filter { $0 != key } }
      expected.moves = before.moves.filter { $0[1] != key }
      expected.entries = before.entries.mapValues { $0.filter { $0.key != key } }
      expected.rules = Set(
        before.rules.map { Meaning.About(rule: $0.rule, demand: $0.demand, keys: $0.keys?.subtracting([key])) })
      return after == expected
    }
  }

  @Test("a removal with an heir leaves no slot without a key") func removeWithHeir() throws {
    try check(3, atLeast: 200, isLosing: true) { files, key in
      let successor = files.base.text.keyNames.first { $0 != key }
      try KeyRemoval(key: key, successor: successor).make(in: &files)
    } _: { before, after, key in
      after.facts[key] == nil && Set(after.slots.keys) == Set(before.slots.keys)
        && after.slots.values.allSatisfy { !$0.isEmpty && !$0.contains(key) }
    }
  }

  @Test("another first key of a slot is another order, and nothing else") func activate() throws {
    for slot in ["main", "more", "default", "fresh-slot"] {
      // Some would have two slots share a variable, and are refused.
      try check(4, atLeast: 250) { files, key in
        _ = try SlotChoice(key, named: slot, in: files).make(in: &files)
      } _: { before, after, key in
        var expected = before
        let now = before.slots[slot] ?? []
        let isOne = now.count == 1 && after.slots[slot]?.count == 1
        expected.slots[slot] = [key] + (isOne ? [] : now.filter { $0 != key })
        return after == expected
      }
    }
  }

  @Test("a key that is added is one more, and nothing else") func add() throws {
    try check(5, atLeast: 400) { files, _ in
      var key = KeyAddition(name: "on", provider: "openai")
      key.model = "gpt-5.1"
      key.sources = ["env://A", "dotenv://a b,c.env#B"]
      key.expires = "30d"
      key.issued = "2026-10-01"
      key.variable = "MY_KEY"
      key.followsOnce = true
      key.isProtected = true
      key.labels = [("team", "a: b, c"), ("no", "12")]
      try key.make(in: &files)
    } _: { before, after, _ in
      guard let facts = after.facts["on"] else { return false }
      var expected = before
      expected.facts["on"] = facts
      expected.sources["on"] = after.sources["on"]
      expected.follow["on"] = .once
      return after == expected && facts.labels == ["team": "a: b, c", "no": "12"] && facts.isProtected
        && facts.sources == ["env://A", "dotenv://a b,c.env#B"] && facts.issued == Moment("2026-10-01")
        && facts.expiry?.limit == .after(.days(30)) && facts.model == "gpt-5.1" && facts.variable == "MY_KEY"
    }
  }

  @Test("in an overlay the choice is the overlay's, and falls back as the manifest does")
  func overlay() throws {
    let base = Array(
      "version: 1\nkeys:\n  a: { provider: generic }\n  b: { provider: generic }\nactive:\n  s: [a, b]\n".utf8)
    var files = ManifestFiles(
      try .init("/k.yaml", shown: "k.yaml", environment: nil, bytes: base),
      overlays: [try .init("/k.x.yaml", shown: "k.x.yaml", environment: "x", bytes: Array("keys: {}\n".utf8))],
      environment: "x", reader: reader)
    #expect(try SlotChoice("b", named: nil, in: files).make(in: &files))
    #expect(String(decoding: files.edited.text.bytes, as: UTF8.self) == "keys: {}\nactive:\n  s: [b, a]\n")
    #expect(!files.base.isChanged)
    let again = try SlotChoice("b", named: nil, in: files).make(in: &files)
    #expect(!again)
  }

  @Test("what changed meanwhile is left alone, and of several files all are written or none") func writing() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let old = "version: 1\nkeys:\n  a: { provider: generic }\n"
    func file(_ name: String, _ text: String, _ environment: String?) throws -> ManifestFiles.File {
      let url = folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: url)
      return try .init(url.path, shown: name, environment: environment, bytes: Array(text.utf8))
    }
    func content(_ name: String) throws -> String {
      try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
    var files = ManifestFiles(
      try file("k.yaml", old, nil), overlays: [try file("k.x.yaml", "keys:\n  a: { model: m }\n", "x")], reader: reader)
    try KeyRename(old: "a", new: "b").make(in: &files)
    #expect(files.changed.count == 2)

    let overlay = folder.appendingPathComponent("k.x.yaml")
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: overlay.path)
    #expect(throws: Failure.self) { try files.write() }
    #expect(try content("k.yaml") == old)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: overlay.path)

    try Data("keys: {}\n".utf8).write(to: overlay)
    #expect { try files.write() } throws: { ($0 as? Failure)?.status == .stale }
    #expect(try content("k.yaml") == old)

    try Data(files.overlays[0].before).write(to: overlay)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: overlay.path)
    try files.write()
    #expect(try content("k.yaml").contains("  b: { provider") && content("k.x.yaml") == "keys:\n  b: { model: m }\n")
    #expect(try FileManager.default.attributesOfItem(atPath: overlay.path)[.posixPermissions] as? Int == 0o640)
  }
}
