import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Secrets in AWS Secrets Manager, as a target.
struct SecretsManagerTarget: SecretTarget {
  private let session: AWSSession
  private let reader = SecretsManagerReader()
  private let tokens = VersionTokens()

  init(_ session: AWSSession) { self.session = session }

  var backend: BackendDescription { session.context.backend }
  var connection: Connection? { session.context.connection }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      let place = try SecretsManagerPlace(destination.location, of: backend.target)
      let api = SecretsManagerAPI(client: try await session.client(.secretsManager))
      switch place.form {
      case .object(let secret):
        let object = JSONSecret(await api.value(of: SecretId(secret)))
        return try object.sight(question)
      case .secrets(let prefix):
        let secrets = NamedSecrets(prefix: prefix, reader: reader, api: api)
        return await secrets.sight(question)
      }
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    do throws(RemoteFailure) {
      let place = try SecretsManagerPlace(destination.location, of: backend.target)
      let api = SecretsManagerAPI(client: try await session.client(.secretsManager))
      let writing = SecretWriting(api: api, kmsKey: session.context.text("kmsKey"), tokens: tokens)
      switch place.form {
      case .object(let secret):
        let object = JSONSecret(await api.value(of: SecretId(secret)))
        return try await object.write(changes, to: secret, writing)
      case .secrets(let prefix):
        return await NamedSecrets(prefix: prefix, reader: reader, api: api).write(changes, writing)
      }
    } catch {
      throw error.asAccess
    }
  }
}

extension TargetChanges {
  /// Whether a name is as it was when the change was decided, as far as that is known.
  /// - Parameter mark: the mark that the name has now; nil if it is not there.
  func expects(_ name: String, _ mark: Mark?) -> Bool {
    guard let expected else { return true }
    guard let planned = expected[name] else { return mark == nil }
    guard let mark else { return false }
    return planned == nil || planned == mark
  }
}
