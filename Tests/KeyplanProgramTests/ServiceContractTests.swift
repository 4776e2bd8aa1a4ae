import Foundation
import TestTools
import Testing

/// What every backend that reaches a service must do with what it finds there, through the program. What needs no place that
/// remembers is in `UsualFaultTests` and `HostileServerTests`.
@Suite("Every service")
struct ServiceContractTests {
  /// What is not so at a backend, and why.
  private enum Exception { case changed, exchanged }
  private static let exceptions: [String: [Exception: String]] = [
    "cloudflare": [.changed: "only names are shown"],
    "github": [.exchanged: "its fake has one place of a name, and GitHubTargetTests replaces it"],
    "cloudkit": [.exchanged: "its fake has one place of a name"],
    "vault": [.exchanged: "one server has one place of a name"],
    "awssm": [.exchanged: "one account has one place of a name"],
    "awsps": [.exchanged: "one account has one place of a name"],
  ]

  private static func isException(_ what: Exception, _ test: ServiceCase) -> Bool {
    exceptions[test.service]?[what] != nil
  }

  @Test("keeps the contract of services", arguments: ServiceCase.all)
  func kept(_ test: ServiceCase) throws {
    let contract = try ServiceContract(test)
    try contract.missing()
    try contract.halfDone()
    try contract.names()
    try contract.size()
    try contract.changed(isSeen: !Self.isException(.changed, test))
    if !Self.isException(.exchanged, test) { try contract.exchanged() }
  }

  @Test(
    "keeps the contract of services, at AWS", .enabled(if: ServiceCase.awsPython != nil, ServiceCase.withoutAWS),
    arguments: ServiceCase.aws)
  func keptAtAWS(_ test: ServiceCase) throws { try kept(test) }
}

/// The rules, one after the other at one place.
private struct ServiceContract {
  private let test: ServiceCase
  private let running: RunningService
  private var sandbox: ProgramSandbox { running.sandbox }

  init(_ test: ServiceCase) throws {
    self.test = test
    running = try RunningService(test)
    sandbox.variables["PAYMENTS_VALUE"] = "kp-first"
    try running.setUp()
  }

  private func expect(
    _ line: String, _ codes: [Int32] = [0], in other: ProgramSandbox? = nil, _ place: SourceLocation = #_sourceLocation
  ) throws -> String {
    let words = [Shell.program] + line.split(separator: " ").map(String.init)
    let answer = try (other ?? sandbox).start(words).wait()
    #expect(codes.contains(answer.code), "\(line): \(answer.code)\n\(answer.out)\(answer.err)", sourceLocation: place)
    return answer.out + answer.err
  }

  private func expectConverged(_ place: SourceLocation = #_sourceLocation) throws {
    let plan = try expect("plan", place)
    #expect(plan.contains("No changes"), "\(plan)", sourceLocation: place)
    _ = try expect("drift", place)
  }

  private func expect(_ line: String, _ place: SourceLocation) throws -> String { try expect(line, [0], place) }

  /// A secret that was never written is missing, and then it is there.
  func missing() throws {
    _ = try expect("apply --yes")
    try expectConverged()
    let doctor = try expect("doctor").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let isAWS = test.fake == "aws_peer.py"
    #expect(doctor.contains("with the credential of this machine: environment variables") == isAWS, "\(doctor)")
    guard test.isReadable, let source = test.source else { return }
    let never = source.replacing("PAYMENTS", with: "NEVER")
    try running.setManifest("mirror: { provider: generic, variable: MIRROR, source: \"\(never)\" }")
    let plan = try expect("plan --json", [0, 1])
    #expect(plan.contains("NEVER") && !plan.contains("\"failure\""), "\(plan)")
    try running.setManifest("mirror: { provider: generic, variable: MIRROR, source: \"\(source)\" }")
    _ = try expect("apply --yes")
    #expect(try sandbox.keyplan("get", "mirror").out == "kp-first")
    try running.setManifest()
    _ = try expect("apply --yes --allow-forget")
  }

  private func setNames(_ names: [String], value: (Int) -> String = { "kp-value-\($0)" }) throws {
    for index in names.indices { sandbox.variables["V\(index)"] = value(index) }
    // The first name stays: some services keep the names of removed secrets for a while.
    try running.setManifest(
      keys: [key] + names.indices.map { "k\($0): { provider: generic, variable: N\($0), source: env://V\($0) }" },
      entries: ["\(test.name): payments"] + names.enumerated().map { "\(Self.quoted($1)): k\($0)" })
  }

  private let key = "payments: { provider: generic, variable: PAYMENTS, source: env://PAYMENTS_VALUE }"

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// A service that fails in the middle: what was written is recorded, and the next apply writes the rest.
  func halfDone() throws {
    let prefix = String(test.name.prefix { $0 != "P" })
    try setNames(["\(prefix)HALF", "\(prefix)DONE", "\(prefix)LEFT"])
    try running.scratch.write("1 \(test.write)", to: "fail")
    let broken = try sandbox.keyplan("apply", "--yes", "--allow-forget")
    let count = try running.scratch.text("matched").utf8.count
    // One request for all of them cannot be half done.
    #expect(count == 1 ? broken.code == 0 : broken.code != 0, "\(count) writes: \(broken.out)\(broken.err)")
    unlink(running.scratch["fail"])
    _ = try expect("apply --yes --allow-forget")
    try expectConverged()
  }

  private static let edges = [
    "A", "z", "_", "a_b", "B-C", "D.E", "0F", "-G", ".H", "I J", "K/L", "é", "M:N", "O%41", "P\"Q", "R\\S", "..", ".",
    "*", "~", "$T", "U+V", "@", "#W", "Y=1", "GITHUB_X", "{name}",
  ]

  /// Every name that the backend's grammar allows is a name of its own at the service; no other one is sent.
  func names() throws {
    struct Diagnostics: Decodable {
      struct One: Decodable {
        struct Place: Decodable { let line: Int }
        let severity: String
        let place: Place?
      }
      let diagnostics: [One]
    }
    let lengths = [64, 100, 127, 128, 199, 200, 253, 254, 255, 256, 512, 513]
    var names = Self.edges + lengths.map { String(repeating: "X", count: $0) }
    try setNames(names)
    let first = 8 + names.count
    let answer = try JSONDecoder().decode(
      Diagnostics.self, from: Data(try sandbox.keyplan("validate", "--json").out.utf8))
    let refused = Set(answer.diagnostics.filter { $0.severity == "error" }.compactMap(\.place?.line).map { $0 - first })
    try #require(refused.allSatisfy { names.indices.contains($0) }, "\(refused)")
    names = names.enumerated().filter { !refused.contains($0.offset) }.map(\.element)
    #expect(names.contains("A"))
    try setNames(names)
    let applied = try sandbox.keyplan("apply", "--yes", "--allow-forget")
    #expect(applied.code == 0, "\(names): \(applied.out)\(applied.err)")
    try expectConverged()
    // Each of them, not one for several.
    try setNames(names) { "kp-other-\($0)" }
    _ = try expect("apply --yes")
    try expectConverged()
    try running.setManifest()
    _ = try expect("apply --yes --allow-forget")
    try expectConverged()
  }

  /// A value as large as the backend's limit is written and comes back; a larger one is refused, and the earlier one stays.
  func size() throws {
    struct Listing: Decodable {
      struct Backend: Decodable {
        struct Target: Decodable { let valueBytes: Int? }
        let target: Target?
      }
      let backends: [Backend]
    }
    let listing = try JSONDecoder().decode(
      Listing.self, from: Data(try sandbox.keyplan("backends", test.service, "--json").out.utf8))
    let limit = try #require(listing.backends.first?.target?.valueBytes)
    let key = "payments: { provider: generic, variable: PAYMENTS, source: file://value.txt }"
    try running.setManifest(keys: [key], entries: ["\(test.name): payments"])
    // A secret of Secrets Manager is an object with all names, and the limit is its.
    let largest = String(repeating: "x", count: limit - 1 - (test.service == "awssm" ? 100 : 0)) + "y"
    try sandbox.write(largest, to: "value.txt")
    _ = try expect("apply --yes --allow-forget --allow-overwrite")
    try expectConverged()
    if test.isReadable, let source = test.source {
      try running.setManifest(
        keys: [key, "mirror: { provider: generic, variable: MIRROR, source: \"\(source)\" }"],
        entries: ["\(test.name): payments"])
      _ = try expect("apply --yes")
      #expect(try sandbox.keyplan("get", "mirror").out == largest)
    }
    try running.setManifest(keys: [key], entries: ["\(test.name): payments"])
    _ = try expect("apply --yes --allow-forget")
    try sandbox.write(String(repeating: "x", count: limit) + "yz", to: "value.txt")
    unlink(running.scratch["sent"])
    #expect(try sandbox.keyplan("apply", "--yes").code != 0)
    let sent = try? running.scratch.text("sent")
    #expect(sent?.contains("xxxxyz") != true, "a value that is too large is sent")
    try sandbox.write(largest, to: "value.txt")
    _ = try expect("apply --yes")
    try expectConverged()
  }

  /// What somebody else wrote after the plan is not overwritten by its apply.
  func changed(isSeen: Bool) throws {
    sandbox.variables["PAYMENTS_VALUE"] = "kp-first"
    try running.setManifest()
    _ = try expect("apply --yes")
    sandbox.variables["PAYMENTS_VALUE"] = "kp-second"
    _ = try expect("plan --out p.kp")
    let other = try running.other()
    other.variables["PAYMENTS_VALUE"] = "kp-of-somebody-else"
    try running.setManifest(keys: [key], entries: ["\(test.name): payments"], of: other)
    _ = try expect("init", in: other)
    // What is there is seen when the service may be contacted.
    _ = try other.keyplan("apply", "--yes", "--allow-overwrite")
    _ = try expect("apply --yes --allow-overwrite", in: other)
    _ = try expect("drift", in: other)
    guard isSeen else { return }
    // The new value is stored; the target is stale.
    let stale = try expect("apply p.kp", [3, 4])
    #expect(stale.contains("stale"), "\(stale)")
    _ = try expect("drift", in: other)
    _ = try expect("drift", [2])
    _ = try expect("apply --yes")
    try expectConverged()
    _ = try expect("drift", [2], in: other)
  }

  /// Another place that has got the name of this one is not taken for it.
  func exchanged() throws {
    try running.setManifest()
    _ = try expect("apply --yes")
    try expectConverged()
    try running.scratch.write("/i/exchanged", to: "exchange")
    let drift = try expect("drift", [1, 2])
    #expect(drift.contains("target.there"), "\(drift)")
    unlink(running.scratch["exchange"])
    try expectConverged()
  }
}
