import KeyplanFiles
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanReader

@Suite("Readers that share a cache") struct SharingTests {
  @Test("ask once, however many tasks and processes want a cold key") func singleFlight() async throws {
    let bench = try Bench()
    bench.source.has("one")
    bench.source.hold()
    let readers = (0..<8).map { _ in bench.reader() }
    try await withThrowingTaskGroup(of: String?.self) { group in
      for reader in readers {
        for _ in 0..<100 { group.addTask { try? await reader.key(.weather).text } }
      }
      try await until { bench.requests == 1 && bench.time.sleeping.others == 7 }
      bench.source.letGo()
      let mover = Task {
        while !Task.isCancelled {
          bench.time.advance(.milliseconds(10))
          await Task.yield()
        }
      }
      var texts: [String?] = []
      for try await text in group { texts.append(text) }
      mover.cancel()
      #expect(texts == Array(repeating: "one", count: 800))
    }
    #expect(bench.requests == 1)
  }

  @Test("leave a source alone together after an outage: one request for each pause") func outage() async throws {
    let bench = try Bench()
    bench.source.isDown()
    let readers = (0..<8).map { _ in bench.reader() }
    for _ in 0..<2000 {
      for reader in readers { _ = await reason { () throws(KeyError) in try await reader.key(.weather) } }
      bench.time.advance(.milliseconds(500))
    }
    // In 1,000 seconds: pauses of 1, 2, 4 … 256 and 300 seconds, each between a half and all of it.
    #expect((9...18).contains(bench.requests))
    let moments = bench.source.requests.map(\.at)
    for (step, pair) in zip(moments, moments.dropFirst()).enumerated() {
      let pause = min(Double(1 << step), 300)
      #expect(Double(pair.1 - pair.0) / 1e9 >= pause / 2, "after failure \(step + 1)")
    }
  }

  @Test("wait as long as a source asks them to, and notice that it is back") func retryAfter() async throws {
    let bench = try Bench()
    bench.source.isDown(retryAfter: .seconds(77))
    let (first, second) = (bench.reader(), bench.reader())
    #expect(await reason { () throws(KeyError) in try await first.key(.weather) } == .unreachable)
    bench.source.has("one")
    bench.time.advance(.seconds(76))
    for reader in [first, second] {
      #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable)
    }
    #expect(await reason { () throws(KeyError) in try await first.refresh(.key(.weather)) } == .unreachable)
    #expect(bench.requests == 1)
    bench.time.advance(.seconds(1))
    #expect(try await second.key(.weather).text == "one")
    #expect(try await first.key(.weather).text == "one")
    #expect(bench.requests == 2)
  }

  @Test("let a task go that is cancelled, and fetch for the others") func cancelled() async throws {
    let bench = try Bench()
    bench.source.has("one")
    bench.source.hold()
    let reader = bench.reader()
    let impatient = Task { await reason { () throws(KeyError) in try await reader.key(.weather) } }
    let patient = Task { try await reader.key(.weather).text }
    try await until { bench.requests == 1 }
    impatient.cancel()
    #expect(await impatient.value == .cancelled)
    bench.source.letGo()
    #expect(try await patient.value == "one")
    #expect(bench.requests == 1)
  }

  @Test("never see what other sources gave for the same name") func otherSources() async throws {
    let bench = try Bench()
    bench.source.has("mine")
    _ = try await bench.reader().key(.weather)
    let other = ScriptedSource("scripted, another container", bench.time)
    other.isDown()
    let reader = KeyReader(other, options: bench.options)
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable)
    other.has("theirs")
    bench.time.advance(.seconds(2))
    #expect(try await reader.key(.weather).text == "theirs")
    #expect(try await bench.reader().key(.weather).text == "mine")
    #expect(try await bench.reader().active(SlotName("weather")).text == "mine", "a slot is not the key of its name")
    #expect(bench.requests == 2)
  }

  @Test("go on without the lock of a process that was stopped, in the end") func stopped() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let cache = try SealedCache(bench.folder, of: [bench.source.identity]) { _ in }
    let lock = try cache.lock(.key(.weather))
    #expect(try lock.tryLock(details: ""))
    let reader = bench.reader()
    let waiting = Task { try await reader.key(.weather).text }
    try await until { bench.time.sleeping.others == 1 }
    #expect(bench.requests == 0)
    let mover = Task {
      while !Task.isCancelled {
        bench.time.advance(.seconds(1))
        await Task.yield()
      }
    }
    #expect(try await waiting.value == "one")
    mover.cancel()
    lock.unlock()
  }

  @Test("ask a source that does not answer no longer than its time, and serve what is stale") func slow() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    bench.source.hold()
    bench.time.advance(.seconds(101))
    let waiting = Task { try await reader.key(.weather) }
    try await until { bench.requests == 2 && bench.time.sleeping.deadlines == 1 }
    bench.time.advance(FakeTime.timeout)
    let key = try await waiting.value
    #expect(key.text == "one" && key.freshness.isStale)
    bench.source.letGo()
  }

  // MARK: Several sources

  @Test("ask the next source if one does not have it or is down, and none after a refusal") func chain() async throws {
    let bench = try Bench()
    let second = ScriptedSource("second", bench.time)
    let reader = KeyReader(sources: [bench.source, second], options: bench.options)
    second.has("two")
    #expect(try await reader.key(.weather).text == "two")
    bench.source.isDown()
    bench.time.advance(.seconds(101))
    #expect(try await reader.key(.weather).text == "two")
    bench.source.refuses(.denied)
    bench.time.advance(.seconds(101))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .denied)
    #expect(second.requests.count == 2)
    bench.source.refuses(.notFound)
    second.refuses(.notFound)
    bench.time.advance(.seconds(301))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .notFound)
    second.isDown()
    bench.time.advance(.seconds(301))
    #expect(
      await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable,
      "nobody knows whether there is one")
  }

  // MARK: Damage

  @Test("drop an entry with any one bit changed, or cut anywhere, and fetch it again") func damaged() async throws {
    let bench = try Bench()
    bench.source.has("one")
    _ = try await bench.reader().key(.weather)
    let file = try #require(try bench.files().first)
    let whole = try bytes(of: file)
    var trials = 0
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1 << UInt8(index % 8)
      try replace(file, with: changed)
      #expect(try await bench.reader().key(.weather).text == "one")
      trials += 1
      #expect(bench.requests == trials + 1)
    }
    for length in stride(from: 0, to: whole.count, by: 5) {
      try replace(file, with: Array(whole[..<length]))
      _ = try await bench.reader().key(.weather)
      trials += 1
      #expect(bench.requests == trials + 1)
    }
    #expect(bench.notices.list.count { if case .cacheDropped = $0 { true } else { false } } == trials)
  }

  @Test("drop what another user's cache, or another item, has at their place") func foreign() async throws {
    let (bench, other) = (try Bench(), try Bench())
    bench.source.has("one")
    other.source.has("foreign")
    _ = try await bench.reader().key(.weather)
    _ = try await other.reader().key(.weather)
    let file = try #require(try bench.files().first)
    try replace(file, with: try bytes(of: try #require(try other.files().first)))
    #expect(try await bench.reader().key(.weather).text == "one")
    #expect(bench.requests == 2)
    bench.source.has("of maps")
    _ = try await bench.reader().key(.maps)
    let maps = try #require(try bench.files().first { $0 != file })
    try replace(file, with: try bytes(of: maps))
    bench.source.has("one")
    #expect(try await bench.reader().key(.weather).text == "one")
  }

  @Test("serve from memory, and say so, if there can be no cache") func noCache() async throws {
    let bench = try Bench()
    bench.source.has("one")
    try bench.scratch.folder("cache")
    try replace(bench.folder + "/cache.key", with: [1, 2, 3])
    let reader = bench.reader()
    #expect(try await reader.key(.weather).text == "one")
    bench.time.advance(.seconds(101))
    bench.source.isDown()
    #expect(try await reader.key(.weather).freshness.isStale)
    #expect(bench.notices.list.contains { if case .noCache = $0 { true } else { false } })
  }

  @Test("serve from memory, and say so, if the disk is full") func fullDisk() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    // A folder in the place of the file that would be written.
    _ = try await reader.key(.weather)
    let file = try #require(try bench.files().first)
    try Child.run(["rm", file])
    try Child.run(["mkdir", "-p", file + ".keyplan-new/x"])
    bench.time.advance(.seconds(101))
    bench.source.has("two")
    #expect(try await reader.key(.weather).text == "two")
    #expect(bench.notices.list.contains { if case .cacheNotWritten = $0 { true } else { false } })
    bench.source.isDown()
    bench.time.advance(.seconds(101))
    #expect(try await reader.key(.weather).freshness == .stale(age: .seconds(101)))
  }
}
