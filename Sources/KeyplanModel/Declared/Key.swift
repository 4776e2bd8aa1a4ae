/// A key as the manifest declares it.
package struct Key: Sendable {
  @Indirect private var content: Content

  private struct Content {
    let facts: KeyFacts
    let sources: [Reference]
    let generated: GeneratedValue?
    let minting: Minting?
    let follow: Follow
    let isUnsafeNameAllowed: Bool
    let keptFor: KeptFor
    let place: FileLocation?
  }

  /// Trusts its arguments: the manifest's reader has checked them.
  package init(
    facts: KeyFacts, sources: [Reference], generated: GeneratedValue? = nil, minting: Minting? = nil,
    follow: Follow = .always,
    isUnsafeNameAllowed: Bool = false, keptFor: KeptFor = KeptFor(), place: FileLocation? = nil
  ) {
    content = Content(
      facts: facts, sources: sources, generated: generated, minting: minting, follow: follow,
      isUnsafeNameAllowed: isUnsafeNameAllowed, keptFor: keptFor, place: place)
  }

  /// What the store records of it beside the value.
  package var facts: KeyFacts { content.facts }
  /// Where the value is looked for, in order; only a definite *missing* moves on. Empty: the store is the authority.
  package var sources: [Reference] { content.sources }
  /// How an apply generates the value, once: from then on the store is the authority. Such a key has no sources.
  package var generated: GeneratedValue? { content.generated }
  /// How an apply has the key made at its provider: the store is the authority for its value. Such a key has no sources.
  package var minting: Minting? { content.minting }
  /// Whether it is one of several parts, which work only together.
  package var isPart: Bool { (minting?.parts.count ?? 1) > 1 }
  /// Whether a changed value at the source is stored.
  package var follow: Follow { content.follow }
  /// How long programs may keep the value.
  package var keptFor: KeptFor { content.keptFor }
  /// Where the manifest declares it.
  package var place: FileLocation? { content.place }

  /// The variable it is exported under, where that needs a permission and the manifest asks for it.
  package var unsafeVariable: ExternalAccess? {
    guard content.isUnsafeNameAllowed, let variable = facts.variable, VariableName.isUnsafe(variable) else {
      return nil
    }
    return ExternalAccess(.variable, variable)
  }

  /// What it touches beyond the manifest's folder.
  var surface: [ExternalAccess] { sources.compactMap(\.surface) + [unsafeVariable].compactMap(\.self) }

  /// How a key follows its source.
  package enum Follow: String, Sendable, Codable, CaseIterable {
    /// A changed value is stored by the next apply.
    case always
    /// A value is taken only when nothing is recorded.
    case once
  }
}

/// What the store records of a key beside its value. Any difference to the declared facts is an `update`.
package struct KeyFacts: Hashable, Sendable, Codable {
  /// The provider's name; `generic` for a value that belongs to no provider.
  package let provider: String
  /// The model the key is meant for.
  package let model: String?
  /// The variable the key is exported under: its own, or else its provider's.
  package let variable: String?
  /// Whether the variable is the key's own, and not only its provider's.
  package let ownsVariable: Bool
  /// When it is too old.
  package let expiry: Expiry?
  /// When the provider issued it; without it the age counts from when its value was stored.
  package let issued: Moment?
  /// The canonical texts of the sources, in order. A generated value has exactly one.
  package let sources: [String]
  /// Whether it must never be forgotten without a person saying so.
  package let isProtected: Bool
  /// Free words for people and filters.
  package let labels: [String: String]
  /// The recipients that can open its value, sorted; nil for all with full access.
  package let recipients: [Identifier<Recipient>]?

  package init(
    provider: String, model: String? = nil, variable: String? = nil, ownsVariable: Bool = false,
    expiry: Expiry? = nil, issued: Moment? = nil, sources: [String] = [], isProtected: Bool = false,
    labels: [String: String] = [:], recipients: [Identifier<Recipient>]? = nil
  ) {
    self.recipients = recipients
    self.provider = provider
    self.model = model
    self.variable = variable
    self.ownsVariable = ownsVariable
    self.expiry = expiry
    self.issued = issued
    self.sources = sources
    self.isProtected = isProtected
    self.labels = labels
  }

  /// The same for other recipients.
  package func with(recipients: [Identifier<Recipient>]?) -> KeyFacts {
    KeyFacts(
      provider: provider, model: model, variable: variable, ownsVariable: ownsVariable, expiry: expiry, issued: issued,
      sources: sources, isProtected: isProtected, labels: labels, recipients: recipients)
  }

  /// Where the key is made, in words: `openai-admin proj_1`; nil if keyplan does not have it made.
  package var mintedAt: String? { sources.first.flatMap(Minting.place) }

  /// The variable, if a reviewer is shown that a key has a new one: a program may do anything with it.
  package var reviewedVariable: String? { variable.flatMap { VariableName.use(of: $0) == .reviewed ? $0 : nil } }

  /// How the value is generated, in words: `hex, 32 bytes`; nil where it comes from elsewhere.
  package var generated: String? { sources.first.flatMap(GeneratedValue.form(in:)) }

  /// The canonical text of the source with this index; nil where there is none.
  package func source(at index: Int) -> String? { sources.indices.contains(index) ? sources[index] : nil }
}
