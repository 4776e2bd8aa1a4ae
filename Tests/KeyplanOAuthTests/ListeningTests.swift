import Foundation
import KeyplanHTTP
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanOAuth

@Suite("A listener on this machine")
struct ListeningTests {
  private let listener: SignInListener
  private let signIn: SignIn
  private var port: Int { listener.port }
  private static let patience = Duration.seconds(3000)

  init() throws {
    listener = try SignInListener()
    signIn = SignIn(
      OAuthClient(id: "id", at: try .google()), scopes: [], redirect: "http://127.0.0.1:\(listener.port)/",
      account: nil, again: false, verifier: SecretBox(text: "v"), state: SecretBox(text: "st-1"))
  }

  private func wait(
    within limit: Duration = patience, at terminal: Int32? = nil, misread: @escaping @Sendable () -> Void = {}
  ) -> Task<String, Never> {
    Task { [listener, signIn] in
      switch await listener.answer(to: signIn, pastedAt: terminal, within: limit, misread: misread) {
      case .code(let code): "code \(code.text)"
      case .refused(let refusal): refusal.short
      case .timedOut: "timed out"
      case .cancelled: "cancelled"
      case .failed(let error): "\(error)"
      }
    }
  }

  @Test("takes the answer of the browser, shows a page that names nothing of it, and listens no more")
  func code() async throws {
    let ending = wait()
    let page = try await Browser(port).send(
      "GET /?state=st-1&code=4%2F0Acanary HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
    ).answer()
    #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(page.contains("return to the terminal"))
    #expect(page.contains("Cache-Control: no-store") && page.contains("Referrer-Policy: no-referrer"))
    #expect(!page.contains("canary") && !page.contains("st-1"))
    #expect(await ending.value == "code 4/0Acanary")
  }

  @Test("takes no answer of another sign-in, host, path or method, and goes on waiting for its own")
  func strangers() async throws {
    let ending = wait()
    let right = "/?state=st-1&code=c"
    #expect(try await Browser.status(port, "GET /?state=other&code=c") == "400 Bad Request")
    #expect(try await Browser.status(port, "GET /?code=c") == "400 Bad Request")
    #expect(try await Browser.status(port, "GET /") == "404 Not Found")
    #expect(try await Browser.status(port, "GET /favicon.ico") == "404 Not Found")
    #expect(try await Browser.status(port, "GET /x\(right)") == "404 Not Found")
    #expect(try await Browser.status(port, "GET http://127.0.0.1:\(port)\(right)") == "404 Not Found")
    #expect(try await Browser.status(port, "POST \(right)") == "405 Method Not Allowed")
    #expect(try await Browser.status(port, "HEAD \(right)") == "405 Method Not Allowed")
    for host in ["evil.example:\(port)", "evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:\(port).evil.example"] {
      #expect(try await Browser.status(port, "GET \(right)", host: host) == "421 Misdirected Request", "\(host)")
    }
    #expect(
      try await Browser.status(port, "GET \(right)", more: "Host: evil.example\r\n") == "421 Misdirected Request")
    #expect(try await Browser(port).send("GET \(right) HTTP/1.1\r\n\r\n").answer().hasPrefix("HTTP/1.1 421"))
    #expect(try await Browser(port).send("nonsense\r\n\r\n").answer().hasPrefix("HTTP/1.1 400"))
    #expect(try await Browser(port).send("GET /\u{0}\r\n\r\n").answer().hasPrefix("HTTP/1.1 400"))
    #expect(try await Browser.status(port, "GET \(right)", host: "localhost:\(port)") == "200 OK")
    #expect(await ending.value == "code c")
  }

  @Test("is not held up by connections that say nothing, nor by a request without an end")
  func silent() async throws {
    let ending = wait()
    var idle: [Browser] = []
    for _ in 0..<40 { idle.append(try await Browser(port)) }
    let endless = try await Browser(port)
    let header = "X-Long: " + String(repeating: "x", count: 1000) + "\r\n"
    endless.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n")
    for _ in 0..<17 { endless.send(header) }
    // It may have been thrown out for those that came later, but it is never waited for.
    let told = await endless.answer()
    #expect(told.isEmpty || told.hasPrefix("HTTP/1.1 431"))
    let slow = try await Browser(port)
    slow.send("GET /?state=st-1&code=slow HTTP/1.1\r\nHost: 127.0")
    slow.send(".0.1:\(port)\r\n\r")
    slow.send("\n")
    #expect(await ending.value == "code slow")
    withExtendedLifetime(idle) {}
  }

  @Test("tells when the service says no")
  func refused() async throws {
    let ending = wait()
    #expect(try await Browser.status(port, "GET /?state=st-1&error=access_denied") == "200 OK")
    #expect(await ending.value == "denied access_denied")
  }

  @Test("takes the address from whoever pastes it, and says so when it is none")
  func pasted() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let misread = Mutex(0)
    let typing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    let ending = wait(at: ends[0]) { misread.withLock { $0 += 1 } }
    try typing.write(contentsOf: Data("hello\n".utf8))
    try typing.write(contentsOf: Data("\nhttp://127.0.0.1:1/?state=st-1".utf8))
    try typing.write(contentsOf: Data("&code=pasted\n".utf8))
    #expect(await ending.value == "code pasted")
    #expect(misread.withLock { $0 } <= 1)
  }

  @Test("goes on without the terminal when that is closed")
  func closedTerminal() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    close(ends[1])
    let ending = wait(at: ends[0])
    #expect(try await Browser.status(port, "GET /?state=st-1&code=c") == "200 OK")
    #expect(await ending.value == "code c")
    close(ends[0])
  }

  @Test("ends when it is cancelled, and when its time is over")
  func ends() async throws {
    let ending = wait()
    ending.cancel()
    #expect(await ending.value == "cancelled")
    #expect(await wait(within: .milliseconds(1)).value == "timed out")
  }

  @Test("listens on this machine alone")
  func loopback() throws {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = try LoopbackSocket()
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.descriptor, $0, &size) }
    }
    #expect(UInt32(bigEndian: address.sin_addr.s_addr) == 0x7F00_0001)
    #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }
}
