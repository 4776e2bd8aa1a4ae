import KeyplanModel
import KeyplanPorts
import KeyplanServices

/// Parameters in AWS Parameter Store, as a source.
struct ParameterStoreSource: SecretSource {
  let session: AWSSession

  var backend: BackendDescription { session.context.backend }
  var connection: Connection? { session.context.connection }

  func read(_ references: [Reference]) async -> [SourceAnswer] {
    guard !references.isEmpty else { return [] }
    do throws(RemoteFailure) {
      let api = ParameterStoreAPI(client: try await session.client(.parameterStore))
      let region = api.client.endpoint.region
      let ids = references.map { reference in
        ParameterId(reference: reference.location).flatMap { $0.region == nil || $0.region == region ? $0 : nil }
      }
      let found = await api.values(of: Set(ids.compactMap(\.self)))
      return zip(references, ids).map { reference, id in
        guard let id else { return .unreadable(AWSMessages.invalidParameter(region: region)) }
        return switch found[id] {
        case nil: .unreadable(RemoteMessages.notAnswered)
        case .missing: .missing()
        case .failed(let failure): .failed(failure.asAccess)
        case .value(let parameter): JSONField.answer(parameter.value, field: reference.selector)
        }
      }
    } catch {
      return references.map { _ in .failed(error.asAccess) }
    }
  }
}
