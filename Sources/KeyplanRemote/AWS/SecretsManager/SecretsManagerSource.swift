import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Secrets in AWS Secrets Manager, as a source.
struct SecretsManagerSource: SecretSource {
  private let session: AWSSession
  private let reader = SecretsManagerReader()

  init(_ session: AWSSession) { self.session = session }

  var backend: BackendDescription { session.context.backend }
  var connection: Connection? { session.context.connection }

  func read(_ references: [Reference]) async -> [SourceAnswer] {
    guard !references.isEmpty else { return [] }
    do throws(RemoteFailure) {
      let api = SecretsManagerAPI(client: try await session.client(.secretsManager))
      let region = api.client.endpoint.region
      let ids = references.map { reference in
        SecretId(reference: reference.location).flatMap { $0.region == nil || $0.region == region ? $0 : nil }
      }
      let found = await reader.read(Set(ids.compactMap(\.self)), api)
      return zip(references, ids).map { reference, id in
        guard let id else {
          return .unreadable(AWSMessages.invalidSecret(region: region))
        }
        return Self.answer(found[id], field: reference.selector)
      }
    } catch {
      return references.map { _ in .failed(error.asAccess) }
    }
  }

  private static func answer(_ finding: SecretsManagerAPI.Finding?, field: String?) -> SourceAnswer {
    switch finding {
    case nil: .unreadable(RemoteMessages.notAnswered)
    case .missing: .missing()
    case .deleted: .missing(reason: AWSMessages.scheduledForDeletion)
    case .failed(let failure): .failed(failure.asAccess)
    case .value(let version): JSONField.answer(version.value, field: field)
    }
  }
}
