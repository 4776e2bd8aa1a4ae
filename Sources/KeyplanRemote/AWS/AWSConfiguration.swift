import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// The region, the profile and the addresses of a connection, from the manifest, the environment and the user's own
/// files.
struct AWSConfiguration: Redacted, Sendable {
  let context: ConnectionContext
  let profiles: AWSProfiles
  /// The name of the profile, whether or not it exists.
  let profileName: String
  /// Nil if neither file has the profile.
  let profile: AWSProfiles.Profile?

  /// Whether the manifest names the profile. Credentials in the environment are then not used, as in AWS's own
  /// programs.
  var isProfileDeclared: Bool { context.connection.declared.contains("profile") }
  /// Whether the manifest or a variable names the profile, so that it must exist.
  var isProfileNamed: Bool { isProfileDeclared || context.text("profile") != nil }

  static func load(for context: ConnectionContext) async throws(RemoteFailure) -> AWSConfiguration {
    try context.environment.requireUsable("AWS_CA_BUNDLE")
    let profiles = try await AWSProfiles.load(from: context.environment)
    let name = context.text("profile") ?? "default"
    return AWSConfiguration(
      context: context, profiles: profiles, profileName: name, profile: profiles.profile(name))
  }

  func variable(_ name: String) -> String? { context.environment.variable(name) }

  /// From the manifest, else `AWS_REGION`, `AWS_DEFAULT_REGION`, else the profile.
  func region() throws(RemoteFailure) -> String {
    guard let region = context.text("region") ?? profile?["region"] else {
      if isProfileNamed, profile == nil {
        throw RemoteFailure(.unauthenticated, AWSMessages.noProfile(profileName), hint: AWSMessages.listProfiles)
      }
      throw RemoteFailure(.unreadable, AWSMessages.noRegion, hint: AWSMessages.setRegion)
    }
    guard AWSEndpoint.isRegion(region) else { throw RemoteFailure(.unreadable, AWSMessages.invalidRegion(region)) }
    return region
  }

  func endpoint(_ service: AWSService) throws(RemoteFailure) -> AWSEndpoint {
    for variable in ["AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"] {
      guard self.variable(variable)?.lowercased() != "true" else {
        throw RemoteFailure(
          .unreadable, AWSMessages.unsupportedEndpoint(variable), hint: AWSEndpointMessages.setEndpoint(service))
      }
    }
    var override: String?
    if variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased() != "true" {
      override = service.endpointVariables.lazy.compactMap { variable($0) }.first ?? profile?["endpoint_url"]
    }
    return try AWSEndpoint(service, in: try region(), at: override)
  }
}
