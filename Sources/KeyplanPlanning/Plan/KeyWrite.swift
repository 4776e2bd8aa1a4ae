package import KeyplanModel

/// The facts to record of a key, and the origin of its value.
package struct KeyWrite: Hashable, Sendable, Codable {
  /// The facts recorded with the value.
  package let facts: KeyFacts
  /// The index of the source that has the value; nil if a person sets it, or if the value does not change.
  package let source: Int?
  /// Whether the first source that has a value is found at apply only.
  package let isDeferred: Bool
  /// The way in which apply generates the value; nil for a value of another origin.
  package let generated: GeneratedValue?
  /// Whether the value is the one that was made at the provider and is recorded as pending.
  package let isMinted: Bool
  /// Whether the value is stored only after the provider has accepted it.
  package let isChecked: Bool
  /// The provider's key with this value, if its id is known. It is revoked there once it is replaced.
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

  /// Leaves out `deferred`, `mint` and `check` if they are false, and fields that are nil.
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
