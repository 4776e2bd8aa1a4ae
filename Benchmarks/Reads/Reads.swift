// What reading a cached key costs, beside a dictionary behind a lock: `Benchmarks/run.sh --reader`. Prints lines "what: number unit".
import Foundation
import KeyplanReader
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

private struct Constant: KeySource {
  let identity = "constant"

  func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer {
    .value(KeySourceValue(SecretBox([1, 2, 3]), name: "\(item)", version: "1", provider: "openai"))
  }
}

private final class Plain: Sendable {
  private let values: Mutex<[APIKeyName: SecretBox]>

  init(_ names: [APIKeyName]) {
    values = Mutex(Dictionary(names.map { ($0, SecretBox([1, 2, 3])) }) { first, _ in first })
  }

  func value(_ name: APIKeyName) -> SecretBox? { values.withLock { $0[name] } }
}

@main
struct Reads {
  static func main() async throws {
    let names = (0..<1000).map { APIKeyName("key-\($0)") }
    var options = ReaderOptions()
    options.cache = .memory
    let reader = KeyReader(Constant(), options: options)
    for name in names { _ = try await reader.key(name) }
    let plain = Plain(names)
    var sum = 0
    let reads = try await median { index in sum += try await reader.key(names[index]).value.count }
    let lookups = try await median { index in sum += plain.value(names[index])?.count ?? 0 }
    print("cached key, one task: \(reads) ns")
    print("dictionary behind a lock: \(lookups) ns")

    let count = 200_000
    let clock = ContinuousClock()
    let time = try await clock.measure {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
          group.addTask { for index in 0..<count { _ = try await reader.key(names[(index &+ task) % 1000]) } }
        }
        try await group.waitForAll()
      }
    }
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    print("cached keys, 8 tasks: \(Int(Double(8 * count) / seconds)) reads/s")

    // A cache on the disk, which another process has filled.
    let folder = "\(FileManager.default.temporaryDirectory.path)/keyplan-reads-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    options.cache = .directory(folder)
    let filler = KeyReader(Constant(), options: options)
    for name in names { _ = try await filler.key(name) }
    var times: [Duration] = []
    for _ in 0..<11 {
      times.append(
        try await clock.measure {
          let reader = KeyReader(Constant(), options: options)
          _ = try await reader.key(names[500])
        })
    }
    let opening = times.sorted()[5].components.attoseconds / 1_000_000_000_000
    print("opening a cache of 1,000 keys and reading one: \(opening) µs")
    if let memory = ownMemory() { print("memory of a program with 1,000 keys, without its code: \(memory) KiB") }
    exit(sum > 0 ? 0 : 1)
  }

  /// What is resident and not mapped from a file; nil where that is not told.
  private static func ownMemory() -> Int? {
    let lines = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("RssAnon:") }?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
  }

  /// Nanoseconds of one call, the median of 1,000 rounds.
  private nonisolated(nonsending) static func median(_ body: (Int) async throws -> Void) async rethrows -> Int {
    let clock = ContinuousClock()
    var rounds: [Int64] = []
    for _ in 0..<1000 {
      let start = clock.now
      for index in 0..<1000 { try await body(index) }
      rounds.append((clock.now - start).components.attoseconds / 1_000_000_000 / 1000)
    }
    return Int(rounds.sorted()[500])
  }
}
