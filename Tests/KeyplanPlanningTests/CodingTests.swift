import Foundation
import KeyplanModel
import KeyplanPlanning
import Testing

/// The texts of what plan files are made of must not change from one version to the next.
@Suite struct CodingTests {
  @Test("limits on a date and allowances have one text")
  func others() throws {
    let expiry = Expiry(.on(now), warn: .days(1), then: .warn)
    #expect(try Self.text(expiry) == #"{"limit":{"on":"2027-01-15T08:00:00Z"},"then":"warn","warn":86400}"#)
    #expect(try JSONDecoder().decode(Expiry.self, from: Data(try Self.text(expiry).utf8)) == expiry)
    let text = #"{"forget":true,"overwrite":false,"retire":true}"#
    #expect(try Self.text(Allowances(forget: true, retire: true)) == text)
    #expect(try JSONDecoder().decode(Allowances.self, from: Data(text.utf8)) == Allowances(forget: true, retire: true))
    #expect(Allowances() == Allowances(forget: false, overwrite: false, retire: false))
  }

  static let foreign: [(kind: any (Decodable & Sendable).Type, text: String)] = [
    (Identifier<Key>.self, #""A b""#), (Address.self, #""nowhere.a""#),
    (Moment.self, #"1800000000"#), (Moment.self, #""2027-02-30""#), (Expiry.Limit.self, #"{}"#),
    (Fingerprint.self, #""00""#), (Fingerprint.self, #""+00102030405060708090a0b0c0d0e0f""#),
    (Fingerprint.self, #""000102030405060708090A0B0C0D0E0F""#),
    (Fingerprint.self, #""000102030405060708090a0b0c0d0e0g""#),
  ]

  @Test("what nobody writes is not read")
  func refused() {
    for (kind, text) in Self.foreign {
      #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(kind, from: Data(text.utf8)) }
    }
  }

  @Test("a fingerprint is 16 bytes, and keeps them")
  func fingerprint() {
    #expect(Fingerprint(0..<15) == nil)
    #expect(Fingerprint(0..<17) == nil)
    #expect(Fingerprint(240...255)?.bytes == Array(240...255))
  }

  private static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
