package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// `secret-service://SERVICE#USERNAME`: an item of a keyring of the desktop.
package struct SecretServiceSource: RemovableSource {
  package static let backend = BackendDescription(
    "secret-service", title: "Secret Service",
    help: "Items of the desktop's keyring, such as GNOME Keyring, over the session bus (Secret Service API).",
    reference: ReferenceGrammar(
      .place(what: "the \"service\" attribute of an item"), selector: .field,
      example: "secret-service://my-app#claude", isLocal: true, isRemovable: true, isOutside: true,
      help:
        "The item with the attribute \"service\" and, after #, the attribute \"username\", as secret-tool and Python's "
        + "keyring write them. Other attributes are ignored; exactly one item must match. A keyring must be unlocked "
        + "already. Each service requires a permission of its own."),
    target: TargetGrammar(
      fields: [
        BackendField(
          "service", isRequired: true, isPlace: true, example: "my-app",
          help: "The \"service\" attribute of the items. The names are their \"username\" attributes.")
      ], isOutside: true))
  private let variables: [String: String]

  package init(_ context: SourceContext) { variables = context.variables }

  package var backend: BackendDescription { Self.backend }

  /// Finds each item once, and gets all values together.
  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    guard !references.isEmpty else { return [] }
    let queries = Set(references.map(Keyring.Query.init))
    do throws(AccessFailure) {
      let answers = try await Keyring.use(variables) { (keyring) throws(AccessFailure) in
        try keyring.answers(to: queries)
      }
      return references.map { SourceAnswer(answers[Keyring.Query($0)]) }
    } catch {
      return references.map { _ in .failed(error) }
    }
  }

  package func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    try await Keyring.use(variables) { (keyring) throws(AccessFailure) in
      let failure: AccessFailure?
      do throws(SessionBus.Failure) {
        failure = try keyring.remove(Keyring.Query(reference), holding: value)
      } catch {
        throw AccessFailure(error)
      }
      if let failure { throw failure }
    }
  }
}

extension Keyring.Query {
  fileprivate init(_ reference: Reference) { self.init(service: reference.location, username: reference.selector) }
}

extension SourceAnswer {
  fileprivate init(_ answer: Keyring.Answer?) {
    self =
      switch answer {
      case .value(let secret): SourceAnswer(secret)
      case .failed(let failure): .failed(failure)
      case .missing, nil: .missing()
      }
  }
}
