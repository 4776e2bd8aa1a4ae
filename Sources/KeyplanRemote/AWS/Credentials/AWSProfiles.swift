import KeyplanSecrets
import KeyplanServices

/// The profiles of a user's AWS configuration.
struct AWSProfiles: Sendable {
  let config: AWSSharedFile?
  let credentials: AWSSharedFile?

  /// One profile. Settings in the credentials file take precedence.
  struct Profile: Sendable {
    let name: String
    let config: AWSSharedFile?
    let credentials: AWSSharedFile?

    /// Its section in the config file. That of `default` may also be written like the others.
    var section: String {
      let long = "profile \(name)"
      return name == "default" && config?.hasSection(long) != true ? name : long
    }

    /// A setting that is not secret; nil if it is not set or empty.
    subscript(name: String) -> String? {
      (credentials?.text(name, in: self.name) ?? config?.text(name, in: section)).flatMap { $0.isEmpty ? nil : $0 }
    }

    func secret(_ name: String) -> SecretBox? {
      credentials?.secret(name, in: self.name) ?? config?.secret(name, in: section)
    }

    /// The access key of the profile; nil if it has none.
    /// - Throws: `RemoteFailure` if it has a part of one.
    func accessKey() throws(RemoteFailure) -> AWSCredentials? {
      guard let id = self["aws_access_key_id"] else { return nil }
      let token = secret("aws_session_token") ?? secret("aws_security_token")
      guard let key = AWSCredentials(id, secret("aws_secret_access_key"), token: token) else {
        throw RemoteFailure(.unauthenticated, AWSMessages.partialKey("the profile \"\(name)\""))
      }
      return key
    }
  }

  /// Nil if neither file has it.
  func profile(_ name: String) -> Profile? {
    let profile = Profile(name: name, config: config, credentials: credentials)
    guard config?.hasSection(profile.section) == true || credentials?.hasSection(name) == true else { return nil }
    return profile
  }

  /// A setting of an `sso-session`.
  func session(_ name: String, _ setting: String) -> String? { config?.text(setting, in: "sso-session \(name)") }

  /// The files that the variables name, or those in the home directory.
  static func load(from environment: RemoteEnvironment) async throws(RemoteFailure) -> AWSProfiles {
    let config = try await environment.file(environment.variable("AWS_CONFIG_FILE") ?? "~/.aws/config")
    let credentials = try await environment.file(
      environment.variable("AWS_SHARED_CREDENTIALS_FILE") ?? "~/.aws/credentials")
    return AWSProfiles(config: config.map(AWSSharedFile.init), credentials: credentials.map(AWSSharedFile.init))
  }
}
