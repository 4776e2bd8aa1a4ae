#if canImport(Security)
package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets
import Security

/// `type: keychain`: generic passwords of one service in the macOS keychain.
package struct KeychainTarget: SecretTarget {
  package init(_: TargetContext) {}

  package var backend: BackendDescription { KeychainSource.backend }

  package func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    guard !question.names.isEmpty else { return TargetSight(.values([:])) }
    do throws(AccessFailure) {
      let service = try service(at: destination)
      return TargetSight(
        try await BlockingCalls.run { () throws(AccessFailure) in
          var values: [String: TargetValue] = [:]
          var failures: [String: AccessFailure] = [:]
          for name in question.names {
            switch Keychain(service: service, account: name).read() {
            case .missing: continue
            case .value(let secret): values[name] = secret.withBytes { $0.contains(0) } ? .other : .text(secret)
            case .failed(let failure): failures[name] = failure
            }
          }
          return TargetAnswer(values, failures: failures, of: question.names)
        })
    } catch {
      return TargetSight(.failed(error))
    }
  }

  /// Writes name after name. The framework's calls either fail as a whole or are done.
  package func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let service = try service(at: destination)
    return try await BlockingCalls.run { () throws(AccessFailure) in
      var results: [String: WriteResult] = [:]
      for (name, value) in changes.set {
        results[name] =
          value.withBytes { $0.contains(0) }
          ? .refused(AccessFailure(.unreadable, ValueFault.holdsNUL.sentence))
          : Self.result(Keychain(service: service, account: name).set(value))
      }
      for name in changes.remove { results[name] = Self.result(Keychain(service: service, account: name).remove()) }
      return results
    }
  }

  private static func result(_ status: OSStatus) -> WriteResult {
    status == errSecSuccess ? .done() : .refused(AccessFailure(keychain: status))
  }

  private func service(at destination: Destination) throws(AccessFailure) -> String {
    guard let service = backend.target?.values(at: destination.location)?["service"] else {
      throw AccessFailure(.unreadable, "The service of this target is not recorded in a form that can be used.")
    }
    return service
  }
}
#endif
