import KeyplanHTTP
import KeyplanReader
import Synchronization
import Testing

@testable import KeyplanReaderHTTP

@Suite("Keys over HTTPS")
struct HTTPKeysTests {
  private static let address = "https://keys.example.com/v1/{name}"

  /// Sources that get this answer, and what they asked.
  private func source(
    _ options: HTTPKeys.Options = .init(), answering answer: HTTPResponse
  ) throws -> (HTTPKeys, Sent) {
    let sent = Sent()
    let transport = SourceTransport { request throws(HTTPError) in
      sent.note(request)
      return answer
    }
    return (try HTTPKeys(Self.address, options, transport), sent)
  }

  private final class Sent: Sendable {
    private let requests = Mutex<[HTTPRequest]>([])
    func note(_ request: HTTPRequest) { requests.withLock { $0.append(request) } }
    var all: [HTTPRequest] { requests.withLock { $0 } }
  }

  private func body(_ text: String) -> SecretBox { SecretBox(Array(text.utf8)) }

  @Test("the body is the value, without one line feed, and its ETag makes the next request conditional")
  func plain() async throws {
    let (keys, sent) = try source(
      answering: HTTPResponse(status: 200, headers: ["ETag": "\"7\""], body: body("made-up\n")))
    guard case .value(let value) = await keys.read(.key(APIKeyName("maps")), known: nil) else {
      Issue.record("no value")
      return
    }
    #expect(value.value.withBytes { String(decoding: $0, as: UTF8.self) } == "made-up")
    #expect(value.version == "\"7\"")
    _ = await keys.read(.key(APIKeyName("maps")), known: "\"7\"")
    let headers = sent.all.map { request in request.headers.map(\.name) }
    #expect(headers == [[], ["If-None-Match"]])
    #expect(sent.all[0].address.text == "https://keys.example.com/v1/maps")
  }

  @Test(
    "a status says whether there is no key, whether it may not be read, or whether the service is unreachable",
    arguments: [
      (404, "notFound"), (410, "notFound"), (401, "denied"), (403, "denied"), (400, "backend"), (302, "backend"),
      (204, "backend"), (408, "unreachable"), (429, "unreachable"), (500, "unreachable"), (503, "unreachable"),
      (304, "backend"),
    ])
  func status(_ status: Int, meaning: String) async throws {
    let (keys, _) = try source(answering: HTTPResponse(status: status, headers: ["Retry-After": "90"]))
    switch await keys.read(.key(APIKeyName("maps")), known: nil) {
    case .refused(let reason, _, _): #expect(reason.rawValue == meaning)
    case .unreachable(_, let pause):
      #expect(meaning == "unreachable")
      #expect(pause == .seconds(90))
    case .value, .unchanged: Issue.record("\(status) is not a value")
    }
    if status == 304 {
      guard case .unchanged = await keys.read(.key(APIKeyName("maps")), known: "1") else {
        Issue.record("304 confirms what is known")
        return
      }
    }
  }

  @Test(
    "a pointer leads to a string in JSON; anything else is an error",
    arguments: [
      (#"{"data":{"keys":["a","b"]}}"#, "b"), (#"{"data":{"keys":["a"]}}"#, "missingField"),
      (#"{"data":{"keys":["a",""]}}"#, "missingField"), (#"{"data":{"keys":["a",1]}}"#, "missingField"),
      (#"{"data":{"keys":{"1":"c"}}}"#, "c"), ("<html>", "backend"), (#"{"data""#, "backend"),
    ])
  func pointer(_ text: String, result: String) async throws {
    var options = HTTPKeys.Options()
    options.pointer = "/data/keys/1"
    let (keys, _) = try source(options, answering: HTTPResponse(status: 200, body: body(text)))
    switch await keys.read(.key(APIKeyName("maps")), known: nil) {
    case .value(let value): #expect(value.value.withBytes { String(decoding: $0, as: UTF8.self) } == result)
    case .refused(let reason, let detail, _):
      #expect(reason.rawValue == result)
      #expect(!detail.contains(text))
    case .unreachable, .unchanged: Issue.record("\(text)")
    }
  }

  @Test("a web page or an empty body is not a value")
  func pages() async throws {
    for (headers, text, reason) in [
      (["Content-Type": "text/html; charset=utf-8"], "<p>Sign in</p>", KeyError.Reason.backend),
      ([:], "", .missingField), ([:], "\n", .missingField),
    ] as [([String: String], String, KeyError.Reason)] {
      let (keys, _) = try source(answering: HTTPResponse(status: 200, headers: headers, body: body(text)))
      guard case .refused(reason, _, _) = await keys.read(.key(APIKeyName("maps")), known: nil) else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test("a name is one segment of the path, whatever is in it", arguments: ["a/b", "a?b=c", "a b", "é", "a%2Fb"])
  func names(_ name: String) async throws {
    let (keys, sent) = try source(answering: HTTPResponse(status: 404))
    _ = await keys.read(.key(APIKeyName(name)), known: nil)
    let path = try #require(sent.all.first).address.text.dropFirst("https://keys.example.com/v1/".count)
    #expect(path.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && (0x21...0x7E).contains($0) })
  }

  @Test("dot segments send nothing", arguments: ["..", "a/../b", "a\\..", ""])
  func dots(_ name: String) async throws {
    let (keys, sent) = try source(answering: HTTPResponse(status: 404))
    guard case .refused(.notFound, _, _) = await keys.read(.key(APIKeyName(name)), known: nil) else {
      Issue.record("\(name)")
      return
    }
    #expect(sent.all.isEmpty)
  }

  @Test(
    "an address in clear text to another machine, or without a place for the name, is refused",
    arguments: [
      "http://keys.example.com/{name}", "https://keys.example.com/", "{name}", "ftp://x/{name}", "https://u:p@h/{name}",
    ])
  func addresses(_ address: String) {
    #expect(throws: KeyError.self) { try HTTPKeys(address) }
  }

  @Test("an access token is asked for with each request; if there is none, nothing is sent")
  func bearer() async throws {
    struct NoToken: Error {}
    let count = Atomic(0)
    var options = HTTPKeys.Options()
    options.bearer = {
      guard count.wrappingAdd(1, ordering: .relaxed).newValue < 3 else { throw NoToken() }
      return SecretBox(Array("token".utf8))
    }
    let (keys, sent) = try source(options, answering: HTTPResponse(status: 200, body: body("v")))
    for _ in 0..<2 { _ = await keys.read(.key(APIKeyName("maps")), known: nil) }
    guard case .refused(.denied, _, _) = await keys.read(.key(APIKeyName("maps")), known: nil) else {
      Issue.record("a request without a token")
      return
    }
    #expect(sent.all.map { $0.headers.map(\.name) } == [["Authorization"], ["Authorization"]])
  }
}
