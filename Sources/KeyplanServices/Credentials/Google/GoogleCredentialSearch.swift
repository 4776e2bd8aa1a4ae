import KeyplanHTTP
package import KeyplanJSON
package import KeyplanSecrets

/// Google's Application Default Credentials, in the order of Google's own libraries (google.aip.dev/auth/4110).
package struct GoogleCredentialSearch: Redacted, Sendable {
  package let context: ConnectionContext
  package let client: ChainClient

  package init(_ context: ConnectionContext) {
    self.context = context
    client = ChainClient(context)
  }

  package func variable(_ name: String) -> String? { context.environment.variable(name) }

  package static let scope = "https://www.googleapis.com/auth/cloud-platform"

  package var chain: CredentialChain<AmbientCredential> {
    CredentialChain(
      steps: [
        .init("GOOGLE_APPLICATION_CREDENTIALS", attempt: namedFile),
        .init("application default credentials of gcloud", attempt: gcloudFile),
        .init("metadata server", attempt: metadata),
      ], hint: GoogleMessages.chainHint)
  }

  private func namedFile() async throws(RemoteFailure) -> AmbientCredential? {
    guard let path = variable("GOOGLE_APPLICATION_CREDENTIALS") else { return nil }
    guard let file = try await context.environment.file(path) else {
      throw RemoteFailure(.unauthenticated, RemoteMessages.noFile(path))
    }
    return try await credential(of: file)
  }

  /// The credential that `gcloud auth application-default login` saves.
  private func gcloudFile() async throws(RemoteFailure) -> AmbientCredential? {
    let folder = variable("CLOUDSDK_CONFIG") ?? "~/.config/gcloud"
    guard let file = try await context.environment.file("\(folder)/application_default_credentials.json") else {
      return nil
    }
    return try await credential(of: file)
  }

  private func credential(of file: SecretBox) async throws(RemoteFailure) -> AmbientCredential {
    guard let json = JSONAnswer(file), json.members != nil else {
      throw RemoteFailure(.unauthenticated, GoogleMessages.notJSON)
    }
    var credential = try await credential(GoogleCredentialFile(json: json, object: json.root))
    credential.quotaProject = variable("GOOGLE_CLOUD_QUOTA_PROJECT") ?? json.text("quota_project_id")
    return credential
  }

  /// The service account of a machine, a container or a function at Google.
  private func metadata() async throws(RemoteFailure) -> AmbientCredential? {
    guard variable("NO_GCE_CHECK") != "true" else { return nil }
    let host = variable("GCE_METADATA_HOST") ?? variable("GCE_METADATA_ROOT") ?? "metadata.google.internal"
    let path = "computeMetadata/v1/instance/service-accounts/default/token?scopes=\(PathSegment.encode(Self.scope))"
    let request = try client.metadata(
      "http://\(host)/\(path)", [("Metadata-Flavor", .open("Google"))], invalid: GoogleMessages.metadataHost)
    // Elsewhere the name does not exist, or another server answers, whose token would be worthless or a trap.
    guard let response = try await client.probe(request, within: .seconds(3), tries: 3),
      response.header("metadata-flavor") == "Google"
    else { return nil }
    guard response.status == 200 else {
      throw RemoteFailure(
        response.status >= 500 ? .unreachable : .unauthenticated, GoogleMessages.metadataStatus(response.status))
    }
    guard let token = JSONAnswer(response.body)?.secret("access_token"), token.count > 0 else {
      throw RemoteFailure(.unreadable, GoogleMessages.metadataForm)
    }
    return AmbientCredential(token: token, quotaProject: variable("GOOGLE_CLOUD_QUOTA_PROJECT"))
  }
}

/// One of the files that `gcloud` and Google's console make.
package struct GoogleCredentialFile: Redacted, Sendable {
  package let json: JSONAnswer
  /// The file, or the part of it that is a credential of its own.
  package let object: JSONNode

  package func text(_ path: String...) -> String? { node(path).flatMap { json.text($0) } }
  package func secret(_ path: String...) -> SecretBox? { node(path).flatMap { json.secret($0) } }
  package func member(_ path: String...) -> JSONNode? { node(path) }

  private func node(_ path: [String]) -> JSONNode? {
    path.reduce(Optional(object)) { node, name in node.flatMap { json.member(name, in: $0) } }
  }
}

extension JSONAnswer {
  fileprivate var members: [JSONMember]? {
    guard case .object(let members) = root.content else { return nil }
    return members
  }
}
