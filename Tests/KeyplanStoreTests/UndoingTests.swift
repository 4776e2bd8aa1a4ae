import Foundation
import KeyplanModel
import KeyplanPorts
import Synchronization
import Testing

@testable import KeyplanStore

@Suite("Undoing a move")
struct UndoingTests {
  /// A store that was moved away, and to where.
  private struct Moved {
    let from: Scratch
    let to: Scratch
    var undoing: MoveUndoing { MoveUndoing(at: from.elsewhere, identities: [from.identity]) }

    init(_ way: MoveTests.Way, reaching last: StoreMove.Stage = .done) async throws {
      from = try Scratch(way.from)
      to = try Scratch(way.to, identity: from.identity)
      let store = try from.create()
      try store.put(["alpha": "1", "beta": "2"])
      try store.put(["alpha": "3"])
      try store.commit([.began(.recipients), .allow(ExternalAccess(.host, "example.com"), [])])
      try await move(from, to, reaching: last)
    }

    func move(_ from: Scratch, _ to: Scratch, reaching last: StoreMove.Stage = .done) async throws {
      var move = StoreMove(
        from: from.elsewhere, to: to.elsewhere, identities: [from.identity], names: ("the old place", "the new place"))
      move.reached = { reached throws(StoreError) in
        if reached == last, last != .done { throw StoreError(.io, "The power is gone.") }
      }
      do throws(StoreError) {
        _ = try await move.carryOut(command: "move", job: nil, since: Moment(seconds: 3000), timeout: .zero)
      } catch {
        guard error.code == .io, last != .done else { throw error }
      }
    }

    func left() throws -> MoveUndoing.Left { try #require(try undoing.left()) }

    @discardableResult func undo(
      _ left: MoveUndoing.Left, timeout: Duration = .zero,
      telling: @escaping @Sendable (SealedStore.FreshRoot) throws(StoreError) -> Void = { _ throws(StoreError) in }
    ) async throws -> StoreFacts {
      try await undoing.carryOut(
        left, command: "undo", job: nil, since: Moment(seconds: 4000), timeout: timeout, tellFreshRoot: telling)
    }
  }

  /// A server that is not there.
  private static func nowhere() throws -> StoreLocation {
    .shared(
      SharedStore(
        try PostgresAddress(
          "postgres://u@%2Fnowhere-keyplan:1/d", project: "p", environment: "default", variables: [:])))
  }

  @Test("is recorded until the store moves again, so that a repeated one knows it", arguments: MoveTests.Way.usual)
  func recorded(way: MoveTests.Way) async throws {
    let moved = try await Moved(way)
    #expect(try moved.undoing.undone() == nil)
    let facts = try await moved.undo(try moved.left())
    let undone = try #require(try moved.undoing.undone())
    #expect(undone.move == UndoneMove(place: "the new place", at: Moment(seconds: 4000)))
    #expect(undone.facts.serial == facts.serial && undone.facts.rootID == facts.rootID && undone.values == 3)
    try moved.from.open(.writing).put(["later": "4"])
    #expect(try moved.undoing.undone()?.move == undone.move)
    let next = try Scratch(identity: moved.from.identity)
    try await moved.move(moved.from, next)
    #expect(try moved.undoing.left() != nil)
    #expect(try MoveUndoing(at: next.elsewhere, identities: [next.identity]).undone() == nil)
  }

  @Test("brings back what was there as it was moved, under a fresh root", arguments: MoveTests.Way.usual)
  func back(way: MoveTests.Way) async throws {
    let moved = try await Moved(way)
    let before = try moved.from.everything()
    let away = try moved.to.open(.writing)
    try away.put(["alpha": "written there"])
    let left = try moved.left()
    #expect(left.to == "the new place" && left.at == Moment(seconds: 3000))
    let thereRoot = try away.facts().rootID
    #expect(left.facts.serial == before.header.serial && left.facts.rootID == thereRoot)
    #expect(left.records == before.records.count && left.values == 3)

    let told = Mutex<[SealedStore.FreshRoot]>([])
    let facts = try await moved.undo(left) { fresh throws(StoreError) in
      told.withLock { (all: inout [SealedStore.FreshRoot]) in all.append(fresh) }
    }
    let store = try moved.from.open(.writing)
    #expect(try store.facts() == facts && facts.id == left.facts.id && facts.epoch == left.facts.epoch + 1)
    #expect(facts.serial == left.facts.serial + 1)
    guard case (.coming(let coming)?, .committed(let committed)?) = told.withLock({ ($0.first, $0.last) }) else {
      Issue.record("the fresh root was not told before and after")
      return
    }
    #expect(coming == facts.rootID && committed == facts.rootID && coming != left.facts.rootID)
    #expect(try store.text("alpha") == "3" && store.text("alpha", version: 1) == "1" && store.text("beta") == "2")
    let recorded = try store.recorded()
    #expect(
      recorded.interrupted.keys.contains(.recipients) && recorded.surface.contains(ExternalAccess(.host, "example.com"))
    )
    #expect(recorded.store?.movedAt == facts.serial, "plans of before are too old")
    let alpha: Identifier<Key> = name("alpha")
    #expect(recorded.keys[alpha]?.version.fingerprint == store.fingerprint(secret("3"), of: alpha))
    try store.put(["alpha": "4"])

    // The other one comes back: another root, and never over this one.
    #expect(try moved.to.open().facts().rootID == left.facts.rootID)
    for (one, other) in [(moved.from, moved.to), (moved.to, moved.from)] {
      let twice = await #expect(throws: StoreError.self) { try await moved.move(one, other) }
      #expect(twice?.code == .exists && twice?.detail.contains("copy of this store") == true)
    }
    #expect(try moved.from.open().text("alpha") == "4" && moved.to.open().text("alpha") == "written there")
    // What was agreed to is done: there is nothing more to undo.
    #expect(try moved.undoing.left() == nil)
    let again = await #expect(throws: StoreError.self) { try await moved.undo(left) }
    #expect(again?.code == .stale)
  }

  @Test("looks for the store where it went, and what is there is not lost", arguments: MoveTests.Way.usual)
  func found(way: MoveTests.Way) async throws {
    func loss(_ moved: Moved) throws -> MoveUndoing.Loss {
      try MoveUndoing.loss(of: try moved.left(), at: moved.to.elsewhere)
    }
    func expectFound(_ moved: Moved, _ words: String) {
      let error = #expect(throws: StoreError.self) { try loss(moved) }
      #expect(error?.code == .exists && error?.detail.contains(words) == true, "\(error?.detail ?? "")")
    }
    expectFound(try await Moved(way), "to which it was moved")
    expectFound(try await Moved(way, reaching: .marked), "only the last step")
    let on = try await Moved(way)
    let third = try Scratch(.file, identity: on.from.identity)
    try await on.move(on.to, third)
    expectFound(on, "was moved again from")

    let lost = try await Moved(way)
    #expect(try MoveUndoing.loss(of: lost.left(), at: Scratch(way.to).location) == .absent)
    let other = try Scratch(way.to)
    _ = try other.create()
    #expect(try MoveUndoing.loss(of: lost.left(), at: other.elsewhere) == .anotherStore)
    guard case .unreachable = try MoveUndoing.loss(of: lost.left(), at: Self.nowhere()) else {
      Issue.record("a server that is not there is unreachable")
      return
    }
    // What cannot be looked at is no loss.
    if way.to == .file {
      chmod(lost.to.path, 0o644)
      #expect(code { _ = try loss(lost) } == .tooOpen)
    }
  }

  @Test("happens whole or not at all, and under the lock", arguments: MoveTests.Way.usual)
  func stopped(way: MoveTests.Way) async throws {
    let moved = try await Moved(way)
    let left = try moved.left()
    await #expect(throws: StoreError.self) {
      try await moved.undo(left) { _ throws(StoreError) in throw StoreError(.io, "The pin cannot be written.") }
    }
    #expect(try moved.left() == left)
    do {
      let lock = try await StoreLock.acquire(for: moved.from.elsewhere, command: "apply", since: Moment(seconds: 1))
      let error = await #expect(throws: StoreError.self) { try await moved.undo(left) }
      #expect(error?.code == .locked)
      withExtendedLifetime(lock) {}
    }
    try await moved.undo(left)
    #expect(try moved.from.open().text("alpha") == "3")
  }

  @Test("has nothing to do where a store is, or where one has not come whole")
  func nothing() async throws {
    let scratch = try Scratch()
    _ = try scratch.create()
    #expect(try MoveUndoing(at: scratch.location, identities: [scratch.identity]).left() == nil)
    let half = try await Moved(MoveTests.Way(from: .file, to: .file), reaching: .copied)
    let undoing = MoveUndoing(at: half.to.location, identities: [half.from.identity])
    #expect(code { _ = try undoing.left() } == .moved)
  }
}
