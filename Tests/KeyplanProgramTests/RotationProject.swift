import Foundation
import TestTools
import Testing

/// A project with a key that is made at a fake of providers and written to two targets, which the fake watches.
final class RotationProject {
  /// A key as the provider has it.
  struct Key: Decodable, Hashable {
    let id: String
    let name: String?
    let value: String
    let disabled: Bool
  }

  /// What the fake saw of the targets, at each request and every 10 ms.
  private struct Watched: Decodable {
    struct Broken: Decodable {
      let file: String
      let held: [String]
    }
    let looks: Int
    let broken: [Broken]
    let isArmed: Bool
  }

  /// A request at which the program is killed.
  struct Death: CustomStringConvertible {
    /// How many requests are sent before.
    let number: Int
    /// Whether it is processed, and only its answer lost.
    let isProcessed: Bool

    var description: String { "request \(number + 1), \(isProcessed ? "processed" : "not processed")" }
  }

  static let credential = "made-up-management-key-Yk7Qw2Vt9Lr4"
  static let targets = ["app.json", "web.json"]

  let sample: IssuerSample
  let sandbox: ProgramSandbox
  /// The project's own instance of the fake.
  let address: String
  /// Ids of keys that are not this project's: made by hand, or left behind by a request of which nobody knows.
  private(set) var foreign: [String] = []
  private var foreignKeys: Set<Key> = []

  private static let server = Result { try start() }

  static func start() throws -> FixtureServer {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try FixtureServer([tests.appending(path: "KeyplanRemoteTests/Fixtures/issuers.py").path])
  }

  /// Another instance of the fake, with no keys.
  /// - Parameter server: not the one that all projects share.
  static func instance(of server: FixtureServer? = nil) throws -> String {
    let greeting = try (server ?? Self.server.get()).greeting
    return "\(String(decoding: greeting, as: UTF8.self))/i/\(UUID().uuidString)"
  }

  /// Whether the connection signs in for a token, as it can at Azure.
  private let signsIn: Bool

  /// The key is made and written, and there are two keys that are not the project's.
  init(_ sample: IssuerSample, signsIn: Bool = false) throws {
    (self.sample, self.signsIn) = (sample, signsIn)
    sandbox = try ProgramSandbox()
    address = try Self.instance()
    sandbox.variables["MGMT"] = Self.credential
    sandbox.variables["COLUMNS"] = "300"
    try control("token", ["value": Self.credential])
    // The second could be that of another project.
    for name in ["by hand", "keyplan/0123456789abcdef0123456789abcdef/chat/8"] { try makeForeign(name) }
    try write()
    try #require(sandbox.keyplan("identity", "new").code == 0)
    try #require(sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    try watch()
  }

  convenience init(_ name: String, signsIn: Bool = false) throws {
    try self.init(try #require(IssuerSample.minting.first { $0.name == name }), signsIn: signsIn)
  }

  // MARK: The manifest

  /// - Parameters:
  ///   - overlap: how long a replaced key stays.
  ///   - other: another address of the provider.
  func write(overlap: String = "none", at other: String? = nil) throws {
    try sandbox.write(manifest(overlap: overlap, at: other), to: "keyplan.yaml")
  }

  func manifest(overlap: String = "none", at other: String? = nil) -> String {
    let address = other ?? address
    let isChecked = sample.name == "openrouter"
    let credentials =
      signsIn
      ? ["authority: \"\(address)\"", "tenant: tenant", "client: client", "clientSecret: env://MGMT"]
      : sample.credentials.map { "\($0): env://MGMT" }
    let connection = credentials + sample.connection.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
    let place = sample.place.sorted { $0.key < $1.key }.map { "\($0): \(Self.yaml($1, of: $0))" }
    let names = sample.parts.map { (part: $0, variable: "VALUE_\($0.uppercased())") }
    let isSingle = names.count == 1
    let variables =
      isSingle
      ? "variable: \(names[0].variable)"
      : "parts: { \(names.map { "\($0.part): \($0.variable)" }.joined(separator: ", ")) }"
    let entries = names.map { "\($0.variable): \(isSingle ? "chat" : "chat.\($0.part)")" }.joined(separator: ", ")
    return """
      version: 1
      connections:
        issuer: { type: \(sample.name)-keys, address: "\(address)", \(connection.joined(separator: ", ")) }
      providers: { openrouter: { address: "\(address)" } }
      policies: { quarterly: { after: 90d, then: rotate, overlap: \(overlap) } }
      keys:
        chat:
          provider: \(isChecked ? "openrouter" : "generic")
          source: { \((["mint: issuer"] + place).joined(separator: ", ")) }
          \(variables)
          expires: quarterly
      targets:
        app: { type: json, path: app.json, keys: { \(entries) } }
        web: { type: json, path: web.json, keys: { \(entries) } }

      """
  }

  private static func yaml(_ value: String, of field: String) -> String {
    if Int(value) != nil { return value }
    return field == "scopes" ? "[\(value)]" : "'\(value)'"
  }

  // MARK: The fake

  /// A key that is not this project's.
  func makeForeign(_ name: String) throws {
    let id = try control("make", ["provider": sample.name, "name": name])
    foreign.append(try JSONDecoder().decode(String.self, from: id))
    foreignKeys = Set(try keys().filter { foreign.contains($0.id) })
  }

  /// A key that a request left behind, and that is nobody's from then on.
  func disown(_ id: String) throws {
    foreign.append(id)
    foreignKeys = Set(try keys().filter { foreign.contains($0.id) })
  }

  func keys() throws -> [Key] { try Self.keys(of: sample.name, at: address) }

  static func keys(of provider: String, at address: String) throws -> [Key] {
    try JSONDecoder().decode([String: [Key]].self, from: get("keys", at: address))[provider] ?? []
  }

  /// The values of all keys that were ever made.
  func values() throws -> [String] { try Self.values(at: address) }

  static func values(at address: String) throws -> [String] {
    try JSONDecoder().decode([String].self, from: get("values", at: address))
  }

  /// Methods and paths since the last time, such as `POST /api/v1/keys`.
  func requests() throws -> [String] { try Self.requests(at: address) }

  static func requests(at address: String) throws -> [String] {
    try JSONDecoder().decode([[String: String]].self, from: get("requests", at: address)).map {
      "\($0["method"] ?? "") \($0["path"] ?? "")"
    }
  }

  private func watch() throws {
    try control("watch", ["files": Self.targets.map { sandbox.project + "/" + $0 }])
  }

  /// Neither target held a value that does not work, at any moment.
  func expectWorking(_ what: String, _ place: SourceLocation = #_sourceLocation) throws {
    let watched = try JSONDecoder().decode(Watched.self, from: get("watched"))
    #expect(watched.looks > 0 && watched.broken.isEmpty, "\(what): \(watched)", sourceLocation: place)
    try watch()
  }

  @discardableResult
  func control(_ name: String, _ body: [String: Any] = [:]) throws -> Data {
    try Self.control(name, body, at: address)
  }

  @discardableResult
  static func control(_ name: String, _ body: [String: Any], at address: String) throws -> Data {
    let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    return try control(name, json: text, at: address)
  }

  @discardableResult
  static func control(_ name: String, json text: String, at address: String) throws -> Data {
    try send(name, text, at: address)
  }

  private func get(_ name: String) throws -> Data { try Self.get(name, at: address) }

  private static func get(_ name: String, at address: String) throws -> Data { try send(name, "", at: address) }

  /// - Parameter body: nothing for GET.
  private static func send(_ name: String, _ body: String, at address: String) throws -> Data {
    let script = """
      import sys, urllib.request
      headers = {"content-type": "application/json"}
      request = urllib.request.Request(sys.argv[1], sys.argv[2].encode() or None, headers)
      sys.stdout.write(urllib.request.urlopen(request).read().decode())
      """
    let answer = try Child.answer(["python3", "-c", script, "\(address)/_/\(name)", body], errors: true)
    try #require(answer.status == 0, "\(answer.text)")
    return Data(answer.bytes)
  }

  // MARK: Runs

  static let rotation = [Shell.program, "keys", "rotate", "chat", "--yes"]

  /// Runs the program, which is killed by the fake. Nil if there was no such request, and it succeeded.
  func run(_ words: [String] = RotationProject.rotation, killedAt death: Death) throws -> ProgramRun.Answer? {
    let pid = sandbox.root + "/pid"
    try control("kill", ["pid": pid, "skip": death.number, "after": death.isProcessed])
    let command = words.map { "'\($0)'" }.joined(separator: " ")
    let answer = try sandbox.start(["sh", "-c", "echo $$ >'\(pid)'; exec \(command)"]).wait()
    let isArmed = try JSONDecoder().decode(Watched.self, from: get("watched")).isArmed
    try #require((answer.code == 137) != isArmed, "\(death): \(answer.code)\n\(answer.out)\(answer.err)")
    guard !isArmed else {
      try #require(answer.code == 0, "\(answer.out)\(answer.err)")
      return nil
    }
    return answer
  }

  /// Applies as a scheduled job does, until nothing is left to do: at most twice. What these applies said.
  func recover(_ what: String, _ place: SourceLocation = #_sourceLocation) throws -> String {
    var said = ""
    for _ in 0..<2 {
      let applied = try sandbox.keyplan("apply", "--yes")
      said += applied.out + applied.err
      #expect(applied.code == 0, "\(what): \(applied.code)\n\(applied.out)\(applied.err)", sourceLocation: place)
      if try isConverged() { return said }
    }
    Issue.record("\(what): something is left to do\n\(try sandbox.keyplan("plan").out)", sourceLocation: place)
    return said
  }

  func isConverged() throws -> Bool {
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
    return plan.code == 0 && plan.out.contains("No changes")
  }

  /// One key is the project's, both targets hold its values, and no other key was touched.
  @discardableResult
  func expectOneKey(_ what: String, _ place: SourceLocation = #_sourceLocation) throws -> Key? {
    let all = try keys()
    #expect(Set(all.filter { foreign.contains($0.id) }) == foreignKeys, "\(what): \(all)", sourceLocation: place)
    let own = all.filter { !foreign.contains($0.id) }
    #expect(own.count == 1 && own.first?.disabled == false, "\(what): \(own)", sourceLocation: place)
    guard let key = own.first else { return nil }
    for name in Self.targets {
      let held = try held(by: name)
      let holdsIt = held.values.contains { $0.contains(key.value) }
      let isWhole =
        held.count == sample.parts.count && held.values.allSatisfy { $0.contains(key.value) || $0 == key.id }
      #expect(holdsIt && isWhole, "\(what): \(name) has \(held), not \(key)", sourceLocation: place)
    }
    return key
  }

  /// What a target has, by its names.
  func held(by name: String) throws -> [String: String] {
    try JSONDecoder().decode([String: String].self, from: Data(try #require(sandbox.content(of: name))))
  }

  /// None of these texts, and no file of the store, has a secret.
  func expectNoSecret(in texts: [String], _ what: String, _ place: SourceLocation = #_sourceLocation) throws {
    let credentials = [Self.credential, sandbox.variables["MGMT"] ?? ""].filter { $0.utf8.count >= 8 }
    let search = try CanarySearch([]).adding(
      credentials.map { CanarySecret("management key", $0) } + values().map { CanarySecret("value", $0) })
    for text in texts {
      let found = search.found(in: Data(text.utf8))
      #expect(found.isEmpty, "\(what): \(found) in \(text)", sourceLocation: place)
    }
    for name in sandbox.files() where !Self.targets.contains(where: name.hasSuffix) {
      let bytes = (try? Data(contentsOf: URL(filePath: sandbox.root + "/" + name))) ?? Data()
      #expect(search.found(in: bytes).isEmpty, "\(what): \(name)", sourceLocation: place)
    }
  }
}
