import Foundation
import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanTesting
import Testing

@Suite struct SavedPlanTests {
  private func saved() async throws -> (world: World, state: StoreState, plan: SavedPlan) {
    var world = World()
    world.declare("a")
    world.say("sk-proj-very-secret", at: "a")
    world.declare("b", [command("op /x")])
    world.send("app", ["K": "a"])
    world.choose("s", ["a"])
    let plan = try await world.plan()
    let state = try #require(try world.store.recorded().store)
    let id = PlanId(of: plan, store: state, environment: "staging", signing: world.store)
    let saved = SavedPlan(
      plan: plan,
      diagnostics: [
        SavedDiagnostic(
          Diagnostic(
            .target(named("app"), .retiredKey(named("a"))),
            at: FileLocation(file: "keyplan.yaml", line: 2, column: 3)), detail: "Words.", hint: "More.")
      ], store: state, environment: "staging", allowances: Allowances(overwrite: true), manifest: "ab12",
      id: id.description, validUntil: start)
    return (world, state, saved)
  }

  @Test("a plan comes back from its file as it was, and carries out")
  func roundTrip() async throws {
    let (world, state, saved) = try await saved()
    let file = saved.file(signing: world.store)
    let back = try SavedPlan(file: file, store: state, signing: world.store)
    #expect(back.plan == saved.plan)
    #expect(back.diagnostics == saved.diagnostics)
    #expect(back.store == saved.store)
    #expect(back.environment == "staging")
    #expect(back.allowances == saved.allowances)
    #expect((back.manifest, back.id, back.validUntil) == (saved.manifest, saved.id, saved.validUntil))
    #expect(back.file(signing: world.store) == file)
    #expect(try await world.apply(back.plan).reports.map(words).first == "allow surface.command op /x: done")
  }

  @Test("a diagnostic of an earlier version's file is read as it was written")
  func diagnostics() throws {
    let text = """
      {"address":"key.a","cause":{"reason":"Line 4: the quote has no end.","subject":"dotenv://.env"},
       "code":"sourceUnreadable","detail":"dotenv://.env#A for \\"a\\": Line 4: the quote has no end.",
       "failure":"unreadable","hint":"Fix it.","place":{"column":3,"file":"keyplan.yaml","line":2,"width":1}}
      """
    let read = try JSONDecoder().decode(SavedDiagnostic.self, from: Data(text.utf8)).diagnostic
    let cause = Diagnostic.Cause("dotenv://.env", "Line 4: the quote has no end.")
    let expected = Diagnostic(
      .sourceUnreadable, "dotenv://.env#A for \"a\": Line 4: the quote has no end.", hint: "Fix it.",
      at: FileLocation(file: "keyplan.yaml", line: 2, column: 3), of: .key(named("a")), because: cause,
      failure: .unreadable)
    #expect(read == expected)
    let old = try JSONDecoder().decode(
      SavedDiagnostic.self, from: Data(#"{"code":"forgetLimit","detail":"Too many."}"#.utf8))
    #expect(old.diagnostic == Diagnostic(.forgetLimit, "Too many."))
  }

  @Test("a change of any one byte is refused")
  func touched() async throws {
    let (world, state, saved) = try await saved()
    let file = saved.file(signing: world.store)
    for index in file.indices {
      for change in [1, 0x20, 0x80] as [UInt8] {
        var other = file
        other[index] ^= change
        #expect(throws: SavedPlanError.self, "byte \(index)") {
          _ = try SavedPlan(file: other, store: state, signing: world.store)
        }
      }
    }
    for length in stride(from: 0, to: file.count, by: 7) {
      #expect(throws: SavedPlanError.self) {
        _ = try SavedPlan(file: Array(file.prefix(length)), store: state, signing: world.store)
      }
    }
    #expect(throws: SavedPlanError.self) {
      _ = try SavedPlan(file: file + Array("\n".utf8), store: state, signing: world.store)
    }
  }

  @Test("another store, another root key, another format and touched are told apart")
  func reasons() async throws {
    let (world, state, saved) = try await saved()
    let file = saved.file(signing: world.store)
    let other = StoreState(id: String(repeating: "7", count: 32), serial: 1, epoch: 1)
    let rekeyed = StoreState(id: state.id, serial: 9, epoch: state.epoch + 1)
    let moved = StoreState(id: state.id, serial: state.serial + 3, epoch: state.epoch, movedAt: state.serial + 1)
    let newer = Array(String(decoding: file, as: UTF8.self).replacing("keyplan-plan-1", with: "keyplan-plan-2").utf8)
    let lie = Array(String(decoding: file, as: UTF8.self).replacing(#""ab12""#, with: #""ab13""#).utf8)
    for (file, state, reason) in [
      (file, other, .anotherStore), (file, rekeyed, .rekeyed), (file, moved, .moved), (newer, state, .newerFormat),
      (lie, state, .touched),
      (Array("{}".utf8), state, .notAPlan), ([], state, .notAPlan),
    ] as [([UInt8], StoreState, SavedPlanError)] {
      #expect(throws: reason) { _ = try SavedPlan(file: file, store: state, signing: world.store) }
    }
  }

  @Test(
    "what a later version added is refused, wherever it stands, though the signature is right",
    arguments: [
      (#""environment""#, #""later" : 1, "environment""#), (#""address""#, #""later" : 1, "address""#),
      (#""allowances" : {"#, #""allowances" : { "later" : true,"#),
    ])
  func later(old: String, new: String) async throws {
    let (world, state, saved) = try await saved()
    let file = String(decoding: saved.file(signing: world.store), as: UTF8.self)
    let mark = ",\n  \"signature\" : \""
    let signed = try #require(file.range(of: mark).map { String(file[..<$0.upperBound]) })
    let other = signed.replacing(old, with: new, maxReplacements: 1)
    try #require(other != signed)
    let signature = world.store.signature(ofPlan: Array(other.utf8)).map {
      String(Int($0) + 0x100, radix: 16).dropFirst()
    }
    let bytes = Array("\(other)\(signature.joined())\"\n}\n".utf8)
    #expect(throws: SavedPlanError.newerFormat) { _ = try SavedPlan(file: bytes, store: state, signing: world.store) }
  }

  @Test("a store that moved on elsewhere still takes the file")
  func serial() async throws {
    let (world, state, saved) = try await saved()
    let later = StoreState(id: state.id, serial: state.serial + 5, epoch: state.epoch, appliedAt: start)
    let back = try SavedPlan(file: saved.file(signing: world.store), store: later, signing: world.store)
    #expect(back.store.serial == state.serial)
  }

  @Test("no secret is in the file")
  func secrets() async throws {
    let (world, _, saved) = try await saved()
    let text = String(decoding: saved.file(signing: world.store), as: UTF8.self)
    #expect(!text.contains("very-secret"))
    #expect(!text.contains("sk-proj"))
  }
}
