import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Finds the credential of a connection: the one that the manifest declares, or else the one that AWS's own tools would
/// use, in their order (botocore's `create_credential_resolver`).
struct AWSCredentialSearch: Redacted, Sendable {
  let configuration: AWSConfiguration
  let transport: RemoteTransport
  /// Those of the transport, for requests with other limits.
  let settings: HTTPSettings
  let lane: Lane

  var context: ConnectionContext { configuration.context }
  func variable(_ name: String) -> String? { configuration.variable(name) }

  func credentials() async throws(RemoteFailure) -> AWSCredentials {
    let role = context.text("role").map {
      AWSTokenService.Role(arn: $0, sessionName: variable("AWS_ROLE_SESSION_NAME"))
    }
    if let token = try await identityToken() {
      guard let role else { throw RemoteFailure(.unauthenticated, AWSMessages.tokenWithoutRole) }
      return try await AWSTokenService.assume(role, with: token, try sts(nil))
    }
    let found = if let key = try await declared() { key } else { try await searched() }
    guard let role else { return found }
    var assumed = try await assume(role, with: found)
    assumed.step = found.step
    return assumed
  }

  private func searched() async throws(RemoteFailure) -> AWSCredentials {
    var (step, found) = try await chain.credential()
    found.step = step
    return found
  }

  /// The access key that the manifest refers to.
  private func declared() async throws(RemoteFailure) -> AWSCredentials? {
    guard context.hasValue("accessKeyId") || context.hasValue("secretAccessKey") else { return nil }
    let id = try await secret("accessKeyId")?.withBytes { String(decoding: $0, as: UTF8.self) }
    guard let key = AWSCredentials(id, try await secret("secretAccessKey"), token: try await secret("sessionToken"))
    else { throw RemoteFailure(.unauthenticated, AWSMessages.missingPair) }
    return key
  }

  private func identityToken() async throws(RemoteFailure) -> SecretBox? {
    do throws(AccessFailure) {
      return try await context.identityToken("jwt")
    } catch {
      throw RemoteFailure(error)
    }
  }

  private func secret(_ field: String) async throws(RemoteFailure) -> SecretBox? {
    do throws(AccessFailure) {
      return try await context.secret(field)
    } catch {
      throw RemoteFailure(error)
    }
  }

  /// The steps, in the order of AWS's own tools.
  var chain: CredentialChain<AWSCredentials> {
    var steps: [CredentialChain<AWSCredentials>.Step] = []
    // A profile named in the manifest must not depend on the environment.
    if !configuration.isProfileDeclared { steps.append(.init("environment variables", attempt: environment)) }
    steps.append(.init("role of the profile", attempt: roleOfProfile))
    steps.append(.init("web identity", attempt: webIdentity))
    steps.append(.init("IAM Identity Center", attempt: identityCenter))
    steps.append(.init("credentials file", attempt: credentialsFile))
    steps.append(.init("console session", attempt: consoleSession))
    steps.append(.init("credential_process", attempt: process))
    steps.append(.init("config file", attempt: configFile))
    if !configuration.isProfileDeclared {
      steps.append(.init("container", attempt: container))
      steps.append(.init("instance metadata", attempt: instance))
    }
    return CredentialChain(steps: steps, hint: AWSMessages.chainHint)
  }

  /// `AWS_ACCESS_KEY_ID` with its companions.
  func environment() throws(RemoteFailure) -> AWSCredentials? {
    guard let id = variable("AWS_ACCESS_KEY_ID") else { return nil }
    func secret(_ name: String) -> SecretBox? { variable(name).map { SecretBox(Array($0.utf8)) } }
    let token = secret("AWS_SESSION_TOKEN") ?? secret("AWS_SECURITY_TOKEN")
    guard let key = AWSCredentials(id, secret("AWS_SECRET_ACCESS_KEY"), token: token) else {
      throw RemoteFailure(.unauthenticated, AWSMessages.partialKey("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"))
    }
    return key
  }

  private func credentialsFile() throws(RemoteFailure) -> AWSCredentials? {
    guard let profile = configuration.profile else { return nil }
    return try AWSProfiles.Profile(name: profile.name, config: nil, credentials: profile.credentials).accessKey()
  }

  private func configFile() throws(RemoteFailure) -> AWSCredentials? {
    guard let profile = configuration.profile else { return nil }
    return try AWSProfiles.Profile(name: profile.name, config: profile.config, credentials: nil).accessKey()
  }

  /// A session that `aws login` made. Its cache is not documented.
  private func consoleSession() throws(RemoteFailure) -> AWSCredentials? {
    guard let profile = configuration.profile, profile["login_session"] != nil else { return nil }
    throw RemoteFailure(
      .unauthenticated, AWSMessages.consoleSession(profile.name), hint: AWSMessages.exportSession)
  }

  private func process() async throws(RemoteFailure) -> AWSCredentials? {
    guard let profile = configuration.profile else { return nil }
    return try await process(of: profile)
  }

  private func identityCenter() async throws(RemoteFailure) -> AWSCredentials? {
    guard let profile = configuration.profile else { return nil }
    return try await session(of: profile)
  }

  /// A client of STS, signed with a credential, or not at all.
  func sts(_ credentials: AWSCredentials?) throws(RemoteFailure) -> AWSClient {
    AWSClient(
      endpoint: try configuration.endpoint(.sts), transport: transport, lane: lane,
      signIn: credentials.map { credentials in
        AWSSignIn(now: transport.now) { () throws(RemoteFailure) in credentials }
      })
  }

  func assume(_ role: AWSTokenService.Role, with credentials: AWSCredentials) async throws(RemoteFailure)
    -> AWSCredentials
  {
    try await AWSTokenService.assume(role, try sts(credentials))
  }
}
