import KeyplanModel
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanApply

/// The form of generated values, and what their bytes are made of.
@Suite struct GeneratedSecretTests {
  private struct Counter: RandomNumberGenerator {
    private var number: UInt64 = 0
    mutating func next() -> UInt64 {
      // Bytes are cut from one end of the number, whichever that is.
      defer { number += 1 }
      return number << 56 | number
    }
  }

  private func text(_ value: GeneratedValue, _ random: inout some RandomNumberGenerator) -> String {
    value.makeSecret(from: &random).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func fresh(_ value: GeneratedValue) -> String {
    var random = SystemRandomNumberGenerator()
    return text(value, &random)
  }

  @Test("hex and base64url write all bytes, in order, without padding") func encodings() throws {
    for count in [16, 17, 18, 32, 255, 1024] {
      var counter = Counter()
      let hex = text(try #require(GeneratedValue(.hex, bytes: count)), &counter)
      let digits = (0..<count).map { number in
        let text = String(number % 256, radix: 16)
        return text.count == 1 ? "0" + text : text
      }
      #expect(hex == digits.joined())
      counter = Counter()
      let coded = text(try #require(GeneratedValue(.base64url, bytes: count)), &counter)
      #expect(coded.utf8.count == (count * 4 + 2) / 3)
      #expect(try decoded(coded) == (0..<count).map { UInt8($0 % 256) })
    }
  }

  private func decoded(_ text: String) throws -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var bits: [Int] = []
    for character in text {
      let value = try #require(alphabet.firstIndex(of: character))
      bits += (0..<6).map { value >> (5 - $0) & 1 }
    }
    return stride(from: 0, to: bits.count - 7, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | UInt8($1) }
    }
  }

  @Test("a UUID has version 4 and its variant, in lower case, and 122 bits that vary") func uuid() throws {
    let value = try #require(GeneratedValue(.uuid))
    var seen: (ones: [UInt8], zeros: [UInt8]) = (Array(repeating: 0, count: 16), Array(repeating: 0, count: 16))
    for _ in 0..<200 {
      let text = fresh(value)
      #expect(text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
      let digits = Array(text.filter { $0 != "-" })
      for index in 0..<16 {
        let byte = try #require(UInt8(String(digits[index * 2...index * 2 + 1]), radix: 16))
        seen.ones[index] |= byte
        seen.zeros[index] |= ~byte
      }
    }
    let varying = zip(seen.ones, seen.zeros).map { ($0 & $1).nonzeroBitCount }.reduce(0, +)
    #expect(varying == 122)
  }

  @Test(
    "no two values are the same, and every byte occurs about as often as any other",
    arguments: [GeneratedValue(.hex, bytes: 1024), GeneratedValue(.base64url, bytes: 1024)].compactMap(\.self))
  func distribution(value: GeneratedValue) throws {
    var counts: [Character: Int] = [:]
    var texts: Set<String> = []
    for _ in 0..<64 {
      let text = fresh(value)
      texts.insert(text)
      for character in text { counts[character, default: 0] += 1 }
    }
    #expect(texts.count == 64)
    // 65,536 bytes: 131,072 hex digits or 87,424 characters of base64url. Six standard deviations: a chance below one in
    // a million that a sound generator fails.
    let symbols = value.format == .hex ? 16 : 64
    #expect(counts.count == symbols)
    let expected = Double(counts.values.reduce(0, +)) / Double(symbols)
    for (character, count) in counts {
      // The last character of each base64url text has fewer bits, so that some are a little more frequent.
      let slack = 6 * expected.squareRoot() + 64
      #expect(abs(Double(count) - expected) < slack, "\(character): \(count) of \(expected)")
    }
  }
}
