import Foundation
import KeyplanKnownValues
import KeyplanSecrets
import TestTools
import Testing

@Suite("Search for known values")
struct KnownValueScanTests {
  private static let limits = KnownValueLimits(shortest: 6)

  private func known(_ values: [String], within limits: KnownValueLimits = Self.limits) -> KnownValues {
    KnownValues(values.map { SecretBox(Array($0.utf8)) }, within: limits)
  }

  private func matches(_ known: KnownValues, _ text: [UInt8], pieces: [Int]) -> [KnownValues.Match] {
    var found: [KnownValues.Match] = []
    var scan = KnownValueScan(known)
    var rest = text[...]
    var index = 0
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces[index % pieces.count]))
      piece.withUnsafeBytes { scan.read($0) { found.append($0) } }
      rest = rest.dropFirst(piece.count)
      index += 1
    }
    scan.finish { found.append($0) }
    return found
  }

  @Test("a value is found in each of its spellings, at its place")
  func spellings() {
    let values = [
      "it's a $ecret/1", "-----BEGIN X-----\nMIIEvAIBADANBg\n-----END X-----\n", "{\"a\": \"inner value\"}",
    ]
    let known = known(values)
    for (index, value) in values.enumerated() {
      for spelling in Spellings(of: SecretBox(Array(value.utf8)), within: Self.limits).all {
        let written = spelling.text.withBytes { Array($0) }
        let text = Array("é before ".utf8) + written + Array(" after".utf8)
        let found = text.withUnsafeBytes { known.matches(in: $0) }
        #expect(
          found.contains { $0.offset == 10 && $0.count == written.count && $0.value == index },
          "\(spelling.form): \(String(decoding: written, as: UTF8.self))")
      }
    }
  }

  @Test(
    "pieces of any size give the same matches as the whole text", arguments: [[1], [2, 3], [7], [64 << 10], [70_000]])
  func pieces(of pieces: [Int]) {
    var random = Seeded(seed: UInt64(pieces[0]))
    let values = ["abcabcabc", "cabcab", "secret-one", "{\"k\":\"member value\"}"]
    let known = known(values)
    let count = pieces[0] == 1 ? 500 : 40_000
    var text: [UInt8] = []
    for _ in 0..<count {
      text +=
        ["abc", "ca", "secret-one", " ", "member value", "x", "c2VjcmV0LW9uZ"].randomElement(using: &random).map {
          Array($0.utf8)
        } ?? []
    }
    let whole = text.withUnsafeBytes { known.matches(in: $0) }
    #expect(!whole.isEmpty)
    #expect(matches(known, text, pieces: pieces) == whole)
    #expect(whole.map(\.offset) == whole.map(\.offset).sorted())
  }

  @Test("matches are those of a search that compares every place with every spelling")
  func naive() {
    var random = Seeded(seed: 3)
    let values = ["aabaab", "abaabaab", "bbbbbbb"]
    let spellings = values.enumerated().flatMap { index, value in
      Spellings(of: SecretBox(Array(value.utf8)), within: Self.limits).all.map {
        (index, $0.text.withBytes { Array($0) })
      }
    }
    let text = (0..<3000).map { _ in UInt8(ascii: Bool.random(using: &random) ? "a" : "b") }
    let expected = text.indices.compactMap { offset -> [Int]? in
      let longest = spellings.filter { text[offset...].starts(with: $0.1) }.map(\.1.count).max()
      return longest.map { [offset, $0] }
    }
    let found = text.withUnsafeBytes { known(values).matches(in: $0) }
    #expect(!expected.isEmpty && found.map { [$0.offset, $0.count] } == expected)
  }

  @Test("nothing is found in texts without a value, and nothing is searched for without one")
  func nothing() {
    let text = Array(String(repeating: "nothing to see here, go on. ", count: 5000).utf8)
    #expect(text.withUnsafeBytes { known(["a secret value"]).matches(in: $0) } == [])
    let none = known(["short", ""])
    #expect(none.isEmpty && none.skipped == 2)
    #expect(text.withUnsafeBytes { none.matches(in: $0) } == [])
  }

  @Test("a spelling that is longer than what is compared is found by its beginning")
  func long() {
    let value = String(repeating: "0123456789", count: 100)
    let known = known([value], within: KnownValueLimits(shortest: 6, compared: 64))
    let found = Array("x\(value)".utf8).withUnsafeBytes { known.matches(in: $0) }
    #expect(found.first.map { [$0.offset, $0.count] } == [1, 64])
  }

  @Test("a thousand values are searched for in one pass")
  func many() {
    let values = (0..<1000).map { "value number \($0) of a thousand" }
    let known = known(values)
    let text = Array((values.reversed().joined(separator: "\n")).utf8)
    let found = text.withUnsafeBytes { known.matches(in: $0) }
    #expect(found.filter { $0.form == .literal }.map(\.value) == Array((0..<1000).reversed()))
  }
}
