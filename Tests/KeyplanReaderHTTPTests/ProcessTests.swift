import Foundation
import KeyplanHTTP
import KeyplanSecrets
import TestTools
import Testing

/// Readers in processes of their own, with one cache.
@Suite("Readers in several processes")
struct ProcessTests {
  /// A service that counts requests.
  private struct Service {
    private let server: FixtureServer
    let root: String

    init() throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent()
      server = try FixtureServer([folder.appending(path: "Fixtures/values.py").path])
      root = "http://127.0.0.1:\(String(decoding: server.greeting, as: UTF8.self))"
    }

    func set(_ name: String, _ text: String) async throws {
      var request = HTTPRequest(.put, try HTTPAddress("\(root)/_/\(name)"))
      request.body = HTTPBody(type: "text/plain", SecretBox(Array(text.utf8)))
      #expect(try await HTTPClient().send(request).status == 204)
    }

    func count() async throws -> Int? {
      let answer = try await HTTPClient().send(HTTPRequest(.get, try HTTPAddress("\(root)/_/count")))
      return answer.body.withBytes { Int(String(decoding: $0, as: UTF8.self)) }
    }
  }

  /// A reader's process, with what it wrote.
  private func probe(
    _ service: Service, cache: String, tasks: Int = 1, before words: [String] = []
  ) throws -> (process: Process, out: Pipe, err: Pipe) {
    let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: ".build/debug/keyplan-reader-probe").path
    let process = Child.process(words + [program, "\(service.root)/{name}", cache, "\(tasks)"])
    let (out, err) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (out, err)
    try process.run()
    return (process, out, err)
  }

  private func text(_ pipe: Pipe) -> String {
    String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  @Test("100 tasks in each of 8 processes that ask for one cold key cause one request")
  func singleFlight() async throws {
    let (service, folder) = (try Service(), try Scratch())
    let runs = try (0..<8).map { _ in try probe(service, cache: folder.path + "/cache", tasks: 100) }
    for run in runs {
      #expect(text(run.out) == "100 made-up-1\n", "\(text(run.err))")
      run.process.waitUntilExit()
    }
    #expect(try await service.count() == 1)
  }

  @Test("during an outage 8 processes with a cold cache cause one request in each pause")
  func outage() async throws {
    let (service, folder) = (try Service(), try Scratch())
    try await service.set("status", "503")
    let runs = try (0..<8).map { _ in try probe(service, cache: folder.path + "/cache", tasks: 20) }
    for run in runs {
      #expect(text(run.out) == "20 error unreachable\n", "\(text(run.err))")
      run.process.waitUntilExit()
    }
    // The first pause is at least half a second: on a machine under load a process can come after it.
    let count = try #require(try await service.count())
    #expect((1..<8).contains(count))
  }

  @Test(
    "a process that is killed while it writes the cache leaves one that the next process reads, or none",
    arguments: ["pwrite64", "write", "fdatasync", "fsync", "renameat", "openat"])
  func killed(call: String) async throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else {
      Issue.record("strace is missing: run make setup")
      return
    }
    let service = try Service()
    var killed = 0
    for number in [1, 2, 3, 5, 8, 13, 21, 34] {
      let folder = try Scratch()
      let cache = folder.path + "/cache"
      let run = try probe(
        service, cache: cache,
        before: [
          "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
          "inject=\(call):signal=SIGKILL:when=\(number)",
        ])
      _ = text(run.out)
      run.process.waitUntilExit()
      if run.process.terminationReason == .uncaughtSignal || run.process.terminationStatus == 137 { killed += 1 }
      let next = try probe(service, cache: cache)
      #expect(text(next.out) == "1 made-up-1\n", "\(call) \(number): \(text(next.err))")
      next.process.waitUntilExit()
    }
    if ["openat", "write"].contains(call) { #expect(killed > 0) }
  }

  @Test("a cache that cannot be written is reported, and the value is served")
  func full() async throws {
    let (service, folder) = (try Service(), try Scratch())
    // No file may grow: as on a full disk, but for SIGXFSZ, which is ignored.
    let run = try probe(
      service, cache: folder.path + "/cache", before: ["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "-"])
    #expect(text(run.out) == "1 made-up-1\n")
    #expect(text(run.err).contains("notice: "))
    run.process.waitUntilExit()
  }

  @Test("a cached value is confirmed by its ETag in another process, and another value replaces it")
  func conditional() async throws {
    let (service, folder) = (try Service(), try Scratch())
    let cache = folder.path + "/cache"
    for value in ["made-up-1", "made-up-2"] {
      try await service.set("value", value)
      if value == "made-up-2" { try FileManager.default.removeItem(atPath: cache) }
      for _ in 0..<2 { #expect(text(try probe(service, cache: cache).out) == "1 \(value)\n") }
    }
    #expect(try await service.count() == 2)
  }
}
