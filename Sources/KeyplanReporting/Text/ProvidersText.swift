/// The providers for people: all in a table, or one with its details.
package enum ProvidersText {
  package static func render(_ providers: [KnownProvider], style: Style) -> String {
    var page = Page(style: style)
    let inOrder = providers.filter { $0.check != .preview } + providers.filter { $0.check == .preview }
    page.table([["PROVIDER", "VARIABLE", "KEYS BEGIN", "CHECKED", "KEYS MADE BY"]] + inOrder.map(row), gap: 2)
    page.end()
    if providers.contains(where: { $0.check == .preview }) {
      page.prose("preview: \(PreviewMessages.meaning).", indent: 0)
      page.end()
    }
    page.prose(
      "A provider that is not in the list is declared under providers: in the manifest; without a provider, write generic.",
      indent: 0)
    page.end()
    return page.text
  }

  private static func row(_ provider: KnownProvider) -> [String] {
    [
      provider.name, provider.variable ?? "", provider.beginnings.first ?? "", provider.check.word, provider.keys.maker,
    ]
  }

  /// One provider, with an example of its key in a manifest.
  package static func render(_ provider: KnownProvider, style: Style) -> String {
    var page = Page(style: style)
    page.put(provider.name, .strong)
    page.end()
    page.end()
    page.labelled(facts(of: provider))
    page.end()
    page.example(example(of: provider))
    return page.text
  }

  private static func facts(of provider: KnownProvider) -> [(String, String)] {
    var facts: [(String, String)] = []
    if let variable = provider.variable { facts.append(("variable", variable)) }
    if !provider.otherVariables.isEmpty {
      facts.append(("imported from", provider.otherVariables.joined(separator: ", ")))
    }
    if !provider.beginnings.isEmpty { facts.append(("keys begin", provider.beginnings.joined(separator: ", "))) }
    if let format = provider.format { facts.append(("format", format)) }
    facts.append(
      ("checked", provider.check == .none ? "no" : "yes: keyplan verify asks whether it accepts a key"))
    if provider.check == .preview { facts.append(("", "The check is a preview: \(PreviewMessages.meaning).")) }
    switch provider.keys {
    case .made(let type): facts.append(("keys made by", "keyplan, through a connection of type \(type)"))
    case .manual(let type, let page):
      facts.append(("keys made by", "a person, at \(page)"))
      facts.append(("connection", type))
    case .elsewhere: break
    }
    return facts
  }

  private static func example(of provider: KnownProvider) -> [String] {
    let variable = provider.variable ?? "MY_SECRET"
    let own = provider.variable == nil ? ["    variable: \(variable)"] : []
    return ["version: 1", "keys:", "  \(provider.name)-main:", "    provider: \(provider.name)"] + own + [
      "    source: dotenv://.env#\(variable)"
    ]
  }
}

extension KnownProvider.Check {
  fileprivate var word: String {
    switch self {
    case .none: "no"
    case .preview: "preview"
    case .judged: "yes"
    }
  }
}

extension KnownProvider.Keys {
  fileprivate var maker: String {
    switch self {
    case .made: "keyplan"
    case .manual: "a person"
    case .elsewhere: ""
    }
  }
}
