package import KeyplanModel

extension KeyFacts {
  /// Facts of which a test says only some.
  package init(
    provider: String, model: String? = nil, variable: String? = nil, ownsVariable: Bool = false,
    expiry: Expiry? = nil, issued: Moment? = nil, sources: [String] = [], isProtected: Bool = false,
    labels: [String: String] = [:], recipients: [Identifier<Recipient>]? = nil
  ) {
    var texts = KeyTexts()
    texts[.model] = model
    self.init(
      provider: provider, texts: texts, variable: variable, ownsVariable: ownsVariable, expiry: expiry, issued: issued,
      sources: sources, isProtected: isProtected, labels: labels, recipients: recipients)
  }
}
