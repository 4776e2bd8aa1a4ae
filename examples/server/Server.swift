// A small HTTP service that uses a key: keyplan-server-example MANIFEST IDENTITY CACHE KEY [PORT]
//
// It answers each request with what it knows of the key, never with its value. The key is replaced without a restart, and served from
// the cache while the store is away. A service of your own uses a framework for HTTP, and the products "KeyplanReader" and
// "KeyplanReaderStore" of this package in the same way.
import Dispatch
import KeyplanReader
import KeyplanReaderStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@main
struct Server {
  static func main() async {
    let words = CommandLine.arguments
    guard words.count >= 5, let listener = Listener(port: words.dropFirst(5).first.flatMap { UInt16($0) } ?? 0) else {
      print("usage: keyplan-server-example MANIFEST IDENTITY CACHE KEY [PORT]")
      exit(64)
    }
    do throws(KeyError) {
      let reader = try reader(of: words)
      let name = APIKeyName(words[4])
      // Fails at the start, and not at the first request, if the key cannot be had.
      _ = try await reader.key(name)
      // While somebody listens to its changes, a key is asked for again before it is too old.
      Task {
        for await change in reader.changes(of: .key(name)) { say("\(change.item) \(change.kind)") }
      }
      say("listening on 127.0.0.1:\(listener.port)")
      listener.run { connection in
        Task { connection.answer(await status(of: name, in: reader)) }
      }
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static func reader(of words: [String]) throws(KeyError) -> KeyReader {
    var store = StoreKeys.Options()
    (store.manifest, store.identity) = (words[1], words[2])
    var options = ReaderOptions()
    options.cache = .directory(words[3])
    options.standardAges = CacheAges(fresh: .seconds(1), stale: .seconds(3600))
    return KeyReader(try StoreKeys(store), options: options)
  }

  private static func status(of name: APIKeyName, in reader: KeyReader) async -> (code: String, body: String) {
    do throws(KeyError) {
      let key = try await reader.key(name)
      // Here a service calls its provider, with key.value in a header.
      return (
        "200 OK", "version \(key.version), \(key.value.count) bytes, \(key.freshness.isStale ? "stale" : "fresh")\n"
      )
    } catch {
      return ("503 Service Unavailable", "no key: \(error.reason.rawValue)\n")
    }
  }

  /// At once, although standard output may be a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}

/// A socket on this machine that takes connections.
struct Listener {
  let port: UInt16
  private let socket: Int32

  /// - Parameter port: 0 for one that is free.
  init?(port wanted: UInt16) {
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Glibc)
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    let bound = socket
    var (yes, address, size) = (Int32(1), sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wanted.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      guard let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(bound, place, size) == 0 && listen(bound, 64) == 0 && getsockname(bound, place, &size) == 0
    }
    guard isBound else { return nil }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Blocks the thread.
  func run(_ handle: @escaping @Sendable (Connection) -> Void) -> Never {
    while true {
      let connection = Connection(socket: accept(socket, nil, nil))
      guard connection.socket >= 0 else { continue }
      // Reading may wait for the client, so that it must not occupy one of Swift's own threads.
      DispatchQueue.global().async { if connection.readRequest() { handle(connection) } else { connection.end() } }
    }
  }
}

/// One request and its answer.
struct Connection {
  let socket: Int32

  /// Reads to the end of the head of a request; false if none comes.
  func readRequest() -> Bool {
    var patience = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var (head, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1024))
    while head.count < 8192 {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      head += buffer[..<count]
      if head.suffix(4) == Array("\r\n\r\n".utf8) { return true }
    }
    return false
  }

  func answer(_ answer: (code: String, body: String)) {
    let head = "HTTP/1.1 \(answer.code)\r\nContent-Type: text/plain\r\nContent-Length: \(answer.body.utf8.count)\r\n"
    let text = Array((head + "Connection: close\r\n\r\n" + answer.body).utf8)
    _ = send(socket, text, text.count, 0)
    end()
  }

  func end() { close(socket) }
}
