#if os(Linux)
import Foundation
import Glibc
import KeyplanSecrets
import Testing

@testable import KeyplanHTTP

/// What stays behind in memory. The server is another process; the search leaves out the needle and its own buffer, and no
/// other search runs beside it.
@Suite(.serialized) struct WipingTests {
  @Test("of a token that was sent nothing is left in memory, whichever way it went", arguments: ["http", "https"])
  func sent(scheme: String) async throws {
    let server = try Server()
    let needle = Needle()
    var settings = HTTPSettings.quick(.seconds(20))
    settings.authorities = Certificates.shared.folder.appending(path: "authority.pem").path
    let client = HTTPClient(settings)
    do {
      let token = SecretBox(Secret(copying: needle.bytes))
      let held = try needle.copies()
      #expect(held == 1)
      for path in ["/bytes/10", "/status/400", "/reset/20", "/silent"] {
        let port = scheme == "http" ? server.port : server.tls
        var request = HTTPRequest(.post, try HTTPAddress("\(scheme)://127.0.0.1:\(port)\(path)"))
        try request.authorize(bearer: token)
        request.body = .form([("refresh_token", .secret(token))])
        let sent = request
        let task = Task { _ = try await client.send(sent) }
        if path == "/silent" {
          while try await server.seen().counts[path] == nil { try await Task.sleep(for: .milliseconds(5)) }
          task.cancel()
        }
        _ = await task.result
      }
    }
    // A cancelled transfer ends when libcurl looks up next.
    var left = try needle.copies()
    for _ in 0..<100 where left > 0 {
      try await Task.sleep(for: .milliseconds(100))
      left = try needle.copies()
    }
    #expect(left == 0)
  }

  @Test("of a token that was received nothing is left in memory once its holder is gone")
  func received() async throws {
    let server = try Server()
    let needle = Needle()
    let client = HTTPClient(.quick(.seconds(20)))
    do {
      var request = HTTPRequest(.put, try server.address("/mirror"))
      request.body = HTTPBody(type: "text/plain", SecretBox(Secret(copying: needle.bytes)))
      let body = try await client.send(request).body
      request.body = nil
      #expect(body.withBytes { $0.elementsEqual(needle.bytes) })
      let held = try needle.copies()
      #expect(held == 1)
    }
    let left = try needle.copies()
    #expect(left == 0)
  }
}

/// Random letters that stand nowhere else.
private final class Needle {
  let bytes: UnsafeRawBufferPointer
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)

  init() {
    let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 1)
    for index in fresh.indices { fresh[index] = .random(in: 0x61...0x7A) }
    bytes = UnsafeRawBufferPointer(fresh)
  }

  deinit {
    bytes.deallocate()
    buffer.deallocate()
  }

  /// How often it stands in this process's memory, but for the one here.
  func copies() throws -> Int {
    let memory = open("/proc/self/mem", O_RDONLY)
    defer { close(memory) }
    var count = 0
    for line in try Self.maps().split(separator: "\n") {
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      // Sanitizers reserve more than could be read.
      guard ends.count == 2, words[1].hasPrefix("rw"), ends[1] - ends[0] < 1 << 30 else { continue }
      var start = ends[0]
      while start < ends[1] {
        let wanted = min(UInt(buffer.count), ends[1] - start)
        let got = pread(memory, buffer.baseAddress, Int(wanted), off_t(start))
        guard got > 0 else {
          // Unmapped meanwhile; what follows it may still be there.
          start += 4096
          continue
        }
        count += found(in: got, at: start)
        // What lies across two pieces is found in the second.
        start += got == buffer.count ? UInt(got - bytes.count + 1) : UInt(got)
      }
    }
    return count
  }

  /// Read to its end: Foundation takes the first short piece of such a file for the last one.
  private static func maps() throws -> String {
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
    var all = Data()
    while let more = try file.read(upToCount: 4096), !more.isEmpty { all.append(more) }
    return String(decoding: all, as: UTF8.self)
  }

  private func found(in got: Int, at start: UInt) -> Int {
    guard let base = buffer.baseAddress, let needle = bytes.baseAddress else { return 0 }
    let own = [
      UInt(bitPattern: needle)...UInt(bitPattern: needle),
      UInt(bitPattern: base)...UInt(bitPattern: base) + UInt(buffer.count),
    ]
    var count = 0
    var next = 0
    while let hit = memchr(base + next, Int32(bytes[0]), got - next) {
      let offset = UnsafeMutableRawPointer(hit) - base
      next = offset + 1
      guard got - offset >= bytes.count, memcmp(hit, needle, bytes.count) == 0 else { continue }
      if !own.contains(where: { $0.contains(start + UInt(offset)) }) { count += 1 }
    }
    return count
  }
}
#endif
