package import KeyplanModel

/// What is to be recorded of a key, and where its value comes from.
package struct KeyWrite: Hashable, Sendable, Codable {
  /// What is recorded beside it.
  package let facts: KeyFacts
  /// The index of the source that has the value; nil when a person gives it, or when it stays whatever it was.
  package let source: Int?
  /// Whether the first source that has a value is found at apply only.
  package let isDeferred: Bool
  /// How apply generates the value; nil for a value from anywhere else.
  package let generated: GeneratedValue?
  /// Whether the value is the one that was made at the provider and is recorded as pending.
  package let isMinted: Bool
  /// Whether the provider is asked about the value first, and the value is stored only if the provider accepts it.
  package let isChecked: Bool
  /// The provider's key with this value, if its id was given. It is revoked there once it is replaced.
  package var issued: IssuedKeys.Key? { named?.wrappedValue }
  // Stored indirectly, because few steps have one.
  private var named: Indirect<IssuedKeys.Key>?

  package init(
    facts: KeyFacts, source: Int?, isDeferred: Bool = false, isChecked: Bool = false, issued: IssuedKeys.Key? = nil
  ) {
    self.facts = facts
    self.source = source
    self.isDeferred = isDeferred
    self.isChecked = isChecked
    named = issued.map { Indirect(wrappedValue: $0) }
    generated = nil
    isMinted = false
  }

  /// A value that was made at the provider.
  package init(minted facts: KeyFacts, isChecked: Bool) {
    self.facts = facts
    source = nil
    isDeferred = false
    generated = nil
    isMinted = true
    self.isChecked = isChecked
  }

  package init(facts: KeyFacts, generated: GeneratedValue) {
    self.facts = facts
    source = nil
    isDeferred = false
    isChecked = false
    isMinted = false
    self.generated = generated
  }

  private enum CodingKeys: String, CodingKey {
    case facts, source, isDeferred = "deferred", generated = "generate", isMinted = "mint", isChecked = "check", named =
      "issued"
  }

  /// Reads what `encode` writes.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    facts = try fields.decode(KeyFacts.self, forKey: .facts)
    source = try fields.decodeIfPresent(Int.self, forKey: .source)
    isDeferred = try fields.decodeIfPresent(Bool.self, forKey: .isDeferred) ?? false
    generated = try fields.decodeIfPresent(GeneratedValue.self, forKey: .generated)
    isMinted = try fields.decodeIfPresent(Bool.self, forKey: .isMinted) ?? false
    isChecked = try fields.decodeIfPresent(Bool.self, forKey: .isChecked) ?? false
    named = try fields.decodeIfPresent(Indirect<IssuedKeys.Key>.self, forKey: .named)
  }

  /// Leaves `deferred`, `mint` and `check` out where they are false, and what is nil.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(facts, forKey: .facts)
    try fields.encodeIfPresent(source, forKey: .source)
    if isDeferred { try fields.encode(true, forKey: .isDeferred) }
    try fields.encodeIfPresent(generated, forKey: .generated)
    if isMinted { try fields.encode(true, forKey: .isMinted) }
    if isChecked { try fields.encode(true, forKey: .isChecked) }
    try fields.encodeIfPresent(named, forKey: .named)
  }

  /// The canonical text of that source, or of the way in which the value is generated or made.
  package var origin: String? {
    isMinted ? facts.sources.first : generated?.description ?? source.flatMap { facts.source(at: $0) }
  }
}
