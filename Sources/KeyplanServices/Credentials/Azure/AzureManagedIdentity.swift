import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets

/// The identity that Azure gives to its own machines, apps and containers.
extension AzureCredentialSearch {
  package func managedIdentity() async throws(RemoteFailure) -> AmbientCredential? {
    guard let endpoint = variable("IDENTITY_ENDPOINT") else {
      guard variable("MSI_ENDPOINT") == nil else {
        throw RemoteFailure(.unauthenticated, AzureMessages.unsupportedIdentity("MSI_ENDPOINT"))
      }
      return try await machine()
    }
    guard let header = variable("IDENTITY_HEADER") else {
      throw RemoteFailure(
        .unauthenticated, AzureMessages.unsupportedIdentity("IDENTITY_ENDPOINT without IDENTITY_HEADER"))
    }
    guard variable("IDENTITY_SERVER_THUMBPRINT") == nil else {
      throw RemoteFailure(.unauthenticated, AzureMessages.unsupportedIdentity("IDENTITY_SERVER_THUMBPRINT"))
    }
    // App Service, Functions, Container Apps.
    let request = try client.metadata(
      endpoint + query("2019-08-01", after: endpoint),
      [("X-IDENTITY-HEADER", .secret(SecretBox(Array(header.utf8))))], invalid: AzureMessages.identityAddress)
    return try await token(request)
  }

  /// A virtual machine (Instance Metadata Service).
  private func machine() async throws(RemoteFailure) -> AmbientCredential? {
    let host = variable("AZURE_POD_IDENTITY_AUTHORITY_HOST") ?? "http://169.254.169.254"
    let base = host.hasSuffix("/") ? String(host.dropLast()) : host
    let address = base + "/metadata/identity/oauth2/token" + query("2018-02-01", after: "")
    // Where there is no such service, nothing answers: a machine elsewhere must not wait long for it. Without its header,
    // the service only refuses, at once.
    let probe = try client.metadata(address, [], invalid: AzureMessages.identityAddress)
    guard try await client.probe(probe, within: .seconds(1), tries: 1) != nil else { return nil }
    return try await token(
      try client.metadata(address, [("Metadata", .open("true"))], invalid: AzureMessages.identityAddress))
  }

  private func query(_ version: String, after address: String) -> String {
    var parameters = "api-version=\(version)&resource=\(PathSegment.encode(Self.resource))"
    if let id = context.text("client") { parameters += "&client_id=\(PathSegment.encode(id))" }
    return (address.contains("?") ? "&" : "?") + parameters
  }

  private func token(_ request: HTTPRequest) async throws(RemoteFailure) -> AmbientCredential {
    guard let response = try await client.probe(request, within: .seconds(10), tries: 3) else {
      throw RemoteFailure(.unreachable, RemoteMessages.reason(.unreachable, host: request.address.host, status: 0))
    }
    guard response.status == 200 else {
      guard response.status != 400 else { throw RemoteFailure(.unauthenticated, AzureMessages.noIdentity) }
      let isPassing = response.status >= 500 || [404, 410, 429].contains(response.status)
      throw RemoteFailure(isPassing ? .unreachable : .unauthenticated, AzureMessages.identityStatus(response.status))
    }
    guard let token = JSONAnswer(response.body)?.secret("access_token"), token.count > 0 else {
      throw RemoteFailure(.unreadable, AzureMessages.identityForm)
    }
    return AmbientCredential(token: token, owner: context.text("client").map { "managed identity \($0)" })
  }
}
