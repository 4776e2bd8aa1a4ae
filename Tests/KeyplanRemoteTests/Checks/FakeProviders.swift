import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The fake of providers: it serves the answers of `Fixtures/checks.json` over HTTP.
final class FakeProviders: Sendable {
  static let shared = Result { try FakeProviders() }

  private let server: FixtureServer
  let root: String

  private init() throws {
    server = try FixtureServer([Self.fixtures.appending(path: "checks.py").path])
    root = String(decoding: server.greeting, as: UTF8.self)
  }

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  /// The address at which a provider gives the answer with this number.
  func address(_ provider: String, _ number: Int) -> String { "\(root)/\(provider)/\(number)" }

  /// Sends requests as the program does, with pauses that are only counted.
  static func transport(now: Int64 = 1_800_000_000) -> RemoteTransport {
    var settings = HTTPSettings()
    // Longer than all tests together.
    settings.deadline = .seconds(600)
    var transport = RemoteTransport(settings, now: { now })
    transport.pause = { _ in }
    return transport
  }
}

/// One line of a provider's table: an answer, what it means, and where that is documented.
struct ListedAnswer: Sendable, CustomTestStringConvertible {
  struct Entry: Decodable {
    struct Request: Decodable { let key: String }
    struct Answer: Decodable {
      let status: Int
      let outcome: String
      let source: String
      let ageInHours: Int64?
      let facts: Facts?
    }
    let request: Request
    let answers: [Answer]
  }

  struct Facts: Decodable, Sendable {
    let expires: String?
    let account: String?
    let scopes: [String]?
    let remaining: String?
  }

  let provider: String
  let number: Int
  let key: String
  let status: Int
  let outcome: CheckOutcome?
  let source: String
  let age: Interval
  let facts: Facts?

  var testDescription: String { "\(provider) \(number): \(status)" }

  static let table: [String: Entry] = {
    let file = FakeProviders.fixtures.appending(path: "checks.json")
    return (try? JSONDecoder().decode([String: Entry].self, from: Data(contentsOf: file))) ?? [:]
  }()

  static let all: [ListedAnswer] = table.sorted { $0.key < $1.key }.flatMap { provider, entry in
    entry.answers.enumerated().map { number, answer in
      ListedAnswer(
        provider: provider, number: number, key: entry.request.key, status: answer.status,
        outcome: CheckOutcome(rawValue: answer.outcome), source: answer.source,
        age: answer.ageInHours.map { Interval(seconds: $0 * 3600) } ?? .days(365), facts: answer.facts)
    }
  }
}
