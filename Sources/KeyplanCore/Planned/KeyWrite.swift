/// What is to be recorded of a key, and where its value comes from.
public struct KeyWrite: Hashable, Sendable, Codable {
  /// What is recorded beside it.
  public let facts: KeyFacts
  /// The index of the source that has the value; nil when a person gives it, or when it stays whatever it was.
  public let source: Int?
  /// Whether the first source that has a value is found at apply only.
  public let isDeferred: Bool

  package init(facts: KeyFacts, source: Int?, isDeferred: Bool = false) {
    self.facts = facts
    self.source = source
    self.isDeferred = isDeferred
  }

  private enum CodingKeys: String, CodingKey { case facts, source, isDeferred = "deferred" }

  /// Reads what `encode` writes.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    facts = try fields.decode(KeyFacts.self, forKey: .facts)
    source = try fields.decodeIfPresent(Int.self, forKey: .source)
    isDeferred = try fields.decodeIfPresent(Bool.self, forKey: .isDeferred) ?? false
  }

  /// Leaves `deferred` out where it is false.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(facts, forKey: .facts)
    try fields.encodeIfPresent(source, forKey: .source)
    if isDeferred { try fields.encode(true, forKey: .isDeferred) }
  }

  /// The canonical text of that source.
  public var origin: String? { source.flatMap { facts.source(at: $0) } }
}
