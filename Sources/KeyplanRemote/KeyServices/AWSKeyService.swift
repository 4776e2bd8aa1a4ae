import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// AWS KMS, as far as it seals identities.
struct AWSKeyService {
  private let session: AWSSession

  private static let backend = BackendDescription(
    "awskms", title: "AWS KMS", help: "Keys of AWS KMS.", connection: AWSConnection.grammar(.kms, []))

  init(_ environment: RemoteEnvironment, region: String, login: KeyServiceLogin?) {
    var values: [String: Connection.Value] = ["region": .text(region)]
    if let login {
      values["role"] = .text(login.role)
      values["jwt"] = login.value
    }
    session = AWSSession(KeyService.context(Self.backend, values, environment))
  }

  func seal(_ identity: SecretBox, _ recipient: String, _ arn: String) async throws(RemoteFailure) -> String {
    let answer = try await call(
      "Encrypt", arn, recipient, ("Plaintext", .secret(identity.withBytes { SecretBase64.text(of: $0) })))
    guard let sealed = answer.text("CiphertextBlob"), answer.text("KeyId") == arn else {
      throw RemoteFailure(.unreadable, KeyServiceMessages.form)
    }
    return sealed
  }

  func open(_ sealed: String, _ recipient: String, _ arn: String) async throws(RemoteFailure) -> SecretBox {
    // Without the key's name, it would open with whatever key the text names.
    let answer = try await call("Decrypt", arn, recipient, ("CiphertextBlob", .text(sealed)))
    guard answer.text("KeyId") == arn, let text = answer.member("Plaintext").flatMap({ answer.secret($0) }),
      let identity = text.withBytes({ SecretBase64.bytes(in: $0) })
    else { throw RemoteFailure(.unreadable, KeyServiceMessages.form) }
    return identity
  }

  private func call(
    _ action: String, _ arn: String, _ recipient: String, _ content: (name: String, value: JSONBody?)
  ) async throws(RemoteFailure) -> JSONAnswer {
    let client = try await session.client(.kms)
    do throws(AWSError) {
      return try await client.call(
        action,
        .object([
          ("KeyId", .text(arn)), ("EncryptionContext", .object([(KeyService.contextName, .text(recipient))])), content,
        ]))
    } catch {
      switch error.code {
      case "NotFoundException": throw RemoteFailure(.refused, KeyServiceMessages.noKey(arn))
      case "InvalidCiphertextException", "IncorrectKeyException":
        throw RemoteFailure(.refused, KeyServiceMessages.otherKey, hint: KeyServiceMessages.sealAgain)
      case "DisabledException", "KMSInvalidStateException":
        throw RemoteFailure(.denied, KeyServiceMessages.unusable(arn))
      default: throw error.failure
      }
    }
  }
}
