package import KeyplanModel

/// The providers that need no declaration in the manifest. To add one, add a line to `builtIn`.
///
/// A format is given only if a literal prefix makes it distinctive: a mismatch causes a warning, and wrong warnings
/// teach people to ignore them. Sources: the vendors' documentation and the rules of scanners (gitleaks, betterleaks:
/// MIT).
package struct ProviderCatalog: Sendable {
  /// A variable and the text of a pattern, which is parsed only when it is needed, to keep the start of the program
  /// fast.
  struct Entry: Sendable {
    let variable: String?
    let format: String?
    /// Other usual names of the variable, for imports.
    let others: [String]

    init(_ variable: String?, _ format: String? = nil, others: [String] = []) {
      self.variable = variable
      self.format = format
      self.others = others
    }
  }

  let entries: [String: Entry]

  /// The names of all providers, unordered.
  package var names: [String] { Array(entries.keys) }

  /// The provider with this name, with its pattern parsed. Nil if the catalog does not contain it.
  package func provider(named name: String) -> Provider? {
    guard let entry = entries[name] else { return nil }
    return Provider(format: entry.format.flatMap { try? FormatPattern($0) }, variable: entry.variable)
  }

  /// The providers that every manifest may use. `generic` is for values of no particular provider.
  package static let builtIn = ProviderCatalog(entries: [
    "accuweather": Entry("ACCUWEATHER_API_KEY"),
    "alphavantage": Entry("ALPHAVANTAGE_API_KEY"),
    "anthropic": Entry("ANTHROPIC_API_KEY", #"sk-ant-(?:api|admin|oat)\d{2}-[\w-]{80,120}"#),
    "azure-openai": Entry("AZURE_OPENAI_API_KEY"),
    "cohere": Entry("CO_API_KEY"),
    "dashscope": Entry("DASHSCOPE_API_KEY"),
    "deepgram": Entry("DEEPGRAM_API_KEY"),
    "deepseek": Entry("DEEPSEEK_API_KEY", "sk-[0-9a-f]{32}"),
    "elevenlabs": Entry("ELEVENLABS_API_KEY", "sk_[0-9a-f]{48}"),
    "finnhub": Entry("FINNHUB_API_KEY"),
    // Google refuses its standard keys (AIza…) for this API since September 2026.
    "gemini": Entry("GEMINI_API_KEY", #"AQ\.[\w-]{40,100}"#),
    "generic": Entry(nil),
    // Installation tokens contain a JSON Web Token since 2026-04; their length varies.
    "github": Entry(
      "GITHUB_TOKEN", #"(?:gh[pour]_[0-9A-Za-z]{36,255}|ghs_[\w.-]{36,1000}|github_pat_\w{82})"#),
    "google": Entry("GEMINI_API_KEY", #"(?:AQ\.[\w-]{40,100}|AIza[\w-]{35})"#),
    "groq": Entry("GROQ_API_KEY", "gsk_[A-Za-z0-9]{52}"),
    "huggingface": Entry("HF_TOKEN", "(?:hf_|api_org_)[A-Za-z0-9]{34}"),
    "mistral": Entry("MISTRAL_API_KEY"),
    "newsapi": Entry("NEWSAPI_API_KEY"),
    "openai": Entry(
      "OPENAI_API_KEY",
      #"sk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[a-z]{4,8}-[\w-]{20,74}T3BlbkFJ[\w-]{20,74})"#),
    "openrouter": Entry("OPENROUTER_API_KEY", #"sk-or-v\d-[0-9a-f]{64}"#),
    "openweathermap": Entry("OPENWEATHERMAP_API_KEY", others: ["OWM_API_KEY", "OWM_KEY", "OPENWEATHER_API_KEY"]),
    "perplexity": Entry("PERPLEXITY_API_KEY", "pplx-[A-Za-z0-9]{48}"),
    "polygon": Entry("POLYGON_API_KEY"),
    "qwen": Entry("DASHSCOPE_API_KEY"),
    "rapidapi": Entry("RAPIDAPI_KEY"),
    "replicate": Entry("REPLICATE_API_TOKEN", #"r8_[\w-]{37}"#),
    "sendgrid": Entry("SENDGRID_API_KEY", #"SG\.[\w-]{16,32}\.[\w-]{16,64}"#),
    "stripe": Entry(
      "STRIPE_API_KEY", "[sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,250}", others: ["STRIPE_SECRET_KEY", "STRIPE_SECRET"]),
    "together": Entry("TOGETHER_API_KEY", #"tgp_v1_[\w-]{43}"#),
    "tomorrow": Entry("TOMORROW_API_KEY"),
    "xai": Entry("XAI_API_KEY", #"xai-\w{70,120}"#),
  ])
}
