internal import KeyplanJSON
internal import KeyplanModel
package import KeyplanReporting
package import KeyplanSecrets

/// The protocol of client-go's exec credential plugins, which kubectl and others run.
package struct KubernetesHelper: Sendable {
  private let host: HelperHost

  package init(host: HelperHost) { self.host = host }

  /// - Parameter info: `KUBERNETES_EXEC_INFO`.
  /// - Returns: the version to answer in.
  /// - Throws: for another cluster than this helper's. The protocol has no answer without a credential.
  package func version(in info: String?) throws(Failure) -> String {
    guard let info else {
      throw .malformedRequest("KUBERNETES_EXEC_INFO is not set: only kubectl and other clients of Kubernetes run this.")
    }
    guard info.utf8.count <= HelperRequest.limit else { throw .requestTooLarge }
    guard let request = JSONAnswer(SecretBox(Array(info.utf8))) else {
      throw .malformedRequest("KUBERNETES_EXEC_INFO is not JSON.")
    }
    func text(_ path: String...) -> String? { request[path].flatMap(request.text) }
    guard let version = text("apiVersion"), Self.versions.contains(version) else {
      throw .malformedRequest(
        "KUBERNETES_EXEC_INFO has another apiVersion than \(Self.versions.joined(separator: " and ")).")
    }
    guard let server = text("spec", "cluster", "server") else {
      throw Failure(
        .failed, "Cluster not named", "The client does not say which cluster the token is for.",
        hint: "Set `provideClusterInfo: true` beside `command` in the kubeconfig.")
    }
    try HelperRequest.check(server, "server")
    guard let address = HTTPSAddress(server), address.host == host else {
      throw Failure(
        .failed, "Another cluster", "The token is for https://\(host), and the client asks for another server.",
        hint: "Use this user of the kubeconfig with that cluster only, or correct --host.")
    }
    guard request["spec", "cluster", "insecure-skip-tls-verify"].flatMap(request.scalar)?.equals(Self.yes) != true
    else {
      throw Failure(
        .failed, "Cluster is not verified",
        "The kubeconfig has `insecure-skip-tls-verify`, so anybody could receive the token.",
        hint: "Name the cluster's CA with `certificate-authority` instead.")
    }
    return version
  }

  private static let versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

  private static let yes = SecretBox(Array("true".utf8))

  package func answer(_ credential: HelperCredential, version: String) -> SecretBox {
    JSONBody.object([
      ("apiVersion", .text(version)), ("kind", .text("ExecCredential")),
      (
        "status",
        .object([
          ("token", .secret(credential.value)), ("expirationTimestamp", credential.end.map { .text("\($0)") }),
        ])
      ),
    ])
    .bytes()
  }

  /// - Parameter name: of the user.
  package static func setup(_ line: HelperLine, name: String) -> String {
    """
    # In the kubeconfig, and `user: \(name)` in the context:
    users:
    - name: \(name)
      user:
        exec:
          apiVersion: client.authentication.k8s.io/v1
          command: \(HelperLine.json(line.words[0]))
          args: [\(line.words.dropFirst().map(HelperLine.json).joined(separator: ", "))]
          interactiveMode: Never
          provideClusterInfo: true

    """
  }
}
