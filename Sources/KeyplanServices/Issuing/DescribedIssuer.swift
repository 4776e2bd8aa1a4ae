package import KeyplanModel
package import KeyplanPorts

/// The keys of a provider that is described as data, through one connection.
package struct DescribedIssuer: KeyIssuing {
  package let connection: Connection
  package let hasLabels: Bool
  package let listDelay: Interval
  private let grammar: IssuerGrammar
  private let issuer: @Sendable ([String: String]) async throws(KeyIssuerFailure) -> KeyIssuer?

  /// - Parameter issuer: the issuer of the place with these fields.
  package init(
    _ connection: Connection, _ grammar: IssuerGrammar, hasLabels: Bool, listDelay: Interval,
    issuer: @escaping @Sendable ([String: String]) async throws(KeyIssuerFailure) -> KeyIssuer?
  ) {
    self.connection = connection
    self.grammar = grammar
    self.hasLabels = hasLabels
    self.listDelay = listDelay
    self.issuer = issuer
  }

  package func list(at place: Destination) async throws(KeyIssuerFailure) -> [ListedKey] {
    try await issuer(at: place).list()
  }

  package func mint(_ label: String, at place: Destination) async throws(KeyIssuerFailure) -> MintedKey {
    try await issuer(at: place).mint(label)
  }

  package func orphans(
    of labels: [String], at place: Destination
  ) async throws(KeyIssuerFailure) -> [String: [String]] {
    try await issuer(at: place).orphans(of: labels)
  }

  package func disable(_ id: String, label: String, at place: Destination) async throws(KeyIssuerFailure)
    -> IssuedKeyEnd
  {
    try await issuer(at: place).disable(id, label: label)
  }

  package func revoke(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    try await issuer(at: place).revoke(id)
  }

  private func issuer(at place: Destination) async throws(KeyIssuerFailure) -> KeyIssuer {
    guard let fields = grammar.place.values(at: place.location), let issuer = try await issuer(fields) else {
      throw KeyIssuerFailure(.refused, IssuerMessages.otherPlace(place.location))
    }
    return issuer
  }
}

extension SecretAPI {
  /// The grammar of the keys for the manifest and the planner; nil for a service that makes none.
  package var issuerGrammar: IssuerGrammar? {
    guard let rotate else { return nil }
    let fields = target.map { $0.asBackendField(isPlace: true) }
    switch rotate.mint {
    case .request(let mint):
      return IssuerGrammar(
        fields: fields, parts: mint.values.map(\.name).sorted(), canDisable: rotate.disable != nil,
        canRevoke: rotate.revoke != nil)
    case .manual(let manual):
      return IssuerGrammar(
        fields: fields, parts: ["key"], manual: manual, canDisable: rotate.disable != nil,
        canRevoke: rotate.revoke != nil)
    }
  }

  package var listDelay: Interval { rotate?.list?.delay ?? Interval(seconds: 0) }

  package var hasLabels: Bool { if case .request(let mint)? = rotate?.mint { mint.isLabelled } else { false } }
}
