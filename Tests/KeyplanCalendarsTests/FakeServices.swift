import Foundation
import KeyplanHTTP
import TestTools
import Testing

@testable import KeyplanCalendars

/// The fakes of the fixtures, in a process of their own.
final class FakeServices: Sendable {
  static let shared = try? FakeServices()

  private let server: FixtureServer
  let root: String

  private init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    server = try FixtureServer([fixtures.appending(path: "services.py").path])
    root = "http://127.0.0.1:\(String(decoding: server.greeting, as: UTF8.self))"
  }

  /// One client of a service, as it is used.
  static func service(_ vendor: Vendor, token: String = "good") throws -> any CalendarService {
    try vendor.service(through: HTTPClient(), token: token, at: try #require(shared).root)
  }
}
