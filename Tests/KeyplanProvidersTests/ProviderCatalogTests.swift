import KeyplanModel
import Testing

@testable import KeyplanProviders

@Suite struct ProviderCatalogTests {
  /// In the form of GitHub's installation tokens since 2026-04, with all characters of Base64URL.
  private static let jwt =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1hZGUtdXAifQ." + String(repeating: "aZ09-_", count: 40) + "."
    + String(repeating: "b_", count: 100)

  @Test("every pattern of the catalog is in the subset that is matched in linear time")
  func patterns() throws {
    for (name, entry) in ProviderCatalog.builtIn.entries {
      guard let format = entry.format else { continue }
      #expect(throws: Never.self, "\(name)") { try FormatPattern(format) }
      #expect(ProviderCatalog.builtIn.provider(named: name)?.format?.text == format)
    }
  }

  @Test("every provider but generic has a conventional variable, in capitals, and a name that a manifest can declare")
  func variables() {
    for (name, entry) in ProviderCatalog.builtIn.entries {
      #expect(Identifier<Provider>(name) != nil)
      #expect((entry.variable == nil) == (name == "generic"), "\(name)")
      #expect(entry.variable?.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F } != false, "\(name)")
    }
  }

  @Test("every provider's variable is free to set: a new one with another ending belongs into the table of names")
  func free() {
    for (name, entry) in ProviderCatalog.builtIn.entries {
      guard let variable = entry.variable else { continue }
      #expect(VariableName.use(of: variable) == .free, "\(name): \(variable)")
    }
  }

  @Test(
    "keys of the documented shape fit, and others do not",
    arguments: [
      (provider: "anthropic", key: "sk-ant-api03-" + String(repeating: "a", count: 93) + "AA", fits: true),
      (provider: "anthropic", key: "sk-proj-" + String(repeating: "a", count: 95), fits: false),
      (
        provider: "openai",
        key: "sk-proj-" + String(repeating: "a", count: 74) + "T3BlbkFJ"
          + String(repeating: "b", count: 74), fits: true
      ),
      (
        provider: "openai",
        key: "sk-" + String(repeating: "a", count: 20) + "T3BlbkFJ"
          + String(repeating: "b", count: 20), fits: true
      ),
      (provider: "openai", key: "sk-" + String(repeating: "a", count: 48), fits: false),
      (provider: "anthropic", key: "sk-ant-oat01-" + String(repeating: "a", count: 93) + "AA", fits: true),
      (provider: "github", key: "ghs_12345_" + jwt, fits: true),
      (provider: "github", key: "ghp_" + jwt, fits: false),
      (provider: "github", key: "ghs_" + String(repeating: "z", count: 35), fits: false),
      (provider: "gemini", key: "AQ.Ab8RN6" + String(repeating: "x", count: 44), fits: true),
      (provider: "gemini", key: "AIza" + String(repeating: "x", count: 35), fits: false),
      (provider: "google", key: "AIza" + String(repeating: "x", count: 35), fits: true),
      (provider: "google", key: "AQ.Ab8RN6" + String(repeating: "x", count: 44), fits: true),
      (provider: "openrouter", key: "sk-or-v1-" + String(repeating: "0", count: 64), fits: true),
      (provider: "deepseek", key: "sk-" + String(repeating: "0", count: 32), fits: true),
      (provider: "groq", key: "gsk_" + String(repeating: "z", count: 52), fits: true),
      (provider: "github", key: "ghp_" + String(repeating: "z", count: 36), fits: true),
      (
        provider: "sendgrid", key: "SG." + String(repeating: "z", count: 22) + "." + String(repeating: "Z", count: 43),
        fits: true
      ),
      (provider: "sendgrid", key: "SG." + String(repeating: "z", count: 66), fits: false),
      (provider: "stripe", key: "sk_live_" + String(repeating: "z", count: 24), fits: true),
      (provider: "xai", key: "xai-" + String(repeating: "z", count: 80), fits: true),
    ])
  func shapes(provider: String, key: String, fits: Bool) throws {
    let format = try #require(ProviderCatalog.builtIn.provider(named: provider)?.format)
    #expect(format.matches(Array(key.utf8)) == fits)
  }

  @Test("a name that is not in the catalog has no provider") func unknown() {
    #expect(ProviderCatalog.builtIn.provider(named: "acme") == nil)
    #expect(ProviderCatalog.builtIn.names.contains("openweathermap"))
  }
}
