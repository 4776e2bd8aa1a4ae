import Foundation
import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Even where a description's rules for names and fields are ignored, no value changes what a request is.
@Suite struct InjectionTests {
  private static let evil = [
    "../../admin", "..", ".", "a/../b", "a%2Fb", "%2e%2e", "..%2F..", "a?x=1", "a#f", "a&filter[environment_scope]=*",
    "a\"},\"b\":{\"", "a\\", "..\\..", "a\r\nX-Evil: 1", "a\0b", "{name}", "{value}", "${x}", "a;b", "a:addVersion",
    "é", "🔑",
    "a b", "", "a,b", "*", "__proto__", "a'b", "\u{2028}", "constructor", "0", "null", "true", "//evil.example/",
    "@evil",
    "https://evil.example", String(repeating: "a", count: 5000),
  ]

  private static let canary = "canary-7f3a91"

  /// What must be the same whatever the values are.
  private struct Shape: Equatable {
    let method: String
    let origin: String
    let segments: Int
    let parameters: [String]
    let headers: [String]
    let body: [String]?
  }

  @Test("no value of a variable changes a request's shape", arguments: BuiltInServices.names)
  func shapes(name: String) throws {
    let api = try #require(try BuiltInServices.api(name))
    var made = 0
    for request in api.requests {
      let good = try Self.shape(of: request.value, api, Self.bindings(api))
      for variable in request.value.variables.union(api.base.variables).sorted() {
        for evil in Self.evil {
          var bindings = Self.bindings(api)
          // An address is checked when it is given, and a path is several segments.
          if case .ready = bindings[variable] { continue }
          if case .path = bindings[variable] { continue }
          switch bindings[variable] {
          case .secret: bindings[variable] = .secret(SecretBox(Array(evil.utf8)))
          case .list: bindings[variable] = .list([evil])
          default: bindings[variable] = .text(evil)
          }
          // A request that is refused changes nothing.
          guard let shape = try? Self.shape(of: request.value, api, bindings) else { continue }
          #expect(shape == good, "\(request.name), {\(variable)}: \(evil.prefix(40))")
          made += 1
        }
      }
    }
    #expect(made > 100)
  }

  @Test(
    "what would continue the host's name is not sent",
    arguments: [".evil.example/x", ":1/x", "@evil.example/", "x", "{project}"])
  func hosts(path: String) throws {
    var api = SecretAPI(name: "test")
    api.base = try Template("https://service.example")
    var bindings = Bindings()
    bindings["project"] = .text(".evil.example")
    let builder = try RequestBuilder(api, bindings)
    let request = SecretAPI.Request(.get, try Template(path))
    #expect(throws: RequestFault.address) {
      try builder.request(request, bindings, signedBy: nil, isRepeatable: true, at: 0)
    }
  }

  @Test("no value is in an address", arguments: BuiltInServices.names)
  func addresses(name: String) throws {
    let api = try #require(try BuiltInServices.api(name))
    let bindings = Self.bindings(api)
    for request in api.requests {
      let made = try Self.make(request.value, api, bindings)
      #expect(!made.address.text.contains(Self.canary), "\(request.name)")
      #expect(!made.description.contains(Self.canary) && !"\(made)".contains(Self.canary))
    }
  }

  private static func make(_ request: SecretAPI.Request, _ api: SecretAPI, _ bindings: Bindings) throws -> HTTPRequest {
    var item = SetItem(name: "NAME")
    for name in ["name", "value", "id", "before", "present"] { item.bindings[name] = bindings[name] }
    let sets: ItemSets = [.writes: [item], .all: [item], .names: [item]]
    return try RequestBuilder(api, bindings).request(
      request, bindings, sets, signedBy: api.auth.first?.credential, isRepeatable: true, at: 0)
  }

  private static func shape(of request: SecretAPI.Request, _ api: SecretAPI, _ bindings: Bindings) throws -> Shape {
    let made = try make(request, api, bindings)
    let parts = try #require(URLComponents(string: made.address.text))
    #expect(parts.fragment == nil && parts.user == nil)
    #expect(!parts.path.split(separator: "/").contains { $0 == "." || $0 == ".." })
    for header in made.headers {
      guard case .open(let text) = header.value else { continue }
      #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }
    return Shape(
      method: made.method.rawValue, origin: "\(made.address.scheme)://\(made.address.host):\(made.address.port ?? 0)",
      segments: parts.percentEncodedPath.count { $0 == "/" }, parameters: (parts.queryItems ?? []).map(\.name),
      headers: made.headers.map(\.name), body: try made.body.map { try shape(of: $0, api, bindings) })
  }

  /// The pointers to all values of a body; names that are values count as one.
  private static func shape(of body: HTTPBody, _ api: SecretAPI, _ bindings: Bindings) throws -> [String] {
    guard body.type != "application/octet-stream" else { return [] }
    guard body.type != "application/x-www-form-urlencoded" else {
      return body.bytes.text.split(separator: "&").map { String($0.prefix { $0 != "=" }) }
    }
    let answer = try #require(JSONAnswer(body.bytes))
    func pointers(_ node: JSONNode) -> [String] {
      switch node.content {
      case .array(let elements): elements.flatMap { pointers($0).map { "/*\($0)" } }
      case .object(let members):
        members.flatMap { member in
          let isName = api.requests.allSatisfy { !"\($0.value.body, default: "")".contains("\"\(member.name)\"") }
          return pointers(member.value).map { "/\(isName ? "NAME" : member.name)\($0)" }
        }
      default: [""]
      }
    }
    return pointers(answer.root)
  }

  private static func bindings(_ api: SecretAPI) -> Bindings {
    var bindings = Bindings()
    for field in api.connection + api.target {
      switch field.kind {
      case .url: bindings[field.name] = .ready("https://service.example")
      case .label: bindings[field.name] = .ready("label")
      case .path: bindings[field.name] = .path(["a", "b"])
      case .secret, .jwt: bindings[field.name] = .secret(SecretBox(Array(canary.utf8)))
      case .bool: bindings[field.name] = .bool(true)
      case .int: bindings[field.name] = .number("1")
      case .list: bindings[field.name] = .list(["x"])
      case .json: bindings[field.name] = .json(.array([]))
      case .name, .text: bindings[field.name] = .text("x")
      }
    }
    let writes = [api.put, api.create, api.update, api.delete].flatMap { $0?.yields ?? [] }
    let yields = api.lookups.flatMap(\.yields) + writes + (api.putMany?.yields ?? [])
    for yield in yields { bindings[yield.name] = .text("x") }
    for value in api.places.flatMap(\.values) { bindings[value.name] = .text("x") }
    // A public key, of which GitHub's sealed boxes are made.
    bindings["publicKey"] = .text("j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8=")
    for yield in api.auth.flatMap(\.login).flatMap(\.yields) {
      bindings[yield.name] = .secret(SecretBox(Array(canary.utf8)))
    }
    for name in ["name", "id", "version", "present"] { bindings[name] = .text("x") }
    for name in ["value", "before"] { bindings[name] = .secret(SecretBox(Array(canary.utf8))) }
    bindings["names"] = .list(["x"])
    if !api.places.isEmpty { bindings["place"] = .ready("/place") }
    return bindings
  }
}
