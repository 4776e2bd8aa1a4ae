import Foundation
import KeyplanHTTP
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A real OpenBao, which ends with the process that started it.
final class OpenBao: Sendable {
  private struct Greeting: Decodable {
    let address: String
    let unseal: String
    let authority: String?
  }

  let address: String
  /// The key that unseals it.
  let unsealKey: String
  /// The file with the certificate of its authority.
  let authority: String?
  let scratch: Scratch
  private let server: FixtureServer
  private let client: HTTPClient

  /// The one that most tests share, each with mounts of its own.
  static let shared = Result { try OpenBao() }
  static let sharedTLS = Result { try OpenBao(tls: true) }

  static var program: String? { OpenBaoProgram.path }

  /// Whether its tests run: in CI nothing is skipped.
  static var isHere: Bool { program != nil || ProcessInfo.processInfo.environment["CI"] != nil }

  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  init(tls: Bool = false) throws {
    scratch = try Scratch()
    let words = [Self.fixtures.appending(path: "openbao.py").path, try #require(Self.program), scratch.path]
    server = try FixtureServer(words + (tls ? ["tls"] : []))
    let greeting = try JSONDecoder().decode(Greeting.self, from: server.greeting)
    address = greeting.address
    unsealKey = greeting.unseal
    authority = greeting.authority
    var settings = HTTPSettings()
    settings.deadline = .seconds(600)
    settings.authorities = authority
    client = HTTPClient(settings)
  }

  /// A fake of Kubernetes, with the certificate of its authority.
  static func kubernetes(in scratch: Scratch) throws -> (server: FixtureServer, address: String, authority: String) {
    let (key, certificate) = (scratch["kubernetes.key"], scratch["kubernetes.pem"])
    try certify(key: key, certificate: certificate, options: ["-addext", "subjectAltName=IP:127.0.0.1"])
    let server = try FixtureServer([fixtures.appending(path: "tokenreview.py").path, certificate, key])
    let port = String(decoding: server.greeting, as: UTF8.self)
    return (server, "https://127.0.0.1:\(port)", try String(contentsOfFile: certificate, encoding: .utf8))
  }

  /// Makes a certificate that signs itself.
  static func certify(key: String, certificate: String, options: [String] = []) throws {
    let status = try Child.answer(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=keyplan-test", "-keyout", key, "-out", certificate,
      ] + options
    ).status
    try #require(status == 0)
  }

  /// What the server answered.
  struct Answer {
    let status: Int
    let data: Data

    /// A text below the top level.
    func text(_ names: String...) -> String {
      var found = try? JSONSerialization.jsonObject(with: data)
      for name in names { found = (found as? [String: Any])?[name] }
      return found.map { "\($0)" } ?? ""
    }
  }

  /// Sends a request as root, unless a token or none is given.
  @discardableResult
  func request(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = "root",
    headers: [String: String] = [:]
  ) async throws -> Answer {
    var request = HTTPRequest(method, try HTTPAddress("\(address)/v1/\(path)"))
    if let token { try request.add("X-Vault-Token", .open(token)) }
    for (name, value) in headers { try request.add(name, .open(value)) }
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0.utf8))) }
    let response = try await client.send(request)
    return Answer(status: response.status, data: response.body.withBytes { Data($0) })
  }

  /// The same, where it must succeed. A new key-value engine of version 2 refuses writes until it has set itself up, which is after
  /// the answer to the request that mounts it.
  @discardableResult
  func make(
    _ path: String, _ body: String = "{}", method: HTTPRequest.Method = .post, headers: [String: String] = [:]
  ) async throws -> Answer {
    var answer = try await request(method, path, body, headers: headers)
    for _ in 0..<200 where String(decoding: answer.data, as: UTF8.self).contains("Upgrading from non-versioned") {
      try await Task.sleep(for: .milliseconds(50))
      answer = try await request(method, path, body, headers: headers)
    }
    try #require((200..<300).contains(answer.status), "\(path): \(String(decoding: answer.data, as: UTF8.self))")
    return answer
  }

  /// Mounts a key-value engine at a path of its own.
  func mount(_ version: Int, below folder: String = "") async throws -> String {
    let path = "\(folder)kv\(version)-\(UUID().uuidString.prefix(8).lowercased())"
    try await make("sys/mounts/\(path)", #"{"type":"kv","options":{"version":"\#(version)"}}"#)
    // A versioned engine is made from one without versions, and refuses requests until that is done.
    for _ in 0..<3000 {
      let answer = try await request(.get, "\(path)/\(version == 1 ? "none" : "config")")
      guard answer.status == 400 else { return path }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("\(path) was not ready in time")
    return path
  }

  /// A token with these rights.
  func token(_ policy: String, ttl: String = "1h", isDefault: Bool = true) async throws -> String {
    let name = "policy-\(UUID().uuidString.lowercased())"
    let body = try JSONSerialization.data(withJSONObject: ["policy": policy])
    try await make("sys/policies/acl/\(name)", String(decoding: body, as: UTF8.self))
    let created = try await make(
      "auth/token/create", #"{"policies":["\#(name)"],"ttl":"\#(ttl)","no_default_policy":\#(!isDefault)}"#)
    return created.text("auth", "client_token")
  }

  /// Writes a secret of either version.
  func put(_ mount: String, _ path: String, _ fields: String) async throws {
    let isSecond = mount.contains("kv2-")
    let path = path.split(separator: "/").map { PathSegment.encode(String($0)) }.joined(separator: "/")
    try await make("\(mount)/\(isSecond ? "data/" : "")\(path)", isSecond ? #"{"data":\#(fields)}"# : fields)
  }

  /// The fields of a secret of either version.
  func fields(_ mount: String, _ path: String) async throws -> [String: String] {
    let isSecond = mount.contains("kv2-")
    let answer = try await request(.get, "\(mount)/\(isSecond ? "data/" : "")\(path)")
    let object = try JSONSerialization.jsonObject(with: answer.data) as? [String: Any]
    let data = object?["data"] as? [String: Any]
    return (isSecond ? data?["data"] as? [String: Any] : data)?.mapValues { "\($0)" } ?? [:]
  }
}
