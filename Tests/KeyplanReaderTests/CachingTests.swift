import KeyplanSecrets
import Testing

@testable import KeyplanReader

@Suite("A cached value") struct CachingTests {
  @Test("is served without a request while it is fresh, then asked for again") func fresh() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    let first = try await reader.key(.weather)
    #expect(first.text == "one" && first.freshness == .fresh && first.provider == "openai")
    for _ in 0..<5 { _ = try await reader.key(.weather) }
    bench.time.advance(.seconds(70))
    #expect(try await reader.key(.weather).version == first.version)
    #expect(bench.requests == 1)
    bench.source.has("two")
    bench.time.advance(.seconds(30))
    let second = try await reader.key(.weather)
    #expect(second.text == "two" && second.version != first.version)
    #expect(bench.requests == 2)
  }

  @Test("is confirmed by its version, without being sent again") func conditional() async throws {
    let bench = try Bench()
    bench.source.has("one", version: "v1")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    bench.time.advance(.seconds(101))
    let key = try await reader.key(.weather)
    #expect(key.text == "one" && key.freshness == .fresh && key.version == "v1")
    #expect(bench.source.requests.map(\.known) == [nil, "v1"])
  }

  @Test("is stale only while its source cannot be reached, and never past its hard age") func stale() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    bench.source.isDown()
    var last: Int64 = 0
    for age in [101, 500, 999] as [Int64] {
      bench.time.advance(.seconds(age - last))
      last = age
      let key = try await reader.key(.weather)
      #expect(key.text == "one")
      // Not as if the failed request had made it younger.
      #expect(key.freshness == .stale(age: .seconds(age)))
      #expect(await reason { () throws(KeyError) in try await reader.key(.weather, allowStale: false) } == .unreachable)
    }
    bench.time.advance(.seconds(1))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable)
    // Nor for a process that starts now.
    #expect(await reason { () throws(KeyError) in try await bench.reader().key(.weather) } == .unreachable)
    #expect(try bench.files().count == 1, "how long to leave the source alone is still known")
  }

  @Test(
    "is removed, from the disk too, once its source says that there is none or that it may not be read",
    arguments: [KeyError.Reason.notFound, .denied, .missingField, .expired])
  func removed(answer: KeyError.Reason) async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    #expect(try bench.files().count == 1)
    bench.time.advance(.seconds(101))
    bench.source.refuses(answer)
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == answer)
    let left = try SealedCache(bench.folder, of: [bench.source.identity]) { _ in }.read(.key(.weather))
    #expect(left.value == nil && left.removed != nil)
    // An outage afterwards does not bring it back.
    bench.source.isDown()
    bench.time.advance(.seconds(300))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable)
    #expect(await reason { () throws(KeyError) in try await bench.reader().key(.weather) } == .unreachable)
  }

  @Test("is not served when the source answers nonsense, and comes back when it makes sense") func nonsense()
    async throws
  {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    bench.time.advance(.seconds(101))
    bench.source.refuses(.backend)
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .backend)
    bench.source.has("one")
    bench.time.advance(.seconds(2))
    #expect(try await reader.key(.weather).text == "one")
  }

  @Test("is as old as the call allows, not as an earlier one did") func perCall() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather, maximumAge: .seconds(9999))
    bench.time.advance(.seconds(10))
    _ = try await reader.key(.weather, maximumAge: .seconds(11))
    #expect(bench.requests == 1)
    _ = try await reader.key(.weather, maximumAge: .seconds(10))
    #expect(bench.requests == 2)
    _ = try await reader.key(.weather, maximumAge: .zero)
    #expect(bench.requests == 3)
    bench.source.isDown()
    #expect(try await reader.key(.weather, maximumAge: .zero).freshness == .stale(age: .zero))
  }

  @Test("has the ages of its name") func ages() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader { $0.ages = [.maps: CacheAges(fresh: .seconds(5), stale: .seconds(6))] }
    _ = try await (reader.key(.weather), reader.key(.maps))
    bench.time.advance(.seconds(6))
    bench.source.isDown()
    #expect(try await reader.key(.weather).freshness == .fresh)
    #expect(await reason { () throws(KeyError) in try await reader.key(.maps) } == .unreachable)
  }

  @Test("ends when its source says, whatever its age and whatever the calendar") func ends() async throws {
    let bench = try Bench()
    bench.source.has("one", endsAt: 1_800_000_050)
    let reader = bench.reader()
    #expect(try await reader.key(.weather).freshness == .fresh)
    bench.source.isDown()
    bench.time.setCalendar(by: .seconds(-3600))
    bench.time.advance(.seconds(49))
    #expect(try await reader.key(.weather).text == "one")
    bench.time.advance(.seconds(1))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable)
    #expect(await reason { () throws(KeyError) in try await bench.reader().key(.weather) } == .unreachable)
    bench.source.has("one", endsAt: 1_800_000_050)
    bench.time.setCalendar(by: .seconds(3600))
    bench.time.advance(.seconds(300))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .expired)
  }

  @Test("is refreshed ahead of its end, while it is served, and by each reader at another time") func ahead()
    async throws
  {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    bench.source.has("two")
    bench.source.hold()
    bench.time.advance(.seconds(96))
    for _ in 0..<10 { #expect(try await reader.key(.weather).text == "one") }
    try await until { bench.requests == 2 }
    bench.source.letGo()
    try await until { reader.isIdle }
    #expect(try await reader.key(.weather).text == "two")
    #expect(bench.requests == 2)
    let leads = Set(
      (0..<20).map { _ in
        CachedValue(KeySourceValue(SecretBox([]), name: ""), version: "", from: "", born: bench.options.clock.now).lead
      })
    #expect(leads.count > 10 && leads.allSatisfy { $0 >= 0.75 && $0 < 0.95 })
  }

  // MARK: Clocks

  @Test("does not live longer because the calendar is set back") func calendarBack() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    bench.source.isDown()
    bench.time.advance(.seconds(900))
    bench.time.setCalendar(by: .seconds(-850))
    #expect(try await reader.key(.weather).freshness == .stale(age: .seconds(900)))
    #expect(try await bench.reader().key(.weather).freshness == .stale(age: .seconds(900)))
    bench.time.advance(.seconds(100))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable)
    #expect(await reason { () throws(KeyError) in try await bench.reader().key(.weather) } == .unreachable)
  }

  @Test("is as old as the calendar says after a restart, and unusable if that went back") func restart() async throws {
    let bench = try Bench()
    bench.source.has("one")
    _ = try await bench.reader().key(.weather)
    bench.source.isDown()
    bench.time.advance(.seconds(200))
    bench.time.restart(after: .seconds(300))
    #expect(try await bench.reader().key(.weather).freshness == .stale(age: .seconds(500)))
    bench.source.has("two")
    bench.time.advance(.seconds(300))
    #expect(try await bench.reader().key(.weather).text == "two")
    bench.source.isDown()
    bench.time.restart(after: .seconds(900), calendarMovesBy: .seconds(-1))
    #expect(await reason { () throws(KeyError) in try await bench.reader().key(.weather) } == .unreachable)
  }

  @Test("is older if the machine slept, or was copied and woken up later") func asleep() async throws {
    let bench = try Bench()
    bench.source.has("one")
    let reader = bench.reader()
    _ = try await reader.key(.weather)
    bench.source.isDown()
    bench.time.setCalendar(by: .seconds(1000))
    #expect(await reason { () throws(KeyError) in try await reader.key(.weather) } == .unreachable)
  }

  // MARK: Secrecy

  @Test("is never printed, and neither its name nor itself is readable on the disk") func secrecy() async throws {
    let bench = try Bench()
    let canary = "canary-9f2c7e"
    bench.source.has(canary)
    let reader = bench.reader()
    let key = try await reader.key(.weather)
    var texts = ["\(key)", String(reflecting: key), "\(Mirror(reflecting: key).children.map { "\($0)" })"]
    var dumped = ""
    dump(key, to: &dumped)
    texts.append(dumped)
    texts.append("\(try await reader.environment([.key(.weather)]))")
    for text in texts { #expect(!text.contains(canary) && !text.contains("9f2c")) }
    let files = try bench.files()
    #expect(files.count == 1)
    for file in files {
      let bytes = try bytes(of: file)
      #expect(bytes.firstRange(of: Array(canary.utf8)) == nil && bytes.firstRange(of: Array("weather".utf8)) == nil)
      #expect(try mode(of: file) == 0o600)
    }
    #expect(try mode(of: bench.folder) == 0o700)
  }
}
