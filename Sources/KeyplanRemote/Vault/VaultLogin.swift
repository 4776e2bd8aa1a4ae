import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// A token of this run.
struct VaultToken: Redacted, Sendable {
  let secret: SecretBox
  /// Whether a login of this run issued it.
  let isOurs: Bool
  /// Batch tokens cannot be revoked.
  var isRevocable = false
  let generation: Int
}

/// Gets a token in the way that the connection states.
struct VaultLogin: Sendable {
  let client: VaultClient

  private var context: ConnectionContext { client.context }

  func token(_ generation: Int) async throws(RemoteFailure) -> VaultToken {
    guard let method = context.text("auth") else {
      return VaultToken(secret: try await givenToken(), isOurs: false, generation: generation)
    }
    guard !context.connection.declared.contains("token") else {
      throw RemoteFailure(.unauthenticated, VaultMessages.twoCredentials, hint: VaultMessages.twoCredentialsHint)
    }
    let members = try await members(of: method)
    let mount = try mount(of: method)
    // A login whose answer is lost leaves a token that expires, but it can use up a secret id.
    let request = VaultRequest.post(
      ["auth"] + mount.segments + ["login"], .json(members), isRepeatable: method != "approle")
    let answer = try await client.send(request, with: nil)
    guard answer.meaning == .ok else { throw try await failure(answer, method) }
    guard let json = answer.json, let node = json["auth", "client_token"], let secret = json.secret(node) else {
      throw RemoteFailure(.unreadable, RemoteMessages.tokenMissing)
    }
    guard secret.count > 0 else { throw RemoteFailure(.unauthenticated, VaultMessages.secondFactor) }
    let type = json["auth", "token_type"].flatMap { json.text($0) }
    return VaultToken(secret: secret, isOurs: true, isRevocable: type != "batch", generation: generation)
  }

  private func mount(of method: String) throws(RemoteFailure) -> VaultPath {
    guard let path = VaultPath(context.text("auth.\(method).mount") ?? method) else {
      throw RemoteFailure(.unreadable, RemoteMessages.invalidField("mount", must: "a path"))
    }
    return path
  }

  /// The members of the login request.
  private func members(of method: String) async throws(RemoteFailure) -> [(name: String, value: HTTPValue)] {
    func text(_ name: String) -> String { context.text("auth.\(method).\(name)") ?? "" }
    switch method {
    case "approle":
      return [("role_id", .open(text("roleId"))), ("secret_id", .secret(try await secretId()))]
    case "jwt":
      guard let token = try await identityToken("auth.jwt.token") else {
        throw RemoteFailure(.unauthenticated, VaultMessages.noIdentityToken)
      }
      return [("role", .open(text("role"))), ("jwt", .secret(token))]
    case "kubernetes":
      return [("role", .open(text("role"))), ("jwt", .secret(try await serviceAccountToken()))]
    default:
      let name = text("name")
      return name.isEmpty ? [] : [("name", .open(name))]
    }
  }

  /// The token of the connection, or the one that `vault login` left.
  private func givenToken() async throws(RemoteFailure) -> SecretBox {
    if let token = try await secret("token") { return token }
    let missing = RemoteFailure(.unauthenticated, VaultMessages.noToken, hint: VaultMessages.noTokenHint)
    guard let home = context.environment.home else { throw missing }
    switch await context.environment.configuration(at: home + "/.vault-token") {
    case .value(let token): return token.trimmed
    case .missing: throw missing
    case .failed(let failure): throw RemoteFailure(failure.at("~/.vault-token"))
    }
  }

  private func secretId() async throws(RemoteFailure) -> SecretBox {
    let (plain, wrapped) = ("auth.approle.secretId", "auth.approle.wrappedSecretId")
    guard context.hasValue(plain) != context.hasValue(wrapped) else {
      throw RemoteFailure(.unauthenticated, VaultMessages.noSecretId)
    }
    if let secret = try await secret(plain) { return secret }
    // It can be unwrapped once, and a second login needs it again.
    return try await client.unwrapped.value("") {
      do throws(RemoteFailure) { return .success(try await unwrap()) } catch { return .failure(error) }
    }.get()
  }

  private func unwrap() async throws(RemoteFailure) -> SecretBox {
    guard let wrapping = try await secret("auth.approle.wrappedSecretId") else {
      throw RemoteFailure(.unauthenticated, VaultMessages.noSecretId)
    }
    // The server records the path that an answer was wrapped at: that of a substituted token is another one.
    let origin = try await client.send(
      .post(["sys", "wrapping", "lookup"], isRepeatable: true), with: wrapping)
    guard origin.meaning == .ok else { throw wrapFailure(origin) }
    let path = origin.json.flatMap { json in json["data", "creation_path"].flatMap { json.text($0) } } ?? ""
    let start = "auth/\(try mount(of: "approle").text)/role/"
    let namespace = try await client.server().namespace.map { $0 + "/" } ?? ""
    guard path.hasPrefix(start) || path.hasPrefix(namespace + start),
      path.hasSuffix("/secret-id") || path.hasSuffix("/custom-secret-id")
    else {
      throw RemoteFailure(.unauthenticated, VaultMessages.otherWrapped, hint: VaultMessages.unwrappedBeforeHint)
    }
    let answer = try await client.send(.post(["sys", "wrapping", "unwrap"]), with: wrapping)
    guard answer.meaning == .ok else { throw wrapFailure(answer) }
    guard let json = answer.json, let secret = json["data", "secret_id"].flatMap({ json.secret($0) }) else {
      throw RemoteFailure(.unauthenticated, VaultMessages.otherWrapped)
    }
    return secret
  }

  private func wrapFailure(_ answer: VaultAnswer) -> RemoteFailure {
    guard answer.meaning == .refused || answer.meaning == .denied else { return answer.failure() }
    return RemoteFailure(
      .unauthenticated, VaultMessages.unwrappedBefore, hint: VaultMessages.unwrappedBeforeHint)
  }

  /// The projected token is replaced from time to time, so that it is read for each login.
  private func serviceAccountToken() async throws(RemoteFailure) -> SecretBox {
    if let token = try await identityToken("auth.kubernetes.token") { return token }
    switch await context.environment.configuration(at: Self.serviceAccountFile) {
    case .value(let token): return token.trimmed
    case .missing: throw RemoteFailure(.unauthenticated, VaultMessages.noServiceAccount)
    case .failed(let failure): throw RemoteFailure(failure)
    }
  }

  static let serviceAccountFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"

  private func secret(_ name: String) async throws(RemoteFailure) -> SecretBox? {
    do throws(AccessFailure) { return try await context.secret(name) } catch { throw RemoteFailure(error) }
  }

  private func identityToken(_ name: String) async throws(RemoteFailure) -> SecretBox? {
    do throws(AccessFailure) { return try await context.identityToken(name) } catch { throw RemoteFailure(error) }
  }

  private func failure(_ answer: VaultAnswer, _ method: String) async throws(RemoteFailure) -> RemoteFailure {
    let host = try await client.server().host
    if answer.meaning == .unreadable, answer.status == 404 {
      return answer.mentions("no handler")
        ? RemoteFailure(
          .unreadable, VaultMessages.methodMissing(method, host), hint: VaultMessages.methodMissingHint)
        : answer.failure()
    }
    let isUnconfigured = answer.mentions("could not load backend configuration")
    guard [.refused, .denied, .missing].contains(answer.meaning) || isUnconfigured else { return answer.failure() }
    let known = VaultRefusal.all.first { answer.mentions($0.text) }
    return RemoteFailure(
      .unauthenticated,
      known?.reason ?? VaultMessages.loginFailed(method, host, status: answer.status),
      hint: known == nil ? VaultMessages.methodMissingHint : known?.hint)
  }
}
