/// What is to be recorded of a key, and where its value comes from.
public struct KeyWrite: Hashable, Sendable, Codable {
  /// What is recorded beside it.
  public let facts: KeyFacts
  /// The index of the source that has the value; nil when a person gives it, or when it stays whatever it was.
  public let source: Int?
  /// Whether the first source that has a value is found at apply only.
  public let isDeferred: Bool
  /// How apply generates the value; nil for a value from anywhere else.
  public let generated: GeneratedValue?

  package init(facts: KeyFacts, source: Int?, isDeferred: Bool = false) {
    self.facts = facts
    self.source = source
    self.isDeferred = isDeferred
    generated = nil
  }

  package init(facts: KeyFacts, generated: GeneratedValue) {
    self.facts = facts
    source = nil
    isDeferred = false
    self.generated = generated
  }

  private enum CodingKeys: String, CodingKey { case facts, source, isDeferred = "deferred", generated = "generate" }

  /// Reads what `encode` writes.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    facts = try fields.decode(KeyFacts.self, forKey: .facts)
    source = try fields.decodeIfPresent(Int.self, forKey: .source)
    isDeferred = try fields.decodeIfPresent(Bool.self, forKey: .isDeferred) ?? false
    generated = try fields.decodeIfPresent(GeneratedValue.self, forKey: .generated)
  }

  /// Leaves `deferred` out where it is false, and `generate` where nothing is.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(facts, forKey: .facts)
    try fields.encodeIfPresent(source, forKey: .source)
    if isDeferred { try fields.encode(true, forKey: .isDeferred) }
    try fields.encodeIfPresent(generated, forKey: .generated)
  }

  /// The canonical text of that source, or of the way in which the value is generated.
  public var origin: String? { generated?.description ?? source.flatMap { facts.source(at: $0) } }
}
