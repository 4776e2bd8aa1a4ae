/// A key as the manifest declares it.
package struct Key: Sendable {
  @Indirect private var content: Content

  private struct Content {
    let facts: KeyFacts
    let sources: [Reference]
    let generated: GeneratedValue?
    let minting: Minting?
    let composition: Composition?
    let follow: Follow
    let isUnsafeNameAllowed: Bool
    let keptFor: KeptFor
    let place: FileLocation?
  }

  /// Trusts its arguments: the manifest's reader has checked them.
  package init(
    facts: KeyFacts, sources: [Reference], generated: GeneratedValue? = nil, minting: Minting? = nil,
    composition: Composition? = nil, follow: Follow = .always,
    isUnsafeNameAllowed: Bool = false, keptFor: KeptFor = KeptFor(), place: FileLocation? = nil
  ) {
    content = Content(
      facts: facts, sources: sources, generated: generated, minting: minting, composition: composition,
      follow: follow, isUnsafeNameAllowed: isUnsafeNameAllowed, keptFor: keptFor, place: place)
  }

  /// The facts that the store records with the value.
  package var facts: KeyFacts { content.facts }
  /// The sources of the value, in order; only a definite *missing* moves on to the next. Empty: the store is the authority.
  package var sources: [Reference] { content.sources }
  /// The way in which an apply generates the value, once: from then on the store is the authority. Such a key has no sources.
  package var generated: GeneratedValue? { content.generated }
  /// The way in which an apply has the key made at its provider: the store is the authority for its value. Such a key has no sources.
  package var minting: Minting? { content.minting }
  /// The way in which an apply makes the value of those of other keys. Such a key has no sources.
  package var composition: Composition? { content.composition }
  /// Whether it is one of several parts, which work only together.
  package var isPart: Bool { (minting?.parts.count ?? 1) > 1 }
  /// Whether a changed value at the source is stored.
  package var follow: Follow { content.follow }
  /// The time for which programs may keep the value.
  package var keptFor: KeptFor { content.keptFor }
  /// The location of the declaration.
  package var place: FileLocation? { content.place }

  /// The variable it is exported under, if that needs a permission and the manifest declares it.
  package var unsafeVariable: ExternalAccess? {
    guard content.isUnsafeNameAllowed, let variable = facts.variable, VariableName.isUnsafe(variable) else {
      return nil
    }
    return ExternalAccess(.variable, variable)
  }

  /// The external accesses.
  var surface: [ExternalAccess] { sources.compactMap(\.surface) + [unsafeVariable].compactMap(\.self) }

  /// The way in which a key follows its source.
  package enum Follow: String, Sendable, Codable, CaseIterable {
    /// A changed value is stored by the next apply.
    case always
    /// A value is stored only if none is recorded.
    case once
  }
}

/// The facts that the store records with a key's value. Any difference to the declared facts is an `update`.
package struct KeyFacts: Hashable, Sendable {
  /// The provider's name; `generic` for a value that belongs to no provider.
  package let provider: String
  package let texts: KeyTexts
  /// The variable the key is exported under: its own, or else its provider's.
  package let variable: String?
  /// Whether the variable is the key's own, and not only its provider's.
  package let ownsVariable: Bool
  /// The lifetime, if it is limited.
  package let expiry: Expiry?
  /// The date of issue at the provider; without it the age counts from when the value was stored.
  package let issued: Moment?
  /// The canonical texts of the sources, in order. A generated or composed value has exactly one.
  package let sources: [String]
  /// Whether it must never be forgotten without a person saying so.
  package let isProtected: Bool
  /// Free words for people and filters.
  package let labels: [String: String]
  /// The recipients that can open its value, sorted; nil for all with full access.
  package private(set) var recipients: [Identifier<Recipient>]?

  /// Without default arguments: a fact that is forgotten where facts are made would be lost there.
  package init(
    provider: String, texts: KeyTexts, variable: String?, ownsVariable: Bool, expiry: Expiry?, issued: Moment?,
    sources: [String], isProtected: Bool, labels: [String: String], recipients: [Identifier<Recipient>]?
  ) {
    self.provider = provider
    self.texts = texts
    self.variable = variable
    self.ownsVariable = ownsVariable
    self.expiry = expiry
    self.issued = issued
    self.sources = sources
    self.isProtected = isProtected
    self.labels = labels
    self.recipients = recipients
  }

  /// The same for other recipients.
  package func with(recipients: [Identifier<Recipient>]?) -> KeyFacts {
    var facts = self
    facts.recipients = recipients
    return facts
  }

  /// The model the key is meant for.
  package var model: String? { texts[.model] }

  /// The place where the key is made, as text: `openai-admin proj_1`; nil if keyplan does not have it made.
  package var mintedAt: String? { sources.first.flatMap(Minting.place) }

  /// The variable, if a reviewer is shown that a key has a new one: a program may do anything with it.
  package var reviewedVariable: String? { variable.flatMap { VariableName.use(of: $0) == .reviewed ? $0 : nil } }

  /// The way in which the value is generated, as text: `hex, 32 bytes`; nil if it is not generated.
  package var generated: String? { sources.first.flatMap(GeneratedValue.form(in:)) }

  /// The canonical text of the source with this index; nil if there is none.
  package func source(at index: Int) -> String? { sources.indices.contains(index) ? sources[index] : nil }
}

extension KeyFacts: Codable {
  private enum Field: String, CodingKey {
    case provider, variable, ownsVariable, expiry, issued, sources, isProtected, labels, recipients
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    self.init(
      provider: try fields.decode(String.self, forKey: .provider), texts: try KeyTexts(from: decoder),
      variable: try fields.decodeIfPresent(String.self, forKey: .variable),
      ownsVariable: try fields.decode(Bool.self, forKey: .ownsVariable),
      expiry: try fields.decodeIfPresent(Expiry.self, forKey: .expiry),
      issued: try fields.decodeIfPresent(Moment.self, forKey: .issued),
      sources: try fields.decode([String].self, forKey: .sources),
      isProtected: try fields.decode(Bool.self, forKey: .isProtected),
      labels: try fields.decode([String: String].self, forKey: .labels),
      recipients: try fields.decodeIfPresent([Identifier<Recipient>].self, forKey: .recipients))
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(provider, forKey: .provider)
    try fields.encodeIfPresent(variable, forKey: .variable)
    try fields.encode(ownsVariable, forKey: .ownsVariable)
    try fields.encodeIfPresent(expiry, forKey: .expiry)
    try fields.encodeIfPresent(issued, forKey: .issued)
    try fields.encode(sources, forKey: .sources)
    try fields.encode(isProtected, forKey: .isProtected)
    try fields.encode(labels, forKey: .labels)
    try fields.encodeIfPresent(recipients, forKey: .recipients)
    try texts.encode(to: encoder)
  }
}
