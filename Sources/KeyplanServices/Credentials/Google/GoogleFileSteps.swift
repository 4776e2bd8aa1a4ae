import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanOAuth
import KeyplanSecrets

/// The kinds of credential files. Their addresses must be of hosts that the connection names: such a file may have been
/// downloaded, and a host that gets a credential needs a permission.
extension GoogleCredentialSearch {
  package func credential(_ file: GoogleCredentialFile) async throws(RemoteFailure) -> AmbientCredential {
    guard file.text("universe_domain") ?? "googleapis.com" == "googleapis.com" else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.otherUniverse)
    }
    switch file.text("type") {
    case "service_account": return try await serviceAccount(file)
    case "authorized_user": return try await user(file)
    case "external_account": return try await external(file)
    case "impersonated_service_account": return try await impersonated(file)
    default: throw RemoteFailure(.unauthenticated, GoogleMessages.otherType)
    }
  }

  /// An address in the file, if it is at the host that a field of the connection names.
  private func address(
    _ file: GoogleCredentialFile, _ name: String, of field: String, default path: String? = nil
  ) throws(RemoteFailure) -> String {
    let known = try client.address(field)
    guard let text = file.text(name) ?? path.map({ known + $0 }) else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.missing(name))
    }
    guard let address = try? HTTPAddress(text), RequestBuilder.origin(of: text) == RequestBuilder.origin(of: known)
    else {
      let host = (try? HTTPAddress(text))?.host
      throw RemoteFailure(
        .unauthenticated, GoogleMessages.otherHost(name), hint: host.map { GoogleMessages.nameHost($0, field) })
    }
    return address.text
  }

  /// The audience of an assertion, whatever the address that it is sent to.
  private static let audience = "https://oauth2.googleapis.com/token"

  private func serviceAccount(_ file: GoogleCredentialFile) async throws(RemoteFailure) -> AmbientCredential {
    guard let email = file.text("client_email") else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.missing("client_email"))
    }
    guard let key = file.secret("private_key") else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.missing("private_key"))
    }
    let address = try address(file, "token_uri", of: "oauth", default: "/token")
    func literal(_ text: String) -> BodyTree { .literal(.string(text)) }
    var assertion = SecretAPI.Assertion(key: Template(variable: "key"))
    if let id = file.text("private_key_id") { assertion.header = .object([Named("kid", literal(id))]) }
    assertion.claims = .object([
      Named("iss", literal(email)), Named("scope", literal(Self.scope)), Named("aud", literal(Self.audience)),
    ])
    assertion.lifetime = 3600
    var bindings = Bindings()
    bindings["key"] = .secret(key)
    let signed = try SignedAssertion.make(assertion, bindings, at: client.now)
    let token = try await client.token(
      "access_token", at: address,
      .form([
        ("grant_type", .open("urn:ietf:params:oauth:grant-type:jwt-bearer")), ("assertion", .secret(signed)),
      ]), rejected: GoogleMessages.accountRejected, hint: GoogleMessages.newKey)
    return AmbientCredential(token: token, owner: email)
  }

  private func user(_ file: GoogleCredentialFile) async throws(RemoteFailure) -> AmbientCredential {
    guard let id = file.text("client_id"), let secret = file.secret("client_secret"),
      let refresh = file.secret("refresh_token")
    else { throw RemoteFailure(.unauthenticated, GoogleMessages.missing("client_id, client_secret or refresh_token")) }
    // As Google's libraries, which do not use the file's own address here.
    let token = try await client.token(
      "access_token", at: try client.address("oauth") + "/token",
      .form([
        ("grant_type", .open("refresh_token")), ("client_id", .open(id)), ("client_secret", .secret(secret)),
        ("refresh_token", .secret(refresh)),
      ]), rejected: GoogleMessages.userRejected, hint: GoogleMessages.signInAgain)
    return AmbientCredential(token: token)
  }

  /// Workload identity federation: the token of another service is exchanged for one of Google's.
  private func external(_ file: GoogleCredentialFile) async throws(RemoteFailure) -> AmbientCredential {
    guard let audience = file.text("audience"), let type = file.text("subject_token_type") else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.missing("audience or subject_token_type"))
    }
    // Both addresses first: no other server may receive the subject token.
    let exchange = try address(file, "token_url", of: "sts", default: "/v1/token")
    let impersonation =
      file.member("service_account_impersonation_url") == nil
      ? nil : try address(file, "service_account_impersonation_url", of: "iam")
    var headers: [(name: String, value: HTTPValue)] = []
    if let id = file.text("client_id"), let secret = file.secret("client_secret") {
      headers.append(
        ("authorization", .secret(SecretBase64.text(of: .secret(secret, after: id + ":")), after: "Basic ")))
    }
    let token = try await client.token(
      "access_token", at: exchange,
      .form([
        ("grant_type", .open("urn:ietf:params:oauth:grant-type:token-exchange")), ("audience", .open(audience)),
        ("scope", .open(Self.scope)),
        ("requested_token_type", .open("urn:ietf:params:oauth:token-type:access_token")),
        ("subject_token_type", .open(type)), ("subject_token", .secret(try await subjectToken(file))),
      ]), headers, rejected: GoogleMessages.subjectRejected, hint: GoogleMessages.checkPool)
    guard let impersonation else { return AmbientCredential(token: token) }
    return try await impersonate(
      impersonation, with: token,
      seconds: file.member("service_account_impersonation", "token_lifetime_seconds").flatMap { file.json.number($0) })
  }

  private func impersonated(_ file: GoogleCredentialFile) async throws(RemoteFailure) -> AmbientCredential {
    let address = try address(file, "service_account_impersonation_url", of: "iam")
    guard let source = file.member("source_credentials"),
      file.member("delegates").map({ file.json.elements($0) })?.isEmpty ?? true
    else { throw RemoteFailure(.unauthenticated, GoogleMessages.unsupportedImpersonation) }
    let inner = GoogleCredentialFile(json: file.json, object: source)
    // One of these would be a way to sign in on its own, and could nest without end.
    guard inner.text("type") != "impersonated_service_account" else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.unsupportedImpersonation)
    }
    return try await impersonate(address, with: try await credential(inner).token, seconds: nil)
  }

  private func impersonate(
    _ address: String, with token: SecretBox, seconds: String?
  ) async throws(RemoteFailure) -> AmbientCredential {
    let lifetime = seconds.flatMap { Int($0) } ?? 3600
    let body = BodyTree.object([
      Named("scope", .array([.literal(.string(Self.scope))])), Named("lifetime", .literal(.string("\(lifetime)s"))),
    ])
    guard let json = try? body.json(Bindings(), [:]) else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.unsupportedImpersonation)
    }
    let token = try await client.token(
      "accessToken", at: address, HTTPBody(type: "application/json", json),
      [("authorization", .secret(token, after: "Bearer "))],
      rejected: GoogleMessages.impersonationRejected, hint: GoogleMessages.allowImpersonation)
    let owner = address.split(separator: "/").last.map { $0.prefix { $0 != ":" } }
    return AmbientCredential(token: token, owner: owner.map(String.init))
  }

  /// The token of the other service: in a file, or at an address with the headers that the file has for it.
  private func subjectToken(_ file: GoogleCredentialFile) async throws(RemoteFailure) -> SecretBox {
    let content: SecretBox
    if let path = file.text("credential_source", "file") {
      guard let found = try await context.environment.file(path) else {
        throw RemoteFailure(.unauthenticated, RemoteMessages.noFile(path))
      }
      content = found
    } else if file.member("credential_source", "environment_id") == nil,
      let address = file.text("credential_source", "url")
    {
      content = try await subjectToken(at: address, file)
    } else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.otherSource, hint: GoogleMessages.useFile)
    }
    guard file.text("credential_source", "format", "type") == "json" else { return content }
    guard let name = file.text("credential_source", "format", "subject_token_field_name"),
      let token = JSONAnswer(content)?.secret(name), token.count > 0
    else { throw RemoteFailure(.unauthenticated, GoogleMessages.noSubjectToken) }
    return token
  }

  private func subjectToken(
    at address: String, _ file: GoogleCredentialFile
  ) async throws(RemoteFailure) -> SecretBox {
    var headers: [(name: String, value: HTTPValue)] = []
    for header in file.json.members(file.member("credential_source", "headers")) {
      guard let value = file.json.secret(header.value) else { continue }
      headers.append((header.name, .secret(value)))
    }
    let request = try client.metadata(address, headers, invalid: GoogleMessages.subjectAddress)
    guard let response = try await client.probe(request, within: .seconds(10), tries: 3) else {
      throw RemoteFailure(.unreachable, RemoteMessages.reason(.unreachable, host: request.address.host, status: 0))
    }
    guard response.status == 200 else {
      throw RemoteFailure(
        response.status >= 500 ? .unreachable : .unauthenticated, GoogleMessages.subjectStatus(response.status))
    }
    return response.body
  }
}
