import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

/// `recipients` of keys and slots.
@Suite struct ReaderTests {
  private static let ada = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
  private static let ops = "age1lvyvwawkr0mcnnnncaghunadrqkmuf9e6507x9y920xxpp866cnql7dp2z"
  private static let recipients = "recipients: { ada: \(ada), ops: { key: \(ops) } }"

  private func readers(_ reading: ManifestReader.Reading) -> [String: [String]?] {
    Dictionary(
      uniqueKeysWithValues: (reading.manifest?.keys ?? [:]).map {
        ($0.key.name, $0.value.facts.recipients?.map(\.name))
      })
  }

  @Test("a key's value is for the recipients that it or one of its slots names, sorted, or for all") func reads() {
    let reading = check(
      """
      version: 1
      \(Self.recipients)
      keys:
        all: { provider: openai }
        own: { provider: anthropic, recipients: [ops, ada] }
        first: { provider: groq, recipients: [ops] }
        second: { provider: groq }
      active:
        one: { keys: [first, second], recipients: [ops] }
        two: { keys: own }
        three: all
      """)
    #expect(readers(reading) == ["all": nil, "own": ["ada", "ops"], "first": ["ops"], "second": ["ops"]])
    #expect(
      reading.manifest?.slots.first { $0.key.name == "one" }?.value.candidates.map(\.name) == ["first", "second"])
    #expect(reading.manifest?.slots.first { $0.key.name == "two" }?.value.candidates.map(\.name) == ["own"])
  }

  @Test("what they cannot mean is reported at its place") func faults() {
    check(
      """
      version: 1
      recipients: { ada: \(Self.ada), ci: { key: \(Self.ops), can: plan } }
      keys:
        a: { provider: openai, recipients: [1️⃣nobody] }
        b: { provider: openai, recipients: [2️⃣ci] }
        c: { provider: openai, recipients: [ada, 3️⃣ada] }
        d: { provider: openai, recipients: 4️⃣[] }
        e: { provider: openai, recipients: 5️⃣ada }
      """,
      Fault(.undeclaredName, "Unknown recipient \"nobody\""), Fault(.conflict, "\"ci\" can only plan"),
      Fault(.conflict, "listed twice"), Fault(.invalidValue, "empty"), Fault(.wrongType, "a list of names"))
    check(
      """
      version: 1
      keys:
        a: { provider: openai, recipients: [1️⃣ops] }
      """, Fault(.undeclaredName, "Unknown recipient \"ops\"", hint: "under `recipients`"))
  }

  @Test("a key has one set of recipients, whatever slots it is in") func contradictions() {
    check(
      """
      version: 1
      \(Self.recipients)
      keys:
        a: { provider: openai, recipients: [ada] }
        b: { provider: openai }
      active:
        one: { keys: [1️⃣a, b], recipients: [ops] }
        two: { keys: [2️⃣b], recipients: [ada] }
        three: { keys: b, recipients: [ops] }
      """,
      Fault(.conflict, "the key itself names others"), Fault(.conflict, "active.one names others"))
  }
}
