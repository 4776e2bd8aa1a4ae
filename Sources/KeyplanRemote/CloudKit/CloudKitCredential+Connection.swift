import KeyplanCloudKit
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

extension CloudKitCredential {
  /// - Throws: the reason that there is none.
  init(_ context: ConnectionContext) async throws(RemoteFailure) {
    let declared = context.connection.declared
    let hasKey = !declared.isDisjoint(with: ["keyId", "privateKey"])
    switch (hasKey, declared.contains("apiToken")) {
    case (true, true): throw RemoteFailure(.unauthenticated, CloudKitMessages.twoCredentials)
    case (false, false):
      throw RemoteFailure(.unauthenticated, CloudKitMessages.noCredential, hint: CloudKitMessages.credentialHint)
    case (true, false): self = .key(try await Self.key(context))
    case (false, true):
      guard let token = try await Self.secret("apiToken", context), token.count > 0 else {
        throw RemoteFailure(.unauthenticated, CloudKitMessages.noCredential, hint: CloudKitMessages.credentialHint)
      }
      self = .token(token)
    }
  }

  var canWrite: Bool { if case .key = self { true } else { false } }

  private static func key(_ context: ConnectionContext) async throws(RemoteFailure) -> CloudKitKey {
    guard let id = context.text("keyId"), let pem = try await secret("privateKey", context) else {
      throw RemoteFailure(.unauthenticated, CloudKitMessages.halfKey, hint: CloudKitMessages.credentialHint)
    }
    guard let key = CloudKitKey(id: id, pem: pem) else {
      throw RemoteFailure(.unauthenticated, CloudKitMessages.badKey, hint: CloudKitMessages.badKeyHint)
    }
    return key
  }

  private static func secret(
    _ name: String, _ context: ConnectionContext
  ) async throws(RemoteFailure) -> SecretBox? {
    do throws(AccessFailure) { return try await context.secret(name) } catch { throw RemoteFailure(error) }
  }
}
