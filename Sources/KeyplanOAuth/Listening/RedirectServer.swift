import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The wait itself. Browsers open connections before they need them, so several are heard side by side.
struct RedirectServer: Sendable {
  let socket: LoopbackSocket
  let signIn: SignIn
  /// Readable as soon as the wait is to end.
  let wake: Int32
  let limit: Duration
  let misread: @Sendable () -> Void
  private var connections: [(descriptor: Int32, bytes: [UInt8])] = []
  private var typed: [UInt8] = []

  private static let visitLimit = 16

  init(
    socket: LoopbackSocket, signIn: SignIn, wake: Int32, limit: Duration, misread: @escaping @Sendable () -> Void
  ) {
    self.socket = socket
    self.signIn = signIn
    self.wake = wake
    self.limit = limit
    self.misread = misread
  }

  mutating func keep(_ terminal: Int32?) -> SignInListener.Ending {
    defer { for visit in connections { close(visit.descriptor) } }
    var terminal = terminal
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
      let left = (deadline - clock.now) / .milliseconds(1)
      guard left > 0 else { return .timedOut }
      // A negative descriptor is passed over.
      let heard = [wake, socket.descriptor, terminal ?? -1] + connections.map(\.descriptor)
      var polled = heard.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&polled, nfds_t(polled.count), Int32(min(left, 60000).rounded(.up))) >= 0 else {
        guard errno == EINTR else { return .failed(ListeningError(errno)) }
        continue
      }
      if polled[0].revents != 0 { return .cancelled }
      if let open = terminal, polled[2].revents != 0 {
        switch hear(terminal: open) {
        case .ended(let ending): return ending
        case .closed: terminal = nil
        case .open: break
        }
      }
      for ready in polled.dropFirst(3) where ready.revents != 0 {
        if let ending = hear(connection: ready.fd) { return ending }
      }
      if polled[1].revents != 0, let connection = socket.connection() {
        if connections.count == Self.visitLimit { close(connections.removeFirst().descriptor) }
        connections.append((connection, []))
      }
    }
  }

  private enum Terminal {
    case open, closed
    case ended(SignInListener.Ending)
  }

  private mutating func hear(terminal: Int32) -> Terminal {
    guard let bytes = Self.read(from: terminal), !bytes.isEmpty else { return .closed }
    typed += bytes
    // Long lines of a terminal end at 4096 bytes anyway.
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

  private mutating func hear(connection: Int32) -> SignInListener.Ending? {
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

  /// `nil` once there will be nothing more.
  private static func read(from descriptor: Int32) -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = room.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(room[..<count]) : nil
    }
  }

  /// It is shorter than what any socket takes at once.
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

// Inside the type these names are its own.
private let systemRead = read(_:_:_:)
private let systemSend = send(_:_:_:_:)

extension [UInt8] {
  /// Whether a request's headers are all there.
  fileprivate var hasHead: Bool {
    let end = [UInt8]("\r\n\r\n".utf8)
    return count >= 4 && indices.dropLast(3).contains { self[$0..<($0 + 4)].elementsEqual(end) }
  }
}
