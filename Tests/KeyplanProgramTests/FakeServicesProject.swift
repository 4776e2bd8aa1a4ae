import Foundation
import TestTools
import Testing

/// A project whose keys come from, and go to, a fake of several services. It is our own: what it is worth is judged by the
/// vendors' clients elsewhere.
struct FakeServicesProject {
  let sandbox: ProgramSandbox
  /// Its own instance of the fake: `http://127.0.0.1:PORT/i/NAME`.
  let address: String

  private static let server = try? FixtureServer([
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "KeyplanRemoteTests/Fixtures/services.py").path
  ])

  init(_ manifest: (String) -> String) throws {
    let port = String(decoding: try #require(Self.server).greeting, as: UTF8.self)
    sandbox = try ProgramSandbox()
    address = "http://127.0.0.1:\(port)/i/\(UUID().uuidString)"
    sandbox.variables["FAKE_TOKEN"] = "good"
    sandbox.variables["COLUMNS"] = "300"
    try sandbox.write(manifest(address), to: "keyplan.yaml")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
  }

  var host: String { String(address.dropFirst(7).prefix { $0 != "/" }) }

  /// Sends a request to the fake, as somebody else who has the token.
  @discardableResult
  func send(_ method: String, _ path: String, _ body: String = "") throws -> String {
    let script = """
      import sys, urllib.request
      headers = {name: 'good' for name in ('private-token', 'circle-token', 'x-consul-token')}
      headers.update({'authorization': 'Bearer good', 'content-type': 'application/json'})
      data = sys.argv[3].encode() or None
      request = urllib.request.Request(sys.argv[2], data, headers, method=sys.argv[1])
      print(urllib.request.urlopen(request).read().decode())
      """
    let answer = try sandbox.start(["python3", "-c", script, method, address + path, body]).wait()
    try #require(answer.code == 0, "\(answer.err)")
    return answer.out
  }

  /// What the fake was asked since the last time: methods and paths.
  func requests() throws -> String { try send("GET", "/_/requests") }
}
