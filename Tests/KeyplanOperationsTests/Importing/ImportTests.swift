import Foundation
import KeyplanDocuments
import KeyplanModel
import KeyplanProviders
import Testing

@testable import KeyplanOperations

/// The `.env` files of five kinds of projects. Above each name stands what is expected of it: `#= taken: KEY`, or `#= left:` and
/// how the reason begins.
@Suite struct ImportTests {
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  @Test(
    "names are taken or left as those who know the framework would",
    arguments: ["nextjs", "django", "rails", "laravel", "service"])
  func decided(framework: String) throws {
    let bytes = Array(try Data(contentsOf: Self.fixtures.appending(path: framework + ".env")))
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let document = try DotenvDocument(bytes)
    let index = VariableIndex(.builtIn)
    var expected: [String: Substring] = [:]
    for (above, line) in zip(lines, lines.dropFirst()) where above.hasPrefix("#= ") {
      expected[String(line.prefix { $0 != "=" })] = above.dropFirst(3)
    }
    #expect(expected.count > 15 && Set(document.names) == Set(expected.keys))
    for name in document.names {
      guard case .text(let value)? = document.value(at: name), let expectation = expected[name] else {
        Issue.record("\(name) has no value")
        continue
      }
      let found = FoundName(name, value, isVariable: true, index)
      let decision =
        SecretName.reasonToLeave(found, index).map { "left: " + $0 }
        ?? "taken: " + SecretName(found, index).key
      #expect(decision.hasPrefix(expectation), "\(framework): \(name)")
    }
  }

  @Test("names that no shell can set are taken under a variable that it can")
  func hyphens() {
    let index = VariableIndex(.builtIn)
    let found = FoundName("X-API-KEY", Array("made-up-value-of-a-key".utf8), isVariable: true, index)
    #expect(SecretName.reasonToLeave(found, index) == nil)
    #expect(found.name == "X-API-KEY" && VariableName.isValid(found.variable))
    #expect(SecretName(found, index).key == "x")
  }

  @Test("what the file of a known service holds is public by its name only while it does not look like a key")
  func bundled() {
    let index = VariableIndex(.builtIn)
    let value = Array("ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8)
    let found = FoundName("NEXT_PUBLIC_TOKEN", value, isVariable: true, index)
    #expect(SecretName.reasonToLeave(found, index)?.contains("looks like a key of github") == true)
  }

  @Test("a name in a dictionary is what it is called there, or what both names say together")
  func sections() {
    let index = VariableIndex(.builtIn)
    func secret(_ name: String, _ value: String = "made-up-value") -> String {
      let found = FoundName(name, Array(value.utf8), isVariable: false, index)
      return SecretName.reasonToLeave(found, index) ?? "\(SecretName(found, index).key) \(found.variable)"
    }
    #expect(secret("/OpenAI/api-key") == "openai OPEN_AI_API_KEY")
    #expect(secret("/Weather/api-key") == "weather WEATHER_API_KEY")
    #expect(secret("/Apps/Mail/password") == "mail-password MAIL_PASSWORD")
    #expect(secret("/Weather/OpenWeatherMapAPIKey") == "openweathermap OPEN_WEATHER_MAP_API_KEY")
    #expect(secret("/Weather/units") == "does not look like a secret")
  }

  @Test("an id is taken with the secret that it was issued with")
  func pairs() {
    let index = VariableIndex(.builtIn)
    func isTaken(_ name: String, among all: Set<String>) -> Bool {
      let found = FoundName(name, Array("AKIAMADEUPMADEUP1234".utf8), isVariable: true, index)
      return SecretName.reasonToLeave(found, index, among: all) == nil
    }
    #expect(isTaken("AWS_ACCESS_KEY_ID", among: ["AWS_SECRET_ACCESS_KEY"]))
    #expect(isTaken("R2_ACCESS_KEY_ID", among: ["R2_SECRET_ACCESS_KEY"]))
    #expect(isTaken("GOOGLE_CLIENT_ID", among: ["GOOGLE_CLIENT_SECRET"]))
    #expect(!isTaken("AWS_ACCESS_KEY_ID", among: ["R2_SECRET_ACCESS_KEY"]))
    #expect(!isTaken("NEXT_PUBLIC_CLIENT_ID", among: ["NEXT_PUBLIC_CLIENT_SECRET"]))
    #expect(!isTaken("CLIENT_ID", among: []))
  }

  @Test("a provider's name alone is a key where the value looks like one")
  func alone() {
    let index = VariableIndex(.builtIn)
    func taken(_ name: String, _ value: String, isVariable: Bool = true) -> Bool {
      SecretName.reasonToLeave(FoundName(name, Array(value.utf8), isVariable: isVariable, index), index) == nil
    }
    #expect(taken("AlphaVantage", "MADEUPMADEUP1234", isVariable: false))
    #expect(taken("ALPHAVANTAGE", "MADEUPMADEUP1234"))
    for value in ["ada", "https://github.com/ada", "a user with 1 name", "averyverylongusername", "123456789012345 6"] {
      #expect(!taken("GITHUB", value), "\(value)")
    }
  }

  @Test(
    "a source with any name reads back as it is",
    arguments: ["%A", "A%20B", "A:", "A#B", "it's", "@", "*", "A: B", "~"])
  func readBack(name: String) throws {
    let source = "dotenv://.env#\(name)"
    let key = Import.Key(
      name: "a", provider: "openai", variable: "A", slot: nil, source: source, origin: name, formats: [])
    let written = ImportedManifest.declarations([key])
    guard case .text(let read)? = try YAMLDocument(Array(written.utf8)).value(at: "/keys/a/source") else {
      Issue.record("\(written)")
      return
    }
    #expect(String(decoding: read, as: UTF8.self) == source, "\(written)")
  }
}
