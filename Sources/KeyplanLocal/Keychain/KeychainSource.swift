#if canImport(Security)
package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets
import Security

/// `keychain://SERVICE#ACCOUNT`: a generic password of the macOS keychain.
package struct KeychainSource: RemovableSource {
  package static let backend = BackendDescription(
    "keychain", help: "Generic passwords of the macOS keychain.", isPreview: true,
    reference: ReferenceGrammar(
      .place(what: "the service of a password"), selector: .field, example: "keychain://my-app#claude", isLocal: true,
      isRemovable: true, isOutside: true,
      help:
        "The password of a service and, after #, an account. The keychain must be unlocked, and keyplan shows no dialog."
    ),
    target: TargetGrammar(
      fields: [
        BackendField(
          "service", isRequired: true, isPlace: true, example: "my-app",
          help: "The service of the passwords. The names are their accounts.")
      ], isOutside: true))

  package init(_: SourceContext) {}

  package var backend: BackendDescription { Self.backend }

  /// Reads each password once.
  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    do throws(AccessFailure) {
      return try await BlockingCalls.run { () throws(AccessFailure) in
        var answers: [Keychain: SourceAnswer] = [:]
        return references.map { reference in
          let item = Keychain(service: reference.location, account: reference.selector)
          let answer = answers[item] ?? SourceAnswer(item.read())
          answers[item] = answer
          return answer
        }
      }
    } catch {
      return references.map { _ in .failed(error) }
    }
  }

  package func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    try await BlockingCalls.run { () throws(AccessFailure) in
      let item = Keychain(service: reference.location, account: reference.selector)
      switch item.read() {
      case .missing: return
      case .failed(let failure): throw failure
      case .value(let held):
        guard held.equals(value) else { throw AccessFailure(.unreadable, "The password has another value now.") }
      }
      let status = item.remove()
      guard status == errSecSuccess else { throw AccessFailure(keychain: status) }
    }
  }
}

extension SourceAnswer {
  fileprivate init(_ answer: Keychain.Answer) {
    self =
      switch answer {
      case .value(let secret): SourceAnswer(secret)
      case .missing: .missing()
      case .failed(let failure): .failed(failure)
      }
  }
}
#endif
