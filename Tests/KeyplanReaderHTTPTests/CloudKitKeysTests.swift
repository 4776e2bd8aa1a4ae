import Foundation
import KeyplanHTTP
import KeyplanReader
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanReaderHTTP

/// A container of the fake of CloudKit Web Services, which checks signatures with OpenSSL through Python's `cryptography`.
private struct Container {
  private static let server = try? FixtureServer([
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "KeyplanRemoteTests/Fixtures/cloudkit.py").path
  ])

  private struct Key: Decodable { let sec1: String }

  let name = "iCloud.test.\(UUID().uuidString)"
  private let root: String
  private let pem: String

  init() async throws {
    let server = try #require(Self.server)
    root = "http://127.0.0.1:\(String(decoding: server.greeting, as: UTF8.self))"
    pem = try JSONDecoder().decode(Key.self, from: await Self.send(.get, "\(root)/_/key")).sec1
  }

  var serverKey: CloudKitKeys.Credential { .serverKey(id: "0123abcd", pem: SecretBox(Array(pem.utf8))) }

  func keys(_ credential: CloudKitKeys.Credential? = nil) throws -> CloudKitKeys {
    try CloudKitKeys(
      container: name, environment: .development, credential ?? serverKey, records: .init(), at: root,
      SourceTransport(authorities: nil))
  }

  func control(_ command: String, _ json: String) async throws {
    try await Self.send(.post, "\(root)/_/\(name)/\(command)", json)
  }

  func put(_ record: String, _ name: String, _ value: String?) async throws {
    let field = value.map { #","key":{"value":"\#($0)","type":"STRING"}"# } ?? ""
    try await control(
      "put",
      #"{"recordName":"\#(record)","recordType":"Keys","fields":{"name":{"value":"\#(name)","type":"STRING"}\#(field)}}"#
    )
  }

  @discardableResult
  private static func send(_ method: HTTPRequest.Method, _ address: String, _ body: String? = nil) async throws -> Data
  {
    var request = HTTPRequest(method, try HTTPAddress(address))
    request.body = body.map { HTTPBody(type: "application/json", SecretBox(Array($0.utf8))) }
    return try await HTTPClient().send(request).body.withBytes { Data($0) }
  }
}

extension APIKeyName {
  fileprivate static let weather = APIKeyName("openWeatherMap")
}

@Suite("Keys in a CloudKit container")
struct CloudKitKeysTests {
  private func text(_ answer: KeySourceAnswer) -> (text: String, version: String)? {
    guard case .value(let value) = answer else { return nil }
    return (value.value.withBytes { String(decoding: $0, as: UTF8.self) }, value.version ?? "")
  }

  private func reason(_ answer: KeySourceAnswer) -> String {
    switch answer {
    case .value: "value"
    case .unchanged: "unchanged"
    case .refused(let reason, _, _): reason.rawValue
    case .unreachable: "unreachable"
    }
  }

  @Test("a record is read with a server-to-server key and with an API token, and is unchanged until it is written")
  func reads() async throws {
    let container = try await Container()
    try await container.put("r1", "openWeatherMap", "made-up-1")
    let keys = try container.keys()
    let first = try #require(text(await keys.read(.key(.weather), known: nil)))
    #expect(first.text == "made-up-1")
    #expect(reason(await keys.read(.key(.weather), known: first.version)) == "unchanged")
    try await container.put("r1", "openWeatherMap", "made-up-2")
    let second = try #require(text(await keys.read(.key(.weather), known: first.version)))
    #expect(second.text == "made-up-2" && second.version != first.version)
    let token = try container.keys(.apiToken(SecretBox(Array("good".utf8))))
    #expect(text(await token.read(.key(.weather), known: nil))?.text == "made-up-2")
  }

  @Test("no record, several, and one without a value are told apart")
  func missing() async throws {
    let container = try await Container()
    let keys = try container.keys()
    #expect(reason(await keys.read(.key(.weather), known: nil)) == "notFound")
    try await container.put("r1", "openWeatherMap", nil)
    #expect(reason(await keys.read(.key(.weather), known: nil)) == "missingField")
    try await container.put("r2", "openWeatherMap", "made-up")
    #expect(reason(await keys.read(.key(.weather), known: nil)) == "backend")
  }

  @Test(
    "a wrong credential is denied, and an error of the service with a pause is an outage, in a container and in a record"
  )
  func errors() async throws {
    let container = try await Container()
    try await container.put("r1", "openWeatherMap", "made-up")
    let stranger = try container.keys(.apiToken(SecretBox(Array("bad".utf8))))
    #expect(reason(await stranger.read(.key(.weather), known: nil)) == "denied")
    for (status, code, meaning) in [
      (429, "THROTTLED", "unreachable"), (503, "TRY_AGAIN_LATER", "unreachable"), (403, "ACCESS_DENIED", "denied"),
      (404, "NOT_FOUND", "backend"), (500, "INTERNAL_ERROR", "unreachable"),
    ] {
      let body = #"{\"serverErrorCode\":\"\#(code)\",\"retryAfter\":30,\"reason\":\"private words\"}"#
      try await container.control("fault", #"{"status":\#(status),"headers":{},"body":"\#(body)","times":1}"#)
      let answer = try await container.keys().read(.key(.weather), known: nil)
      #expect(reason(answer) == meaning, "\(code)")
      if case .unreachable(let detail, let pause) = answer {
        #expect(pause == .seconds(30) && !detail.contains("private"))
      }
    }
    try await container.control("fault", #"{"status":502,"headers":{},"body":"<html>","times":1}"#)
    #expect(reason(try await container.keys().read(.key(.weather), known: nil)) == "unreachable")
  }

  @Test("a reader serves the last value while the container cannot be reached, and nothing once the record is gone")
  func reader() async throws {
    let container = try await Container()
    try await container.put("r1", "openWeatherMap", "made-up")
    var options = ReaderOptions()
    options.cache = .memory
    let reader = KeyReader(try container.keys(), options: options)
    #expect(try await reader.key(.weather).freshness == .fresh)
    try await container.control("fault", #"{"status":503,"headers":{},"body":"","times":1}"#)
    guard case .stale = try await reader.key(.weather, maximumAge: .zero).freshness else {
      Issue.record("not stale")
      return
    }
    let other = KeyReader(try container.keys(), options: options)
    _ = try await other.key(.weather)
    try await container.control("recover", "{}")
    try await container.control("fault", #"{"status":200,"headers":{},"body":"{\"records\":[]}","times":2}"#)
    await #expect(throws: KeyError.self) { try await other.key(.weather, maximumAge: .zero) }
    #expect(other.held(.key(.weather)) == nil)
  }

  @Test("a slot, an account and a key that is not P-256 are refused before anything is sent")
  func refused() async throws {
    let container = try await Container()
    #expect(reason(try await container.keys().read(.active(SlotName("assistant")), known: nil)) == "notFound")
    #expect(throws: KeyError.self) { try container.keys(.serverKey(id: "1", pem: SecretBox(Array("no key".utf8)))) }
  }
}
