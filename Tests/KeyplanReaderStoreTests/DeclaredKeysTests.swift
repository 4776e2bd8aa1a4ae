import Foundation
import KeyplanHTTP
import KeyplanReader
import KeyplanReaderStore
import KeyplanSecrets
import TestTools
import Testing

/// A manifest in a folder of its own.
private struct Deployed {
  let scratch: Scratch
  var manifest: String { scratch.path + "/keyplan.yaml" }

  init(_ manifest: String, files: [String: String] = [:]) throws {
    scratch = try Scratch()
    for (name, text) in files.merging(["keyplan.yaml": "version: 1\n" + manifest]) { $1 } { try write(text, to: name) }
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: scratch.path + "/" + name))
  }

  func reader(_ place: DeclaredKeys.Place = .sources) throws -> KeyReader {
    var options = ReaderOptions()
    options.cache = .memory
    // On a busy machine other tests hold Swift's threads for long.
    options.timeout = .seconds(600)
    return KeyReader(try DeclaredKeys(place, manifest: manifest), options: options)
  }
}

extension APIKey {
  fileprivate var text: String { value.withBytes { String(decoding: $0, as: UTF8.self) } }
}

@Suite("Keys of a manifest, without a store")
struct DeclaredKeysTests {
  private static let manifest = """
    keys:
      maps:
        provider: generic
        source: ["dotenv://.env#MAPS", "file://maps.txt"]
        cache: { fresh: 1s, stale: 2h }
      spare: { provider: generic, source: file://spare.txt }
      stored: { provider: generic }
    active: { main: [spare, maps] }
    targets:
      app: { type: dotenv, path: .env.local, keys: { MAPS_KEY: maps, MAIN: active.main } }
    """

  private func reason(_ read: () async throws(KeyError) -> APIKey) async -> KeyError.Reason? {
    do throws(KeyError) {
      _ = try await read()
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("the sources are asked in their order, and of a slot the first key that has a value")
  func sources() async throws {
    let deployed = try Deployed(Self.manifest, files: [".env": "OTHER=1\n", "maps.txt": "made-up-1\n"])
    let reader = try deployed.reader()
    let key = try await reader.key(APIKeyName("maps"))
    #expect(key.text == "made-up-1" && key.provider == "generic")
    #expect(try await reader.active(SlotName("main")).name == "maps")
    try deployed.write("MAPS=made-up-2\n", to: ".env")
    #expect(try await reader.key(APIKeyName("maps"), maximumAge: .zero).text == "made-up-2")
    #expect(await reason { () throws(KeyError) in try await reader.key(APIKeyName("spare")) } == .notFound)
    #expect(await reason { () throws(KeyError) in try await reader.key(APIKeyName("stored")) } == .notFound)
    #expect(await reason { () throws(KeyError) in try await reader.key(APIKeyName("other")) } == .notFound)
    #expect(await reason { () throws(KeyError) in try await reader.accessToken(AccountName("work")) } == .notFound)
  }

  @Test("the ages are those of the manifest")
  func ages() throws {
    let deployed = try Deployed(Self.manifest)
    let ages = try DeclaredKeys(.sources, manifest: deployed.manifest).ages
    #expect(ages == [APIKeyName("maps"): CacheAges(fresh: .seconds(1), stale: .seconds(7200))])
  }

  @Test("a target has a key under the name that the manifest gives it; a slot is not read there")
  func targets() async throws {
    let deployed = try Deployed(Self.manifest, files: [".env.local": "MAPS_KEY=made-up\nMAIN=x\n"])
    let reader = try deployed.reader(.target("app"))
    #expect(try await reader.key(APIKeyName("maps")).text == "made-up")
    #expect(await reason { () throws(KeyError) in try await reader.key(APIKeyName("spare")) } == .notFound)
    #expect(await reason { () throws(KeyError) in try await reader.active(SlotName("main")) } == .notFound)
    let other = try deployed.reader(.target("ap"))
    #expect(await reason { () throws(KeyError) in try await other.key(APIKeyName("maps")) } == .notFound)
  }

  @Test("what cannot be read is no missing key")
  func unreadable() async throws {
    let deployed = try Deployed(Self.manifest, files: [".env": "MAPS='never ends\n"])
    let reader = try deployed.reader()
    #expect(await reason { () throws(KeyError) in try await reader.key(APIKeyName("maps")) } == .backend)
    #expect(throws: KeyError.self) { try DeclaredKeys(.sources, manifest: deployed.scratch.path + "/none.yaml") }
    try deployed.write("version: 1\nkeys: { a: }\n", to: "keyplan.yaml")
    #expect(throws: KeyError.self) { try DeclaredKeys(.sources, manifest: deployed.manifest) }
  }

  @Test(
    "OpenBao: a value, another version of it, a missing one, a rejected token and an outage",
    .enabled(
      if: OpenBaoProgram.path != nil || ProcessInfo.processInfo.environment["CI"] != nil,
      "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
  func openBao() async throws {
    let folder = try Scratch()
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let script = fixtures.appending(path: "KeyplanRemoteTests/Fixtures/openbao.py").path
    let server = try FixtureServer([script, try #require(OpenBaoProgram.path, "run make setup-test"), folder.path])
    let greeting = try JSONSerialization.jsonObject(with: server.greeting) as? [String: String]
    let address = try #require(greeting?["address"])
    func put(_ value: String) async throws {
      var request = HTTPRequest(.post, try HTTPAddress("\(address)/v1/secret/data/maps"))
      try request.add("X-Vault-Token", .open("root"))
      request.body = HTTPBody(type: "application/json", SecretBox(Array(#"{"data":{"key":"\#(value)"}}"#.utf8)))
      #expect(try await HTTPClient().send(request).status == 200)
    }
    let deployed = try Deployed(
      """
      connections: { bao: { type: vault, address: "\(address)", token: file://token } }
      keys:
        maps: { provider: generic, source: "bao://secret/maps#key" }
        other: { provider: generic, source: "bao://secret/none#key" }
      """, files: ["token": "root\n"])
    let reader = try deployed.reader()
    try await put("made-up-1")
    #expect(try await reader.key(APIKeyName("maps")).text == "made-up-1")
    try await put("made-up-2")
    #expect(try await reader.key(APIKeyName("maps"), maximumAge: .zero).text == "made-up-2")
    #expect(await reason { () throws(KeyError) in try await reader.key(APIKeyName("other")) } == .notFound)
    let down = try Deployed(
      """
      connections: { bao: { type: vault, address: "http://127.0.0.1:1", token: file://token } }
      keys: { maps: { provider: generic, source: "bao://secret/maps#key" } }
      """, files: ["token": "root\n"])
    let unreachable = try down.reader()
    #expect(await reason { () throws(KeyError) in try await unreachable.key(APIKeyName("maps")) } == .unreachable)
    try deployed.write("wrong\n", to: "token")
    let refused = try deployed.reader()
    #expect(await reason { () throws(KeyError) in try await refused.key(APIKeyName("maps")) } == .denied)
    // Who may not read it is not served the last value either.
    let known = await reason { () throws(KeyError) in try await reader.key(APIKeyName("maps"), maximumAge: .zero) }
    #expect(known == .denied)
    withExtendedLifetime(server) {}
  }
}
