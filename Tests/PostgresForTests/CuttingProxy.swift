import Foundation
import Synchronization

/// Stands between a client and a server, counts what goes through, and can do something at one of these messages: once, so that who
/// connects again gets through.
public final class CuttingProxy: Sendable {
  /// At 127.0.0.1.
  public let port: Int
  private let listening: Int32
  private let state: State

  /// What becomes of a message.
  private struct Fate {
    var isForwarded = true
    var isCut = false
  }

  /// What is known by now.
  private final class State: Sendable {
    let isCounted: @Sendable (_ isFromClient: Bool) -> Bool
    let number: Int
    let fate: @Sendable () -> Fate
    let passed = Mutex(0)
    let turns = Mutex<[Int]>([])

    init(
      _ number: Int, counting isCounted: @escaping @Sendable (_ isFromClient: Bool) -> Bool,
      _ fate: @escaping @Sendable () -> Fate
    ) { (self.number, self.isCounted, self.fate) = (number, isCounted, fate) }

    /// What becomes of the next message.
    func next(isFromClient: Bool) -> Fate {
      guard isCounted(isFromClient) else { return Fate() }
      let number = passed.withLock { (count: inout Int) in
        count += 1
        return count
      }
      return number == self.number ? fate() : Fate()
    }
  }

  /// How many of the messages that are counted have come so far.
  public var messages: Int { state.passed.withLock { $0 } }

  /// How often a client had to wait so far, for each connection in order: to make it, and for each answer to what it sent. Over a slow
  /// network that is what a command takes.
  public var turns: [Int] { state.turns.withLock { $0 } }

  /// Only counts.
  public convenience init(to server: PostgresServer) throws {
    try self.init(to: server, State(0, counting: { _ in false }) { Fate() })
  }

  /// Cuts the connection at a message of either side.
  /// - Parameters:
  ///   - cut: its number, from 1.
  ///   - isForwarded: whether that one still gets through.
  public convenience init(to server: PostgresServer, cutting cut: Int, forwarding isForwarded: Bool) throws {
    try self.init(to: server, State(cut, counting: { _ in true }) { Fate(isForwarded: isForwarded, isCut: true) })
  }

  /// Does something when a message of the client has come.
  /// - Parameters:
  ///   - number: its number, from 1.
  ///   - act: may take its time; answers whether the message then gets through, or the connection ends.
  public convenience init(
    to server: PostgresServer, atClientMessage number: Int, _ act: @escaping @Sendable () -> Bool
  ) throws {
    try self.init(
      to: server,
      State(number, counting: { $0 }) {
        let isForwarded = act()
        return Fate(isForwarded: isForwarded, isCut: !isForwarded)
      })
  }

  private init(to server: PostgresServer, _ state: State) throws {
    let (listening, port) = try Loopback.bound()
    guard listen(listening, 64) == 0 else { throw Failed(words: "the proxy cannot listen") }
    let path = "\(server.directory)/.s.PGSQL.\(server.port)"
    (self.listening, self.port, self.state) = (listening, port, state)
    Thread.detachNewThread {
      while true {
        let client = accept(listening, nil, nil)
        guard client >= 0 else {
          // Here and nowhere else: a number that is free again may be another test's socket by the next `accept`.
          close(listening)
          return
        }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        let upstream = Self.connect(to: path)
        let pair = Pair(client, upstream)
        let number = state.turns.withLock { turns in
          turns.append(1)
          return turns.count - 1
        }
        for isFromClient in [true, false] {
          let (from, to) = isFromClient ? (client, upstream) : (upstream, client)
          Thread.detachNewThread {
            Self.pump(from, to, pair) {
              if pair.speaks(client: isFromClient) { state.turns.withLock { $0[number] += 1 } }
              return state.next(isFromClient: isFromClient)
            }
          }
        }
      }
    }
  }

  deinit { shutdown(listening, Int32(SHUT_RDWR)) }

  /// Two ends, closed when both directions are done with.
  private final class Pair: Sendable {
    private let ends: (Int32, Int32)
    private let isClientsTurn = Mutex(false)

    /// Whether the client begins to speak, after the server or as the first.
    func speaks(client isClient: Bool) -> Bool {
      isClientsTurn.withLock { wasClient in
        defer { wasClient = isClient }
        return isClient && !wasClient
      }
    }

    init(_ one: Int32, _ other: Int32) { ends = (one, other) }
    func cut() { for end in [ends.0, ends.1] { shutdown(end, Int32(SHUT_RDWR)) } }
    deinit { for end in [ends.0, ends.1] { close(end) } }
  }

  private static func pump(_ from: Int32, _ to: Int32, _ pair: Pair, _ next: () -> Fate) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(from, &buffer, buffer.count, 0)
      guard count > 0 else { return pair.cut() }
      let fate = isGoodbye(buffer.prefix(count)) ? Fate() : next()
      if fate.isForwarded {
        var sent = 0
        while sent < count {
          let more = buffer.withUnsafeBytes {
            send(to, $0.baseAddress?.advanced(by: sent), count - sent, Int32(truncatingIfNeeded: Int(MSG_NOSIGNAL)))
          }
          guard more > 0 else { return pair.cut() }
          sent += more
        }
      }
      if fate.isCut { return pair.cut() }
    }
  }

  /// Terminate (PostgreSQL's protocol, 55.7), as a message of its own: its sender does not wait, and may be gone before it is counted.
  private static func isGoodbye(_ message: ArraySlice<UInt8>) -> Bool {
    message.elementsEqual([UInt8(ascii: "X"), 0, 0, 0, 4])
  }

  private static func connect(to path: String) -> Int32 {
    let end = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = Glibc.connect(end, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return end
  }
}
