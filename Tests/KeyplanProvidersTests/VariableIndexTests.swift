import KeyplanModel
import KeyplanProviders
import Testing

@Suite struct VariableIndexTests {
  private let index = VariableIndex(.builtIn)

  @Test(
    "a variable leads to the provider that it is named after",
    arguments: [
      (variable: "OPENAI_API_KEY", provider: "openai"),
      (variable: "HF_TOKEN", provider: "huggingface"),
      (variable: "CO_API_KEY", provider: "cohere"),
      (variable: "GEMINI_API_KEY", provider: "gemini"),
      (variable: "GOOGLE_API_KEY", provider: "google"),
      (variable: "DASHSCOPE_API_KEY", provider: "dashscope"),
      (variable: "QWEN_API_KEY", provider: "qwen"),
      (variable: "openAIKey", provider: "openai"),
      (variable: "azure-openai-api-key", provider: "azure-openai"),
      (variable: "OpenWeatherMapAPIKey", provider: "openweathermap"),
      (variable: "OWM_KEY", provider: "openweathermap"),
      (variable: "STRIPE_SECRET_KEY", provider: "stripe"),
      (variable: "SENDGRID_KEY", provider: "sendgrid"),
    ])
  func known(variable: String, provider: String) { #expect(index.provider(of: variable) == provider) }

  @Test(
    "no other variable leads anywhere",
    arguments: ["OPENAI", "OPENAI_API_KEY_ID", "MY_OPENAI_API_KEY", "GENERIC_KEY", "KEY", "", "OPENAI_BASE_URL"])
  func unknown(variable: String) { #expect(index.provider(of: variable) == nil) }

  @Test("a provider's name alone leads to it only where that is asked")
  func alone() {
    #expect(index.provider(named: "AlphaVantage") == "alphavantage" && index.provider(of: "AlphaVantage") == nil)
    #expect(index.provider(named: "GENERIC") == nil && index.provider(named: "") == nil)
  }

  @Test("every provider's documented variable leads to a provider that documents it")
  func whole() {
    for name in ProviderCatalog.builtIn.names {
      guard let variable = ProviderCatalog.builtIn.provider(named: name)?.variable else { continue }
      let found = index.provider(of: variable)
      #expect(found.flatMap { ProviderCatalog.builtIn.provider(named: $0)?.variable } == variable, "\(name)")
    }
  }

  @Test("a value's format tells whose key it could be, of several providers too")
  func formats() {
    #expect(index.providers(fitting: Array("ghp_\(String(repeating: "a", count: 36))".utf8)) == ["github"])
    #expect(index.providers(fitting: Array("AIza\(String(repeating: "a", count: 35))".utf8)) == ["google"])
    #expect(index.providers(fitting: Array("hunter2".utf8)).isEmpty)
  }
}
