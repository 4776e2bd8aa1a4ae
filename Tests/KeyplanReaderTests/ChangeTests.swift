import KeyplanSecrets
import Testing

@testable import KeyplanReader

@Suite("Changes") struct ChangeTests {
  @Test("are told once each, with the key and its provider, however they are noticed") func told() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    let changes = reader.changes(of: .key(.weather), .key(.maps))
    try await until { reader.isIdle && bench.time.sleeping.others == 2 }
    #expect(bench.requests == 2, "what is not known yet is read first, which is no change")
    bench.source.has("two")
    bench.time.advance(.seconds(101))
    var iterator = changes.makeAsyncIterator()
    let both = Set([await iterator.next(), await iterator.next()])
    #expect(
      both == [
        KeyChange(.key(.weather), .changed, name: "weather", provider: "openai"),
        KeyChange(.key(.maps), .changed, name: "maps", provider: "openai"),
      ])
    try await until { reader.isIdle && bench.time.sleeping.others == 2 }
    bench.source.refuses(.denied)
    #expect(await reason { () throws(KeyError) in try await reader.refresh(.key(.weather)) } == .denied)
    #expect(await iterator.next() == KeyChange(.key(.weather), .removed(.denied), name: nil, provider: nil))
    bench.source.has("three")
    _ = try await reader.refresh(.key(.weather))
    #expect(await iterator.next()?.kind == .changed)
  }

  @Test("between two reads of the sequence are one, and those before it none, unless asked for") func conflated()
    async throws
  {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    let used = try await reader.key(.weather)
    bench.source.has("two")
    _ = try await reader.refresh(.key(.weather))
    let (later, earlier) = (reader.changes(of: .key(.weather)), reader.changes(of: [.key(.weather)], since: [used]))
    var (first, second) = (later.makeAsyncIterator(), earlier.makeAsyncIterator())
    #expect(await second.next()?.kind == .changed)
    for text in ["three", "four", "five"] {
      bench.source.has(text)
      _ = try await reader.refresh(.key(.weather))
    }
    bench.source.has("six")
    #expect(await first.next()?.kind == .changed)
    #expect(await second.next()?.kind == .changed)
    let waiting = Task { await first.next() }
    _ = try await reader.refresh(.key(.weather))
    #expect(await waiting.value?.kind == .changed)
  }

  @Test("are not told for a value that is confirmed, or written again as it was") func unchanged() async throws {
    let bench = try Bench()
    bench.source.has("one", version: "v1")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    let changes = reader.changes(of: .key(.weather))
    bench.source.has("one", version: "v2")
    _ = try await reader.refresh(.key(.weather))
    bench.source.has("two", version: "v3")
    _ = try await reader.refresh(.key(.weather))
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.kind == .changed)
    let waiting = Task { await iterator.next() }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test("that a source tells are fetched at once, and nothing is asked any more when nobody listens") func pushed()
    async throws
  {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.maps)
    do {
      let changes = reader.changes(of: .key(.weather))
      try await until { reader.isIdle && bench.time.sleeping.others == 1 && bench.source.isWatched }
      bench.source.has("two")
      bench.source.tell(nil)
      var iterator = changes.makeAsyncIterator()
      #expect(await iterator.next()?.kind == .changed)
      #expect(bench.requests == 3)
      // Nobody listens to this one: it is asked for when it is read.
      #expect(try await reader.key(.maps).text == "two")
    }
    try await until { bench.time.sleeping.others == 0 }
  }

  @Test("that a source tells of while it does not answer are fetched as soon as it answers") func pushedInAnOutage()
    async throws
  {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    let changes = reader.changes(of: .key(.weather))
    try await until { reader.isIdle && bench.time.sleeping.others == 1 && bench.source.isWatched }
    let poll = try #require(bench.time.nextEnd)
    bench.source.isDown()
    bench.source.tell(nil)
    try await until { bench.requests == 2 && reader.isIdle && bench.time.sleeping.others == 1 }
    bench.source.has("two")
    while bench.requests == 2 {
      let retry = try #require(bench.time.nextEnd)
      try #require(retry < poll, "It is not asked again before its value is due.")
      bench.time.advance(.nanoseconds(retry - bench.time.nanoseconds))
      try await until { reader.isIdle && bench.time.sleeping.others == 1 }
    }
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.kind == .changed)
    #expect(bench.requests == 3)
  }

  @Test("that a source tells of during a request are asked for again: its answer may be older") func pushedInFlight()
    async throws
  {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    let changes = reader.changes(of: .key(.weather))
    try await until { reader.isIdle && bench.time.sleeping.others == 1 && bench.source.isWatched }
    bench.source.hold()
    let reading = Task { try await reader.refresh(.key(.weather)) }
    try await until { bench.requests == 2 }
    bench.source.tell(nil)
    bench.time.advance(.seconds(1))
    bench.source.letGo()
    _ = try await reading.value
    try await until { bench.requests == 3 && reader.isIdle }
    withExtendedLifetime(changes) {}
  }

  @Test("of a slot name the key that is active now") func slots() async throws {
    let bench = try Bench()
    func active(_ key: String) {
      bench.source.answers { _ in
        .value(KeySourceValue(SecretBox(Array(key.utf8)), name: key, provider: "of \(key)", variable: "KEY"))
      }
    }
    active("first")
    let reader = bench.reader()
    let slot = SlotName("assistant")
    #expect(try await reader.active(slot).name == "first")
    var changes = reader.changes(of: .active(slot)).makeAsyncIterator()
    active("second")
    _ = try await reader.refresh(.active(slot))
    #expect(await changes.next() == KeyChange(.active(slot), .changed, name: "second", provider: "of second"))
    #expect(try await reader.environment([.active(slot)]).exposed(over: ["A": "b"]) == ["A": "b", "KEY": "second"])
    #expect(KeyEnvironment.variable(for: "open-weather.2") == "OPEN_WEATHER_2")
  }
}
