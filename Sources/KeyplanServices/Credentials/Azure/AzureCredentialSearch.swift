import KeyplanHTTP
import KeyplanSecrets

/// The part of Azure's `DefaultAzureCredential` that needs no person and no program, in its order. A client secret in the
/// environment comes before all of it: it is a field of the connection.
package struct AzureCredentialSearch: Redacted, Sendable {
  package let context: ConnectionContext
  package let client: ChainClient

  package init(_ context: ConnectionContext) {
    self.context = context
    client = ChainClient(context)
  }

  package func variable(_ name: String) -> String? { context.environment.variable(name) }

  package static let resource = "https://vault.azure.net"

  package var chain: CredentialChain<AmbientCredential> {
    typealias Step = CredentialChain<AmbientCredential>.Step
    let steps: [(name: String, step: Step)] = [
      ("EnvironmentCredential", Step("environment variables", attempt: certificate)),
      ("WorkloadIdentityCredential", Step("workload identity", attempt: workloadIdentity)),
      ("ManagedIdentityCredential", Step("managed identity", attempt: managedIdentity)),
    ]
    // As Azure's own libraries narrow their search.
    let chosen = variable("AZURE_TOKEN_CREDENTIALS")?.lowercased()
    let isAll = chosen == nil || chosen == "prod"
    return CredentialChain(
      steps: steps.filter { isAll || $0.name.lowercased() == chosen }.map(\.step), hint: AzureMessages.chainHint)
  }

  /// The tenant and the client, for a way that is configured and needs both.
  private func application() throws(RemoteFailure) -> (tenant: String, client: String) {
    guard let tenant = context.text("tenant"), let client = context.text("client") else {
      throw RemoteFailure(.unauthenticated, AzureMessages.noApplication)
    }
    return (tenant, client)
  }

  /// `AZURE_CLIENT_CERTIFICATE_PATH` with its companions.
  private func certificate() async throws(RemoteFailure) -> AmbientCredential? {
    guard let path = variable("AZURE_CLIENT_CERTIFICATE_PATH") else { return nil }
    let application = try application()
    guard variable("AZURE_CLIENT_CERTIFICATE_PASSWORD") == nil else {
      throw RemoteFailure(.unauthenticated, AzureMessages.encryptedKey)
    }
    guard let file = try await context.environment.file(path) else {
      throw RemoteFailure(.unauthenticated, RemoteMessages.noFile(path))
    }
    guard let certificate = ClientCertificateFile(file) else {
      throw RemoteFailure(.unauthenticated, AzureMessages.notPEM)
    }
    let address = try tokenAddress(application.tenant)
    let withChain = variable("AZURE_CLIENT_SEND_CERTIFICATE_CHAIN") != nil
    let assertion = try certificate.assertion(
      by: application.client, for: address, withChain: withChain, at: client.now)
    return try await token(application.client, assertion, at: address, rejected: AzureMessages.certificateRejected)
  }

  /// The token of a Kubernetes service account, or of another service, in a file.
  private func workloadIdentity() async throws(RemoteFailure) -> AmbientCredential? {
    guard let path = variable("AZURE_FEDERATED_TOKEN_FILE") else { return nil }
    let application = try application()
    guard let token = try await context.environment.file(path) else {
      throw RemoteFailure(.unauthenticated, RemoteMessages.noFile(path))
    }
    return try await self.token(
      application.client, token, at: try tokenAddress(application.tenant), rejected: AzureMessages.federationRejected)
  }

  private func tokenAddress(_ tenant: String) throws(RemoteFailure) -> String {
    guard let tenant = try? PathSegment.encode(tenant, of: "tenant") else {
      throw RemoteFailure(.unreadable, RemoteMessages.reason(.notASegment("tenant")))
    }
    return "\(try client.address("authority"))/\(tenant)/oauth2/v2.0/token"
  }

  private func token(
    _ application: String, _ assertion: SecretBox, at address: String, rejected: String
  ) async throws(RemoteFailure) -> AmbientCredential {
    let token = try await client.token(
      "access_token", at: address,
      .form([
        ("grant_type", .open("client_credentials")), ("scope", .open("\(Self.resource)/.default")),
        ("client_id", .open(application)),
        ("client_assertion_type", .open("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")),
        ("client_assertion", .secret(assertion)),
      ]), rejected: rejected, hint: AzureMessages.checkApplication)
    return AmbientCredential(token: token, owner: "application \(application)")
  }
}
