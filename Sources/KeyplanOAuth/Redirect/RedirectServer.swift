import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits for the redirect. Browsers open connections before they need them, so several are served concurrently.
struct RedirectServer: Sendable {
  let socket: LoopbackSocket
  let signIn: SignIn
  /// Becomes readable to end the wait.
  let wake: Int32
  let limit: Duration
  let misread: @Sendable () -> Void
  private var connections: [(descriptor: Int32, bytes: [UInt8])] = []
  private var typed: [UInt8] = []

  private static let connectionLimit = 16

  init(
    socket: LoopbackSocket, signIn: SignIn, wake: Int32, limit: Duration, misread: @escaping @Sendable () -> Void
  ) {
    self.socket = socket
    self.signIn = signIn
    self.wake = wake
    self.limit = limit
    self.misread = misread
  }

  mutating func run(_ terminal: Int32?) -> SignInListener.Ending {
    defer { for connection in connections { close(connection.descriptor) } }
    var terminal = terminal
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
      let left = (deadline - clock.now) / .milliseconds(1)
      guard left > 0 else { return .timedOut }
      // Negative descriptors are ignored.
      let descriptors = [wake, socket.descriptor, terminal ?? -1] + connections.map(\.descriptor)
      var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&polled, nfds_t(polled.count), Int32(min(left, 60000).rounded(.up))) >= 0 else {
        guard errno == EINTR else { return .failed(ListeningError(errno)) }
        continue
      }
      if polled[0].revents != 0 { return .cancelled }
      if let open = terminal, polled[2].revents != 0 {
        switch readPastedURL(from: open) {
        case .ended(let ending): return ending
        case .closed: terminal = nil
        case .open: break
        }
      }
      for ready in polled.dropFirst(3) where ready.revents != 0 {
        if let ending = serve(ready.fd) { return ending }
      }
      if polled[1].revents != 0, let connection = socket.connection() {
        if connections.count == Self.connectionLimit { close(connections.removeFirst().descriptor) }
        connections.append((connection, []))
      }
    }
  }

  private enum Terminal {
    case open, closed
    case ended(SignInListener.Ending)
  }

  private mutating func readPastedURL(from terminal: Int32) -> Terminal {
    guard let bytes = Self.read(from: terminal), !bytes.isEmpty else { return .closed }
    typed += bytes
    // A terminal truncates lines at 4096 bytes anyway.
    guard let end = typed.lastIndex(of: UInt8(ascii: "\n")) else {
      if typed.count > BrowserRequest.limit { typed = [] }
      return .open
    }
    let line = String(decoding: typed[..<end], as: UTF8.self)
    typed = Array(typed[(end + 1)...])
    switch signIn.answer(in: line) {
    case .code(let code): return .ended(.code(code))
    case .refused(let refusal): return .ended(.refused(refusal))
    case .foreign, .none:
      if line.utf8.contains(where: { $0 > 0x20 }) { misread() }
      return .open
    }
  }

  private mutating func serve(_ connection: Int32) -> SignInListener.Ending? {
    guard let index = connections.firstIndex(where: { $0.descriptor == connection }) else { return nil }
    if let bytes = Self.read(from: connection), !bytes.isEmpty {
      connections[index].bytes += bytes
      let (isWhole, isTooLong) = (
        connections[index].bytes.hasHead, connections[index].bytes.count > BrowserRequest.limit
      )
      guard isWhole || isTooLong else { return nil }
      let (reply, ending) = isTooLong ? (.tooLarge, nil) : answer(connections[index].bytes)
      Self.send(reply.bytes, to: connection)
      end(index)
      return ending
    }
    end(index)
    return nil
  }

  private func answer(_ bytes: [UInt8]) -> (BrowserReply, SignInListener.Ending?) {
    guard let request = BrowserRequest(bytes) else { return (.unreadable, nil) }
    if let refusal = request.refusal(at: socket.port) { return (refusal, nil) }
    switch signIn.answer(in: String(request.target)) {
    case .code(let code): return (.received, .code(code))
    case .refused(let refusal): return (.declined, .refused(refusal))
    case .foreign: return (.foreign, nil)
    case .none: return (.nothingHere, nil)
    }
  }

  private mutating func end(_ index: Int) { close(connections.remove(at: index).descriptor) }

  /// `nil` at the end of the input.
  private static func read(from descriptor: Int32) -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = room.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(room[..<count]) : nil
    }
  }

  /// The reply is small enough for any socket's buffer.
  private static func send(_ bytes: [UInt8], to connection: Int32) {
    #if canImport(Glibc)
    let noSignal = Int32(MSG_NOSIGNAL)
    #else
    let noSignal: Int32 = 0
    #endif
    _ = bytes.withUnsafeBytes { systemSend(connection, $0.baseAddress, $0.count, noSignal) }
    shutdown(connection, Int32(SHUT_WR))
  }
}

// Inside the type, these names refer to its own functions.
private let systemRead = read(_:_:_:)
private let systemSend = send(_:_:_:_:)

extension [UInt8] {
  /// Whether all of a request's headers have been received.
  fileprivate var hasHead: Bool {
    let end = [UInt8]("\r\n\r\n".utf8)
    return count >= 4 && indices.dropLast(3).contains { self[$0..<($0 + 4)].elementsEqual(end) }
  }
}
