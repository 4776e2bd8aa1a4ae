/// The way in which keys of a provider are made and revoked, as far as the manifest and the planner need to know.
package struct IssuerGrammar: Hashable, Sendable {
  /// The fields of the place whose keys these are, and their form in the text of a `Destination`.
  package let place: TargetGrammar
  /// The names of the parts of one key: one, or several that work only together.
  package let parts: [String]
  /// Instructions for making a key by hand; nil if keyplan can make one.
  package let manual: ManualMint?
  /// Whether a key can be made unusable in such a way that a person can undo it.
  package let canDisable: Bool
  /// Whether a key can be revoked.
  package let canRevoke: Bool
  /// Whether the lifetime of a key can be extended.
  package let canRenew: Bool

  /// - Parameter fields: those of the place.
  package init(
    fields: [BackendField], parts: [String], manual: ManualMint? = nil, canDisable: Bool = false,
    canRevoke: Bool = true,
    canRenew: Bool = false
  ) {
    self.canRenew = canRenew
    place = TargetGrammar(fields: fields)
    self.parts = parts
    self.manual = manual
    self.canDisable = canDisable
    self.canRevoke = canRevoke
  }
}

/// Instructions for making a key by hand.
package struct ManualMint: Hashable, Sendable, Codable {
  /// The address of the page.
  package let page: String
  /// The instructions for that page, as sentences.
  package let steps: String
  /// Whether keyplan can revoke the key later, if the person gives its id.
  package let isRevocable: Bool

  /// Trusts its arguments: they come from a description.
  package init(page: String, steps: String, isRevocable: Bool = false) {
    self.page = page
    self.steps = steps
    self.isRevocable = isRevocable
  }

  private enum CodingKeys: String, CodingKey { case page, steps, isRevocable = "revocable" }

  /// Reads what `encode` writes.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    page = try fields.decode(String.self, forKey: .page)
    steps = try fields.decode(String.self, forKey: .steps)
    isRevocable = try fields.decodeIfPresent(Bool.self, forKey: .isRevocable) ?? false
  }

  /// Leaves out `revocable` if it is false.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(page, forKey: .page)
    try fields.encode(steps, forKey: .steps)
    if isRevocable { try fields.encode(true, forKey: .isRevocable) }
  }
}
