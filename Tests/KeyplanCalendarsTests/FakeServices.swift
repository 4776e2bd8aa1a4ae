import Foundation
import KeyplanHTTP
import Testing

@testable import KeyplanCalendars

/// The fakes of the fixtures, in a process of their own.
final class FakeServices: Sendable {
  static let shared = try? FakeServices()

  private let process = Process()
  private let input = Pipe()
  let root: String

  private init() throws {
    let output = Pipe()
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", fixtures.appending(path: "services.py").path]
    // It ends with this process, however that ends.
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "the fake did not start")
      line.append(more)
    }
    root = "http://127.0.0.1:\(String(decoding: line.dropLast(), as: UTF8.self))"
  }

  /// One client of a service, as it is used.
  static func service(_ vendor: Vendor, token: String = "good") throws -> any CalendarService {
    try vendor.service(through: HTTPClient(), token: token, at: try #require(shared).root)
  }
}
