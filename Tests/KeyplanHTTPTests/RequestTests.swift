import Foundation
import KeyplanSecrets
import Testing

@testable import KeyplanHTTP

@Suite struct RequestTests {
  @Test("a form is encoded as browsers do it, secrets as well")
  func form() {
    let body = HTTPBody.form([
      ("grant_type", .open("refresh_token")), ("refresh_token", .secret(SecretBox(text: "1//a+b/c=~é&"))),
      ("scope", .open("a b")), ("", .open("-._")),
    ])
    let text = body.bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    #expect(text == "grant_type=refresh_token&refresh_token=1%2F%2Fa%2Bb%2Fc%3D%7E%C3%A9%26&scope=a+b&=-._")
    #expect(body.type == "application/x-www-form-urlencoded")
    #expect(HTTPBody.form([]).bytes.count == 0)
  }

  @Test("a value that would end its line cannot be a header")
  func injection() throws {
    var request = HTTPRequest(.get, try HTTPAddress("https://api.example.com/?q=hidden"))
    for value in ["a\r\nX-Evil: 1", "a\n", "a\r", "a\0b", "a\u{7F}"] {
      #expect(throws: HTTPError(.header(name: "X-Key"), at: "api.example.com")) {
        try request.add("X-Key", .secret(SecretBox(text: value)))
      }
      #expect(throws: HTTPError.self) { try request.add("X-Key", .open(value)) }
    }
    for name in ["", "X Key", "X-Key:", "X\r\nY", "Ü"] {
      #expect(throws: HTTPError.self) { try request.add(name, .open("a")) }
    }
    #expect(request.headers.isEmpty)
  }

  @Test(
    "a user name and a password are sent as RFC 7617 has it",
    arguments: [
      ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("", "", "Og=="), ("a", "b:c", "YTpiOmM="),
      ("test", "123\u{A3}", "dGVzdDoxMjPCow=="), ("ab", "cd\n", "YWI6Y2QK"),
    ])
  func basic(user: String, password: String, text: String) throws {
    var request = HTTPRequest(.get, try HTTPAddress("https://api.example.com"))
    try request.authorize(user: user, password: SecretBox(text: password))
    guard case .secret(let sent, let prefix)? = request.headers.first?.value else {
      Issue.record("no secret header")
      return
    }
    #expect(prefix + sent.withBytes { String(decoding: $0, as: UTF8.self) } == "Basic " + text)
    #expect(throws: HTTPError.self) { try request.authorize(user: "a:b", password: SecretBox(text: "c")) }
  }

  @Test("nothing of a request or a response is shown but method, address and status")
  func redacted() throws {
    var request = HTTPRequest(.post, try HTTPAddress("https://api.example.com/v1?key=canary"))
    try request.authorize(bearer: SecretBox(text: "canary"))
    try request.add("X-Open", .open("canary"))
    request.body = .form([("token", .open("canary"))])
    let response = HTTPResponse(status: 200, headers: ["X": "canary"], body: SecretBox(text: "canary"))
    for value in [request, response, request.body as Any, request.headers[1].value] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("canary"))
    }
    #expect("\(request)" == "POST https://api.example.com/v1")
    #expect("\(response)" == "HTTP 200")
  }

  @Test("only what its method promises may be sent twice, unless the caller knows more")
  func repeatable() throws {
    let address = try HTTPAddress("https://a")
    #expect([.get, .put, .delete].allSatisfy { HTTPRequest($0, address).isRepeatable })
    #expect([.post, .patch].allSatisfy { !HTTPRequest($0, address).isRepeatable })
  }

  @Test("the last of equal headers counts, in any case, without the space around it")
  func responseHeaders() {
    let head = "HTTP/1.1 200 OK\r\nX-A:1\r\nx-a: \t two words \t\r\nno colon\r\nEmpty:\r\n\r\n"
    let response = head.utf8.withContiguousStorageIfAvailable {
      HTTPResponse(status: 200, head: UnsafeRawBufferPointer($0), body: SecretBox([]))
    }
    #expect(response?.header("X-A") == "two words")
    #expect(response?.header("EMPTY") == "")
    #expect(response?.header("no colon") == nil)
  }
}
