import Foundation
import KeyplanClocks
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

@testable import KeyplanReader

/// A day of random outages, changes and deletions, compared with a model of what may be served.
@Suite("In 24 hours") struct DayTests {
  /// What the source really has, and when it had it.
  private struct Truth {
    enum State: Equatable {
      case value(String)
      case missing, denied
    }

    /// Each with the time from which on it holds, in nanoseconds.
    var states: [(from: Int64, state: State)]
    var outages: [(from: Int64, until: Int64)] = []

    /// Whether the source had this value at some time between these moments.
    func had(_ text: String, from: Int64, until: Int64) -> Bool {
      states.indices.contains { index in
        let end = index + 1 < states.count ? states[index + 1].from : .max
        return states[index].state == .value(text) && states[index].from <= until && end >= from
      }
    }

    func isDown(at moment: Int64) -> Bool { outages.contains { $0.from <= moment && moment < $0.until } }
  }

  /// More with `KEYPLAN_TEST_FAULTS=all`.
  private static let seeds: ClosedRange<UInt64> =
    ProcessInfo.processInfo.environment["KEYPLAN_TEST_FAULTS"] == "all" ? 1...8 : 1...1

  @Test(
    "no value is served past its hard age, a source is asked once for each pause, and each change is told once",
    arguments: DayTests.seeds)
  func day(seed: UInt64) async throws {
    var random = Seeded(seed: seed)
    let bench = try Bench()
    let (time, source) = (bench.time, bench.source)
    let (soft, hard) = (Duration.seconds(100), Duration.seconds(1000))
    var truth = Truth(states: [(0, .value("value 0"))])
    let shared = Mutex(truth)
    source.answers { request in
      let truth = shared.withLock { $0 }
      if truth.isDown(at: request.at) { return .unreachable("It is down.", retryAfter: nil) }
      switch truth.states.last?.state {
      case .value(let text):
        let version = "of \(text)"
        return request.known == version
          ? .unchanged : .value(KeySourceValue(SecretBox(Array(text.utf8)), name: "weather", version: version))
      case .denied: return .refused(.denied, "Denied.", hint: nil)
      case .missing, nil: return .refused(.notFound, "Missing.", hint: nil)
      }
    }
    let readers = (0..<3).map { _ in bench.reader() }
    let changes = readers[0].changes(of: .key(.weather))
    let told = Mutex<[KeyChange]>([])
    let listening = Task { for await change in changes { told.withLock { $0.append(change) } } }
    func settle() async throws {
      try await until {
        readers.allSatisfy(\.isIdle) && time.sleeping == (0, 1) && (time.nextEnd ?? 0) > time.nanoseconds
      }
    }
    try await settle()
    var (known, served, stale) = (try await readers[0].key(.weather).version as String?, 0, 0)
    let end = time.nanoseconds + Duration.seconds(86_400).inNanoseconds
    while time.nanoseconds < end {
      // Never past the next moment at which a reader does something by itself.
      let step = Duration.seconds(random.below(90) + 1)
      let wake = time.nextEnd.map { Duration.nanoseconds($0 - time.nanoseconds) } ?? step
      time.advance(min(step, wake))
      try await settle()
      let now = time.nanoseconds
      if random.chance(4) {
        let state: Truth.State =
          random.chance(70) ? .value("value \(now)") : random.chance(50) ? .missing : .denied
        truth.states.append((now, state))
      }
      if !truth.isDown(at: now), random.chance(3) {
        truth.outages.append((now + 1, now + Duration.seconds(random.below(2500)).inNanoseconds))
      }
      shared.withLock { $0 = truth }
      let asked = random.below(3)
      do throws(KeyError) {
        let key = try await readers[asked].key(.weather)
        served += 1
        let text = key.text
        switch key.freshness {
        case .fresh: #expect(truth.had(text, from: now - soft.inNanoseconds, until: now), "fresh")
        case .stale(let age):
          stale += 1
          let then = now - age.inNanoseconds
          #expect(age >= soft && age < hard && truth.had(text, from: then, until: then), "stale")
          #expect(
            !source.requests.contains { $0.at > then && $0.at <= now - 1_000_000_000 && !truth.isDown(at: $0.at) },
            "it was reached since")
        }
      } catch {
        #expect(error.reason != .backend && error.reason != .cancelled && error.reason != .expired)
      }
      try await settle()
      // What is told is what is different now, and nothing else.
      let version = readers[0].held(.key(.weather))
      try await until { told.withLock { !$0.isEmpty } == (version != known) }
      let news = told.withLock { told in
        defer { told = [] }
        return told
      }
      #expect(news.count == (version == known ? 0 : 1))
      #expect(news.allSatisfy { ($0.kind == .changed) == (version != nil) })
      known = version
    }
    listening.cancel()
    #expect(served > 300 && stale > 10)
    // Requests while it is down: after the first failure at least half a second, then a second, and so on.
    var failures = 0
    var last: Int64?
    for request in source.requests {
      if let last, failures > 0 {
        let pause = min(Double(1 << min(failures - 1, 20)), 300) / 2
        #expect(Double(request.at - last) / 1e9 >= pause, "after \(failures) failures")
      }
      failures = truth.isDown(at: request.at) ? failures + 1 : 0
      last = request.at
    }
  }
}
