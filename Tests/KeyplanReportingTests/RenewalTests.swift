import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("How a key gets a new value")
struct RenewalTests {
  private static let ways: [(Renewal.Way, sentence: String, command: String?)] = [
    (.source, "Issue a new key at the provider, put it where the source points, and run keyplan apply.", nil),
    (.set, "Issue a new key at the provider, and run keyplan keys set a.", "keyplan keys set a"),
    (
      .composed([Sample.key("b"), Sample.key("c")]),
      "Replace the value of \"b\", \"c\": the same apply replaces what is composed of it.", nil
    ),
    (.generated, "To generate a new value, run keyplan keys rotate a.", "keyplan keys rotate a"),
    (.made, "To have a new key made, run keyplan keys rotate a.", "keyplan keys rotate a"),
    (
      .madeByHand, "Make a new key at the provider, and run keyplan keys set a --id ID.", "keyplan keys set a --id ID"
    ),
  ]

  @Test("is one task for each way, in errors, findings and answers of a provider", arguments: ways)
  func words(_ way: Renewal.Way, sentence: String, command: String?) {
    let (id, renewal) = (Sample.key("a"), Renewal(way))
    let end = Sample.moment("2026-11-01")
    #expect(renewal.sentence(for: id) == sentence)
    #expect(Diagnostic(.key(id, .expired(on: end)), renewal: renewal).hint == sentence)
    #expect(CheckOutcome.invalid.hint(for: id, renewal) == sentence)
    let finding = Finding(
      .expired(on: end), at: .key(id), level: .broken, since: end, renewal: .init(key: id, renewal: renewal))
    #expect(FindingMessages(finding).command == command)
  }

  @Test("names the date that a new value would inherit") func fixedEnd() {
    let renewal = Renewal(.set, hasFixedEnd: true)
    #expect(renewal.sentence(for: Sample.key("a")).hasSuffix("Set a later date for `expires`, too."))
    #expect(renewal.fix(for: Sample.key("a")).fix.hasSuffix("set a later date for `expires`, too"))
  }
}
