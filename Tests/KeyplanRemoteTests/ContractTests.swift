import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What each description must do, against the fake of its service.
@Suite struct ContractTests {
  @Test("what is written is there, in another run too, and what was not is missing", arguments: ServiceSample.all)
  func writing(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let (a, b, c) = (sample.name("A"), sample.name("B"), sample.name("C"))
    #expect(try await fake.run().look(a, b) == [.missing, .missing])
    let results = try await fake.run().results(bytes: [a: Array("one".utf8), b: Array("two".utf8)])
    let shown = try await fake.run().look(a, b, c)
    #expect(shown[2] == .missing)
    switch sample.shows {
    case .values: #expect(shown[..<2] == [.value("one"), .value("two")])
    case .marks: for one in shown[..<2] { #expect(one.mark != nil) }
    case .presence: #expect(shown[..<2] == [.marked(nil), .marked(nil)])
    }
    // The mark that is recorded is the one that is seen later.
    let marks = try await fake.run().marks(a, b)
    for (name, result) in try results.get() {
      guard case .done(let mark) = result else {
        Issue.record("\(name): \(result)")
        continue
      }
      if sample.shows != .values { #expect(mark == marks[name] ?? nil) }
    }
    if sample.shows == .values {
      #expect(try await fake.run().read(a, c, b) == [.value("one"), .missing, .value("two")])
    }
  }

  @Test("writing again changes that name alone", arguments: ServiceSample.all)
  func again(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let (a, b) = (sample.name("A"), sample.name("B"))
    #expect(try await fake.run().write([a: "one", b: "two"]) == [a: .done, b: .done])
    let before = try await fake.run().look(a, b)
    #expect(try await fake.run().write([a: "three"]) == [a: .done])
    let after = try await fake.run().look(a, b)
    #expect(after[1] == before[1])
    switch sample.shows {
    case .values: #expect(after[0] == .value("three"))
    case .marks: #expect(after[0] != before[0] && after[0].mark != nil)
    case .presence: #expect(after[0] == .marked(nil))
    }
  }

  @Test("a change by someone else makes the write stale, and it is not made", arguments: ServiceSample.all)
  func stale(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let (a, b) = (sample.name("A"), sample.name("B"))
    #expect(try await fake.run().write([a: "one"]) == [a: .done])
    let there = try await fake.run().look(a, b)
    // It came up after the plan.
    #expect(try await fake.run().write([a: "two", b: "new"], expecting: [:]) == [a: .stale, b: .done])
    #expect(try await fake.run().look(a) == [there[0]])
    // It went away after the plan.
    let expected: [String: Mark?] = [a: nil, sample.name("GONE"): nil]
    #expect(
      try await fake.run().write([sample.name("GONE"): "x"], expecting: expected) == [sample.name("GONE"): .stale])
    guard sample.shows == .marks else { return }
    let marks = try await fake.run().marks(a)
    #expect(try await fake.run().write([a: "by someone else"]) == [a: .done])
    #expect(try await fake.run().write([a: "late"], expecting: marks) == [a: .stale])
    #expect(try await fake.run().write([:], removing: [a], expecting: marks) == [a: .stale])
    let now = try await fake.run().marks(a)
    #expect(try await fake.run().write([a: "in time"], expecting: now) == [a: .done])
  }

  @Test("a secret can be removed, once and again", arguments: ServiceSample.all)
  func removing(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let (a, b) = (sample.name("A"), sample.name("B"))
    #expect(try await fake.run().write([a: "one", b: "two"]) == [a: .done, b: .done])
    #expect(
      try await fake.run().write([b: "three"], removing: [a, sample.name("NEVER")]).values.allSatisfy { $0 == .done })
    #expect(try await fake.run().look(a) == [.missing])
    #expect(try await fake.run().look(b) != [.missing])
    #expect(try await fake.run().write([:], removing: [a]) == [a: .done])
    #expect(try await fake.run().write([:], removing: [a, b]) == [a: .done, b: .done])
    #expect(try await fake.run().look(a, b) == [.missing, .missing])
  }

  static let oddValues = [
    "quote \" back \\ slash ' {name} {{x}} ${Y} $(z) </script>", "é 🔑 ünï", "line1\nline2\n", " lead and trail ",
    "null",
    "-----BEGIN\r\nX", "a&b=c%41+d", "\u{2028}\t\u{1}", "{\"$each\": 1}",
  ]

  @Test("odd values come back as they are, or are refused", arguments: ServiceSample.all)
  func oddValues(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let a = sample.name("A")
    for value in Self.oddValues {
      let result = try await fake.run().write([a: value])
      guard result == [a: .done] else {
        #expect(result == [a: .refused(.unreadable)], "\(value)")
        continue
      }
      if sample.shows == .values { #expect(try await fake.run().look(a) == [.value(value)]) }
    }
    let takesBytes = try sample.api().limits.bytes
    let binary = try await fake.run().write(bytes: [a: [0xFF, 0xFE, 0x80]])
    #expect(binary == [a: takesBytes ? .done : .refused(.unreadable)])
  }

  static let oddNames = [
    "A/B", "..", ".", "A%2FB", "A\"B", "A\nB", "A?x=1", "A#b", "A:destroy", "A B", "../OTHER", "A\\B", "É", "A{name}",
    "A&x=1", "a;b", "*", "~", "A+B", String(repeating: "x", count: 600), "",
  ]

  @Test("an odd name reaches no other name", arguments: ServiceSample.all)
  func oddNames(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let b = sample.name("B")
    #expect(try await fake.run().write([b: "two"]) == [b: .done])
    let before = try await fake.run().look(b)
    for name in Self.oddNames {
      let result = try await fake.run().write([name: "x"])[name]
      if result == .done {
        let shown = try await fake.run().look(name)
        #expect(shown != [.missing], "\(name)")
        if sample.shows == .values { #expect(shown == [.value("x")], "\(name)") }
        #expect(try await fake.run().write([:], removing: [name]) == [name: .done], "\(name)")
        #expect(try await fake.run().look(name) == [.missing], "\(name)")
      } else {
        #expect(result == .refused(.unreadable), "\(name)")
      }
      #expect(try await fake.run().look(b) == before, "\(name)")
    }
  }

  @Test(
    "a place that does not exist is never an empty one", arguments: ServiceSample.all.filter { $0.elsewhere != nil })
  func elsewhere(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    let (place, kind) = try #require(sample.elsewhere)
    let run = try fake.run(place: place)
    #expect(await run.look(sample.name("A")) == [.failed(kind)])
    #expect(
      await run.write([sample.name("A"): "x"]).values.allSatisfy { $0 == .notAtAll(kind) || $0 == .refused(kind) })
  }

  @Test("a list of three pages is read to its end", arguments: ServiceSample.all)
  func pages(sample: ServiceSample) async throws {
    let fake = try FakeService(sample)
    // The fake's pages have seven entries.
    let count = 17
    let names = (0..<count).map { sample.name("N\($0 + 1000)") }
    let results = try await fake.run().write(Dictionary(uniqueKeysWithValues: names.map { ($0, "v") }))
    #expect(results.count == count && results.values.allSatisfy { $0 == .done })
    let run = try fake.run()
    let answer = await run.sight(TargetQuestion(names: Set(names))).answer
    switch answer {
    case .values(let values): #expect(values.count == count)
    case .marks(let marks): #expect(marks.count == count)
    case .failed(let failure): Issue.record("\(failure)")
    }
  }
}

extension ServiceRun.Shown {
  var mark: String? { if case .marked(let mark) = self { mark } else { nil } }
}
