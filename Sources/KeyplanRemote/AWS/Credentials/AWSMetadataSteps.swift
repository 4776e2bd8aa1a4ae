import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

/// Credentials that AWS provides to its own containers and machines, over link-local addresses.
extension AWSCredentialSearch {
  /// A task of ECS or a pod of EKS.
  func container() async throws(RemoteFailure) -> AWSCredentials? {
    let address: HTTPAddress
    if let relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
      guard relative.hasPrefix("/"), let found = try? HTTPAddress(metadata: "http://169.254.170.2\(relative)") else {
        throw RemoteFailure(.unauthenticated, AWSMessages.containerAddress)
      }
      address = found
    } else if let full = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
      let metadata = (try? HTTPAddress(metadata: full)).flatMap { Self.containerHosts.contains($0.host) ? $0 : nil }
      guard let found = metadata ?? (try? HTTPAddress(full)) else {
        throw RemoteFailure(.unauthenticated, AWSMessages.containerAddress)
      }
      address = found
    } else {
      return nil
    }
    var request = HTTPRequest(.get, address)
    if let token = try await containerToken() { try add("authorization", .secret(token), to: &request) }
    let client = limited(to: .seconds(2))
    var response = try await send(request, client)
    for _ in 1..<3 where response.map({ $0.status >= 500 }) ?? true {
      await transport.pause(.milliseconds(200))
      response = try await send(request, client)
    }
    guard let response else {
      throw RemoteFailure(.unreachable, RemoteMessages.reason(.unreachable, host: address.host, status: 0))
    }
    return try credentials(in: response)
  }

  private static let containerHosts: Set<String> = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]

  private func containerToken() async throws(RemoteFailure) -> SecretBox? {
    guard let path = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") else {
      return variable("AWS_CONTAINER_AUTHORIZATION_TOKEN").map { SecretBox(Array($0.utf8)) }
    }
    guard let token = try await context.environment.file(path) else {
      throw RemoteFailure(.unauthenticated, AWSMessages.noTokenFile(path))
    }
    return token
  }

  /// The role of an EC2 instance (IMDSv2). The first version of the service has no protection against requests that
  /// others cause, so it is never used instead.
  func instance() async throws(RemoteFailure) -> AWSCredentials? {
    guard variable("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else { return nil }
    let base = try instanceAddress()
    // Where there is no such service, nothing answers: a machine elsewhere must not wait long for it.
    let client = limited(to: .seconds(1))
    var start = try metadataRequest(.put, base, "latest/api/token")
    try add("x-aws-ec2-metadata-token-ttl-seconds", .open("21600"), to: &start)
    guard let session = try await send(start, client), session.status == 200, session.body.count > 0 else { return nil }
    let path = "latest/meta-data/iam/security-credentials/"
    func get(_ path: String) async throws(RemoteFailure) -> HTTPResponse? {
      var request = try metadataRequest(.get, base, path)
      try add("x-aws-ec2-metadata-token", .secret(session.body), to: &request)
      return try await send(request, client)
    }
    guard let roles = try await get(path) else { throw RemoteFailure(.unreachable, AWSMessages.metadataForm) }
    if roles.status == 404 { return nil }
    let names = roles.body.withBytes { String(decoding: $0, as: UTF8.self) }.split(whereSeparator: \.isNewline)
    guard roles.status == 200, let name = names.first,
      let answer = try await get(path + PathSegment.encode(String(name)))
    else { throw RemoteFailure(.unreadable, AWSMessages.metadataStatus(roles.status)) }
    return try credentials(in: answer)
  }

  private func instanceAddress() throws(RemoteFailure) -> String {
    let usual =
      variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE")?.lowercased() == "ipv6"
      ? "http://[fd00:ec2::254]" : "http://169.254.169.254"
    let text = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? usual
    return text.hasSuffix("/") ? text : text + "/"
  }

  private func metadataRequest(
    _ method: HTTPRequest.Method, _ base: String, _ path: String
  ) throws(RemoteFailure) -> HTTPRequest {
    guard let address = (try? HTTPAddress(metadata: base + path)) ?? (try? HTTPAddress(base + path)) else {
      throw RemoteFailure(.unauthenticated, AWSEndpointMessages.invalidEndpoint)
    }
    return HTTPRequest(method, address)
  }

  private func add(_ name: String, _ value: HTTPValue, to request: inout HTTPRequest) throws(RemoteFailure) {
    do throws(HTTPError) {
      try request.add(name, value)
    } catch {
      throw RemoteFailure(.unauthenticated, "\(error).", hint: error.hint)
    }
  }

  /// A client that waits for one answer no longer than this.
  private func limited(to deadline: Duration) -> RemoteTransport {
    var settings = settings
    settings.deadline = deadline
    return context.environment.transport(settings)
  }

  /// Nil if nothing answered.
  private func send(_ request: HTTPRequest, _ client: RemoteTransport) async throws(RemoteFailure) -> HTTPResponse? {
    do throws(HTTPError) {
      return try await client.send(request)
    } catch {
      guard error.isUnreachable else { throw RemoteFailure(.unreadable, "\(error).") }
      return nil
    }
  }

  private func credentials(in response: HTTPResponse) throws(RemoteFailure) -> AWSCredentials {
    guard response.status == 200 else {
      throw RemoteFailure(.unauthenticated, AWSMessages.metadataStatus(response.status))
    }
    guard let json = JSONAnswer(response.body), json.text("Code") ?? "Success" == "Success",
      let found = AWSCredentials(
        json.text("AccessKeyId"), json.secret("SecretAccessKey"), token: json.secret("Token"),
        expires: json.time("Expiration"))
    else { throw RemoteFailure(.unreadable, AWSMessages.metadataForm) }
    return found
  }
}
