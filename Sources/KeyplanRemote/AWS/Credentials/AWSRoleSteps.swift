import KeyplanSecrets
import KeyplanServices

/// Roles that profiles and variables name.
extension AWSCredentialSearch {
  /// The profile's `role_arn`, assumed with the credential of its source.
  func roleOfProfile() async throws(RemoteFailure) -> AWSCredentials? {
    guard let profile = configuration.profile else {
      guard !configuration.isProfileNamed else {
        throw RemoteFailure(
          .unauthenticated, AWSMessages.noProfile(configuration.profileName), hint: AWSMessages.listProfiles)
      }
      return nil
    }
    guard profile["role_arn"] != nil, profile["web_identity_token_file"] == nil else { return nil }
    return try await role(of: profile, visited: [])
  }

  private func role(of profile: AWSProfiles.Profile, visited: Set<String>) async throws(RemoteFailure)
    -> AWSCredentials
  {
    let name = profile.name
    guard let arn = profile["role_arn"] else {
      throw RemoteFailure(.unauthenticated, AWSMessages.sourceChoice(name))
    }
    guard profile["mfa_serial"] == nil else {
      throw RemoteFailure(.unauthenticated, AWSMessages.needsMFA(name), hint: AWSMessages.useSession)
    }
    let source: AWSCredentials
    switch (profile["source_profile"], profile["credential_source"]) {
    case (let other?, nil): source = try await self.source(other, of: profile, visited: visited.union([name]))
    case (nil, let kind?): source = try await self.source(kind, of: profile)
    default: throw RemoteFailure(.unauthenticated, AWSMessages.sourceChoice(name))
    }
    let role = AWSTokenService.Role(
      arn: arn, sessionName: profile["role_session_name"], externalId: profile["external_id"],
      duration: profile["duration_seconds"])
    return try await assume(role, with: source)
  }

  /// The credential of a `source_profile`.
  private func source(
    _ name: String, of profile: AWSProfiles.Profile, visited: Set<String>
  ) async throws(RemoteFailure) -> AWSCredentials {
    guard let source = configuration.profiles.profile(name) else {
      throw RemoteFailure(.unauthenticated, AWSMessages.noProfile(name), hint: AWSMessages.listProfiles)
    }
    // A profile may be its own source: its access key assumes its role.
    if name == profile.name, let key = try source.accessKey() { return key }
    guard !visited.contains(name) else { throw RemoteFailure(.unauthenticated, AWSMessages.sourceLoop(name)) }
    if let key = try source.accessKey() { return key }
    if let token = try await webIdentity(of: source) { return token }
    if source["role_arn"] != nil { return try await role(of: source, visited: visited) }
    if let session = try await session(of: source) { return session }
    if let printed = try await process(of: source) { return printed }
    throw RemoteFailure(.unauthenticated, AWSMessages.emptySource(name))
  }

  /// The credential of a `credential_source`.
  private func source(_ kind: String, of profile: AWSProfiles.Profile) async throws(RemoteFailure) -> AWSCredentials {
    let found: AWSCredentials?
    switch kind.lowercased() {
    case "environment": found = try environment()
    case "ec2instancemetadata": found = try await instance()
    case "ecscontainer": found = try await container()
    default: throw RemoteFailure(.unauthenticated, AWSMessages.unknownSource(profile.name))
    }
    guard let found else { throw RemoteFailure(.unauthenticated, AWSMessages.emptySource(kind)) }
    return found
  }

  /// The role of `AWS_ROLE_ARN` or of the profile, with the token in a file.
  func webIdentity() async throws(RemoteFailure) -> AWSCredentials? {
    let profile = configuration.profile
    func setting(_ name: String, _ variable: String) -> String? {
      (configuration.isProfileDeclared ? nil : self.variable(variable)) ?? profile?[name]
    }
    guard let path = setting("web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE") else { return nil }
    guard let arn = setting("role_arn", "AWS_ROLE_ARN") else {
      throw RemoteFailure(.unauthenticated, AWSMessages.tokenFileWithoutRole)
    }
    let role = AWSTokenService.Role(
      arn: arn, sessionName: setting("role_session_name", "AWS_ROLE_SESSION_NAME"),
      duration: profile?["duration_seconds"])
    return try await assume(role, withTokenAt: path)
  }

  private func webIdentity(of profile: AWSProfiles.Profile) async throws(RemoteFailure) -> AWSCredentials? {
    guard let path = profile["web_identity_token_file"], let arn = profile["role_arn"] else { return nil }
    let role = AWSTokenService.Role(
      arn: arn, sessionName: profile["role_session_name"], duration: profile["duration_seconds"])
    return try await assume(role, withTokenAt: path)
  }

  /// The file is read each time: its token is replaced regularly.
  private func assume(_ role: AWSTokenService.Role, withTokenAt path: String) async throws(RemoteFailure)
    -> AWSCredentials
  {
    guard let token = try await context.environment.file(path) else {
      throw RemoteFailure(.unauthenticated, AWSMessages.noTokenFile(path))
    }
    return try await AWSTokenService.assume(role, with: token, try sts(nil))
  }
}
