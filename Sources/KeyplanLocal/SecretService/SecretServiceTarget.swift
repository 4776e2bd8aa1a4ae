package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// `type: secret-service`: items of a keyring of the desktop with one `service` attribute.
package struct SecretServiceTarget: SecretTarget {
  private let variables: [String: String]

  package init(_ context: TargetContext) { variables = context.programs.variables }

  package var backend: BackendDescription { SecretServiceSource.backend }

  package func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    guard !question.names.isEmpty else { return TargetSight(.values([:])) }
    do throws(AccessFailure) {
      let service = try service(at: destination)
      return TargetSight(
        try await Keyring.use(variables) { (keyring) throws(AccessFailure) in
          try Self.values(of: question.names, at: service, in: keyring)
        })
    } catch {
      return TargetSight(.failed(error))
    }
  }

  /// Writes name after name.
  package func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let service = try service(at: destination)
    return try await Keyring.use(variables) { (keyring) throws(AccessFailure) in
      var results: [String: WriteResult] = [:]
      for (name, value) in changes.set {
        if value.withBytes({ $0.contains(0) }) {
          results[name] = .refused(AccessFailure(.unreadable, ValueFault.holdsNUL.sentence))
          continue
        }
        results[name] = Self.result { () throws(SessionBus.Failure) in
          try keyring.set(value, of: Keyring.Query(service: service, username: name))
        }
      }
      for name in changes.remove {
        results[name] = Self.result { () throws(SessionBus.Failure) in
          try keyring.remove(Keyring.Query(service: service, username: name))
        }
      }
      return results
    }
  }

  private static func result(
    _ write: () throws(SessionBus.Failure) -> AccessFailure?
  ) -> WriteResult {
    do throws(SessionBus.Failure) {
      return try write().map(WriteResult.refused) ?? .done()
    } catch {
      let failure = AccessFailure(error)
      return error.isRefusal ? .refused(failure) : .unknown(failure.reason)
    }
  }

  private static func values(
    of names: Set<String>, at service: String, in keyring: borrowing Keyring
  ) throws(AccessFailure) -> TargetAnswer {
    var values: [String: TargetValue] = [:]
    var failures: [String: AccessFailure] = [:]
    let answers = try keyring.answers(to: Set(names.map { Keyring.Query(service: service, username: $0) }))
    for (query, answer) in answers {
      let name = query.username ?? ""
      switch answer {
      case .missing: continue
      case .value(let secret):
        values[name] = secret.withBytes { $0.contains(0) } ? .other : .text(secret)
      // A name whose value is unknown must not be overwritten.
      case .failed(let failure): failures[name] = failure
      }
    }
    return TargetAnswer(values, failures: failures, of: names)
  }

  private func service(at destination: Destination) throws(AccessFailure) -> String {
    guard let service = backend.target?.values(at: destination.location)?["service"] else {
      throw AccessFailure(.unreadable, "The service of this target is not recorded in a form that can be used.")
    }
    return service
  }
}
