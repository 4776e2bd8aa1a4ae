/// The ways in which a service's own tools look for a credential, in their order.
///
/// A way that is configured and does not work ends the search: another credential in its place would hide the fault,
/// and could belong to another account.
package struct CredentialChain<Credential: Sendable>: Sendable {
  /// The result of one way.
  package enum Finding: Sendable {
    /// It is not configured.
    case absent
    /// It is configured and does not work.
    case failed(RemoteFailure)
    case found(Credential)
  }

  /// One way.
  package struct Step: Sendable {
    /// A noun phrase without a value, such as `environment variables`.
    package let name: String
    package let find: @Sendable () async -> Finding

    package init(_ name: String, _ find: @escaping @Sendable () async -> Finding) {
      self.name = name
      self.find = find
    }
  }

  package let steps: [Step]
  /// The hint if none is configured.
  package let hint: String

  package init(steps: [Step], hint: String) {
    self.steps = steps
    self.hint = hint
  }

  /// The credential of the first step that has one, and the name of the step.
  package func credential() async throws(RemoteFailure) -> (step: String, credential: Credential) {
    for step in steps {
      switch await step.find() {
      case .absent: continue
      case .found(let credential): return (step.name, credential)
      case .failed(let failure): throw failure.at(step.name)
      }
    }
    throw RemoteFailure(
      .unauthenticated, RemoteMessages.noCredential(searched: steps.map(\.name)), hint: hint)
  }
}

extension CredentialChain.Step {
  /// A step that returns nil if it is not configured, and throws if it does not work.
  package init(
    _ name: String, attempt: @escaping @Sendable () async throws(RemoteFailure) -> Credential?
  ) {
    self.init(name) { () async -> CredentialChain.Finding in
      do throws(RemoteFailure) {
        guard let credential = try await attempt() else { return .absent }
        return .found(credential)
      } catch {
        return .failed(error)
      }
    }
  }
}
