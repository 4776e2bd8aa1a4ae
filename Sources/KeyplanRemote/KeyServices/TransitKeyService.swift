import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// The transit engine of Vault and OpenBao, as far as it seals identities.
struct TransitKeyService {
  private let client: VaultClient

  init(_ environment: RemoteEnvironment, address: String, login: KeyServiceLogin?) {
    var values: [String: Connection.Value] = ["address": .text(address)]
    if let login {
      values["auth"] = .text("jwt")
      values["auth.jwt.role"] = .text(login.role)
      values["auth.jwt.token"] = login.value
      values["auth.jwt.mount"] = login.mount.map { .text($0) }
    }
    client = VaultClient(KeyService.context(VaultBackend.backend, values, environment))
  }

  func seal(
    _ identity: SecretBox, _ recipient: String, _ mount: String, _ name: String
  ) async throws(RemoteFailure) -> String {
    try await requireDerivation(mount, name)
    let answer = try await send(
      ["encrypt", name], mount, name,
      [
        ("plaintext", .secret(identity.withBytes { SecretBase64.text(of: $0) })),
        ("context", .open(Self.context(recipient))),
      ])
    guard let json = answer.json, let node = json["data", "ciphertext"], let sealed = json.text(node) else {
      throw RemoteFailure(.unreadable, KeyServiceMessages.form)
    }
    return sealed
  }

  func open(
    _ sealed: String, _ recipient: String, _ mount: String, _ name: String
  ) async throws(RemoteFailure) -> SecretBox {
    let opened = await opened(sealed, recipient, mount, name)
    // The token of a login of ours has served its purpose.
    await client.signOut()
    return try opened.get()
  }

  private func opened(
    _ sealed: String, _ recipient: String, _ mount: String, _ name: String
  ) async -> Result<SecretBox, RemoteFailure> {
    do throws(RemoteFailure) {
      let answer = try await send(
        ["decrypt", name], mount, name, [("ciphertext", .open(sealed)), ("context", .open(Self.context(recipient)))])
      guard let json = answer.json, let text = json["data", "plaintext"].flatMap({ json.secret($0) }),
        let identity = text.withBytes({ SecretBase64.bytes(in: $0) })
      else { return .failure(RemoteFailure(.unreadable, KeyServiceMessages.form)) }
      return .success(identity)
    } catch {
      return .failure(error)
    }
  }

  /// A key that is not derived ignores the context silently: permission to decrypt would then apply to all identities.
  private func requireDerivation(_ mount: String, _ name: String) async throws(RemoteFailure) {
    let answer = try await client.send(.get(Self.path(mount) + ["keys", name]))
    guard answer.meaning != .missing else {
      throw RemoteFailure(
        .refused, KeyServiceMessages.noKey(name), hint: KeyServiceMessages.makeDerived(mount, name))
    }
    guard answer.meaning == .ok, let json = answer.json, let node = json["data", "derived"] else {
      throw answer.failure(rights: KeyServiceMessages.allowReading(mount, name))
    }
    guard case .bool(true) = node.content else {
      throw RemoteFailure(
        .refused, KeyServiceMessages.notDerived(name), hint: KeyServiceMessages.makeDerived(mount, name))
    }
  }

  private func send(
    _ action: [String], _ mount: String, _ name: String, _ members: [(name: String, value: HTTPValue)]
  ) async throws(RemoteFailure) -> VaultAnswer {
    let answer = try await client.send(.post(Self.path(mount) + action, .json(members), isRepeatable: true))
    switch answer.meaning {
    case .ok: return answer
    case .refused where answer.mentions("encryption key not found"), .missing:
      throw RemoteFailure(.refused, KeyServiceMessages.noKey(name), hint: KeyServiceMessages.sealAgain)
    case .refused where answer.mentions("disallowed by policy (too old)"):
      throw RemoteFailure(
        .refused, KeyServiceMessages.tooOld(name), hint: KeyServiceMessages.lowerVersion(mount, name))
    case .refused where action[0] == "decrypt":
      throw RemoteFailure(.refused, KeyServiceMessages.otherKey, hint: KeyServiceMessages.sealAgain)
    default: throw answer.failure(rights: KeyServiceMessages.allow(mount, action[0], name))
    }
  }

  private static func path(_ mount: String) -> [String] { mount.split(separator: "/").map(String.init) }

  private static func context(_ recipient: String) -> String {
    Array("\(KeyService.contextName) \(recipient)".utf8).withUnsafeBytes { SecretBase64.text(of: $0) }
      .withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
