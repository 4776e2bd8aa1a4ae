package import KeyplanModel

/// The facts to record of a key, and the origin of its value.
package struct KeyWrite: Hashable, Sendable, Codable {
  /// The facts recorded with the value.
  package let facts: KeyFacts
  package let value: Value
  /// The date of issue that a person gave with the value; nil for the one that the manifest declares.
  package let issuedAt: Moment?

  /// The origin of the value. If it `isChecked`, it is stored only after the provider has accepted it. `issued` is the provider's key with this value, if its id was given: it is revoked there once it is replaced.
  package enum Value: Hashable, Sendable {
    /// The source with this index.
    case source(Int, isChecked: Bool, issued: Indirect<IssuedKeys.Key>?)
    /// The first source that has a value, which is found at apply only.
    case firstSource(isChecked: Bool)
    /// No source: a person gives it, the adoption names its place, or the recorded one stays.
    case given(isChecked: Bool, issued: Indirect<IssuedKeys.Key>?)
    /// Apply generates it.
    case generated(GeneratedValue)
    /// It was made at the provider, and is recorded as pending.
    case minted(isChecked: Bool)
    /// Apply makes it of the values that other keys have then.
    case composed(Composition)
  }

  package init(_ facts: KeyFacts, _ value: Value, issuedAt: Moment? = nil) {
    (self.facts, self.value, self.issuedAt) = (facts, value, issuedAt)
  }

  /// - Parameter source: the index of the source that has the value; nil for one that no source has.
  package init(
    facts: KeyFacts, source: Int?, isChecked: Bool = false, issued: IssuedKeys.Key? = nil, issuedAt: Moment? = nil
  ) {
    // Stored indirectly, because few steps have one.
    let issued = issued.map { Indirect(wrappedValue: $0) }
    self.init(
      facts,
      source.map { .source($0, isChecked: isChecked, issued: issued) } ?? .given(isChecked: isChecked, issued: issued),
      issuedAt: issuedAt)
  }

  package var isChecked: Bool {
    switch value {
    case .source(_, let isChecked, _), .firstSource(let isChecked), .given(let isChecked, _), .minted(let isChecked):
      isChecked
    case .generated, .composed: false
    }
  }

  package var issued: IssuedKeys.Key? {
    switch value {
    case .source(_, _, let issued), .given(_, let issued): issued?.wrappedValue
    case .firstSource, .generated, .minted, .composed: nil
    }
  }

  package var isGenerated: Bool { if case .generated = value { true } else { false } }

  package var isMinted: Bool { if case .minted = value { true } else { false } }

  /// The way in which apply makes the value of others; nil if it does not.
  package var composition: Composition? { if case .composed(let composition) = value { composition } else { nil } }

  /// The canonical text of the source, or of the way in which the value is generated or made; nil where it is not known yet.
  package var origin: String? {
    switch value {
    case .source(let index, _, _): facts.source(at: index)
    case .generated(let value): value.description
    case .composed(let composition): composition.description
    case .minted: facts.sources.first
    case .firstSource, .given: nil
    }
  }
}

extension KeyWrite {
  private enum CodingKeys: String, CodingKey {
    case facts, source, deferred, generate, mint, compose, check, issued, issuedAt
  }

  /// Reads what `encode` writes.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    func flag(_ key: CodingKeys) throws -> Bool { try fields.decodeIfPresent(Bool.self, forKey: key) ?? false }
    facts = try fields.decode(KeyFacts.self, forKey: .facts)
    issuedAt = try fields.decodeIfPresent(Moment.self, forKey: .issuedAt)
    let source = try fields.decodeIfPresent(Int.self, forKey: .source)
    let generated = try fields.decodeIfPresent(GeneratedValue.self, forKey: .generate)
    let issued = try fields.decodeIfPresent(Indirect<IssuedKeys.Key>.self, forKey: .issued)
    let isChecked = try flag(.check)
    if let composition = try fields.decodeIfPresent(Composition.self, forKey: .compose) {
      guard source == nil, generated == nil, issued == nil, !isChecked, try !flag(.deferred), try !flag(.mint) else {
        throw DecodingError.dataCorruptedError(
          forKey: .compose, in: fields, debugDescription: "The value comes from one place.")
      }
      value = .composed(composition)
      return
    }
    switch (source, try flag(.deferred), generated, try flag(.mint), issued) {
    case (let index?, false, nil, false, _): value = .source(index, isChecked: isChecked, issued: issued)
    case (nil, false, nil, false, _): value = .given(isChecked: isChecked, issued: issued)
    case (nil, true, nil, false, nil): value = .firstSource(isChecked: isChecked)
    case (nil, false, let generated?, false, nil) where !isChecked: value = .generated(generated)
    case (nil, false, nil, true, nil): value = .minted(isChecked: isChecked)
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .source, in: fields, debugDescription: "The value comes from one place.")
    }
  }

  /// Leaves out `deferred`, `mint` and `check` if they are false, and fields that are nil.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(facts, forKey: .facts)
    switch value {
    case .source(let index, _, _): try fields.encode(index, forKey: .source)
    case .firstSource: try fields.encode(true, forKey: .deferred)
    case .generated(let value): try fields.encode(value, forKey: .generate)
    case .minted: try fields.encode(true, forKey: .mint)
    case .composed(let composition): try fields.encode(composition, forKey: .compose)
    case .given: break
    }
    if isChecked { try fields.encode(true, forKey: .check) }
    try fields.encodeIfPresent(issued, forKey: .issued)
    try fields.encodeIfPresent(issuedAt, forKey: .issuedAt)
  }
}
