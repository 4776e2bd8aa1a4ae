import Crypto
import KeyplanHTTP
import KeyplanJSON
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Credentials that other programs of the user provide: the AWS CLI's session, and `credential_process`.
extension AWSCredentialSearch {
  /// The role of a session with IAM Identity Center. The session is only used: refreshing it would change the AWS
  /// CLI's files.
  func session(of profile: AWSProfiles.Profile) async throws(RemoteFailure) -> AWSCredentials? {
    let start = profile["sso_start_url"]
    guard profile["sso_session"] != nil || start != nil,
      profile["sso_account_id"] != nil || profile["sso_role_name"] != nil
    else { return nil }
    let session = profile["sso_session"]
    let region = session.map { configuration.profiles.session($0, "sso_region") } ?? profile["sso_region"]
    guard let account = profile["sso_account_id"], let role = profile["sso_role_name"], let region,
      let name = session ?? start, AWSEndpoint.isRegion(region)
    else { throw RemoteFailure(.unauthenticated, AWSMessages.partialSSO(profile.name)) }
    let token = try await token(named: name, profile)
    let query = [("account_id", account), ("role_name", role)].map { "\($0)=\(PathSegment.encode($1))" }
    let base = variable("AWS_ENDPOINT_URL_SSO") ?? "https://portal.sso.\(region).amazonaws.com"
    let address = base + "/federation/credentials?" + query.joined(separator: "&")
    let response = try await ask(address, [("x-amz-sso_bearer_token", .secret(token))])
    guard response.status != 401 else {
      throw RemoteFailure(
        .unauthenticated, AWSMessages.sessionExpired(profile.name), hint: AWSMessages.login(profile.name))
    }
    guard response.status == 200 else {
      throw RemoteFailure(
        response.status >= 500 ? .unreachable : response.status == 429 ? .throttled : .unauthenticated,
        RemoteMessages.reason(.refused, host: "portal.sso.\(region).amazonaws.com", status: response.status))
    }
    guard let json = JSONAnswer(response.body), let node = json.member("roleCredentials"),
      let found = AWSCredentials(
        json.text("accessKeyId", of: node), json.secret("secretAccessKey", of: node),
        token: json.secret("sessionToken", of: node), expires: json.integer("expiration", of: node).map { $0 / 1000 })
    else { throw RemoteFailure(.unreadable, AWSMessages.noCredentials) }
    return found
  }

  /// The token that `aws sso login` left.
  private func token(named name: String, _ profile: AWSProfiles.Profile) async throws(RemoteFailure) -> SecretBox {
    let digest = Insecure.SHA1.hash(data: Array(name.utf8))
    let file = digest.reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    let content = try await context.environment.file("~/.aws/sso/cache/\(file).json")
    guard let json = content.flatMap({ JSONAnswer($0) }), let token = json.secret("accessToken") else {
      throw RemoteFailure(.unauthenticated, AWSMessages.noSession(profile.name), hint: AWSMessages.login(profile.name))
    }
    guard let expires = json.time("expiresAt"), expires > transport.now() else {
      throw RemoteFailure(
        .unauthenticated, AWSMessages.sessionExpired(profile.name), hint: AWSMessages.login(profile.name))
    }
    return token
  }

  /// The credential printed by the profile's `credential_process`.
  func process(of profile: AWSProfiles.Profile) async throws(RemoteFailure) -> AWSCredentials? {
    guard let line = profile["credential_process"] else { return nil }
    guard let words = CommandWords.split(line), !words.isEmpty else {
      throw RemoteFailure(.unauthenticated, AWSMessages.processLine)
    }
    var call = ProgramCall(words)
    call.variables = context.environment.variables.filter { $0.key.hasPrefix("AWS_") }
    let output: SecretBox
    switch await context.environment.programs.run(call) {
    case .failed(let reason): throw RemoteFailure(.unauthenticated, reason)
    case .ended(0, let printed, _): output = printed
    case .ended(let code, _, _): throw RemoteFailure(.unauthenticated, AWSMessages.processFailed(code))
    }
    guard let json = JSONAnswer(output), json.integer("Version") == 1,
      let found = AWSCredentials(
        json.text("AccessKeyId"), json.secret("SecretAccessKey"), token: json.secret("SessionToken"),
        expires: json.time("Expiration"))
    else { throw RemoteFailure(.unauthenticated, AWSMessages.processOutput) }
    guard found.expires.map({ $0 > transport.now() }) ?? true else {
      throw RemoteFailure(.unauthenticated, AWSMessages.processExpired)
    }
    return found
  }

  /// Sends a GET, once.
  private func ask(
    _ text: String, _ headers: [(name: String, value: HTTPValue)]
  ) async throws(RemoteFailure) -> HTTPResponse {
    do throws(HTTPError) {
      var request = HTTPRequest(.get, try HTTPAddress(text))
      for (name, value) in headers { try request.add(name, value) }
      return try await transport.send(request)
    } catch {
      throw RemoteFailure(error.isUnreachable ? .unreachable : .unreadable, "\(error).", hint: error.hint)
    }
  }
}
