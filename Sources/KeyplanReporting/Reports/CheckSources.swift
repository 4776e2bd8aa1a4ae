package import KeyplanModel

/// The documents that a built-in check of keys comes from.
package struct CheckSources: Sendable {
  /// The names of the providers whose keys it checks, in order.
  package let providers: [String]
  package let isPreview: Bool
  package let documents: [CitedDocument]

  package init(of providers: [String], isPreview: Bool, documents: [CitedDocument]) {
    (self.providers, self.isPreview, self.documents) = (providers, isPreview, documents)
  }
}

/// The document that the format of a provider's keys comes from.
package struct FormatSource: Sendable {
  package let provider: String
  package let document: String

  package init(provider: String, document: String) { (self.provider, self.document) = (provider, document) }
}
