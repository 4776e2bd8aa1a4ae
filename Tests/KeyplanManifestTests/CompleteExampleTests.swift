import Foundation
import KeyplanModel
import Testing

@testable import KeyplanManifest

let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

@Suite struct CompleteExampleTests {
  private func example() throws -> ManifestReader.Reading {
    let bytes = try Data(contentsOf: fixtures.appending(path: "accepted/complete.yaml"))
    return reader.read(base: .init(file: "keyplan.yaml", bytes: Array(bytes)))
  }

  @Test("the complete example reads without a word, and what is not supported yet is listed")
  func reads() throws {
    let reading = try example()
    #expect(reading.diagnostics.isEmpty, "\(told(reading))")
    #expect(reading.settings == .init(store: ".keyplan/default.db"))
    let manifest = try #require(reading.manifest)
    #expect(manifest.keys.count == 4)
    #expect(manifest.unsupported.map { "\($0.address): \($0.what)" } == ["calendar.private: keychain sources"])
  }
}
