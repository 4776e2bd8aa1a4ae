import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

extension RemoteEnvironment {
  /// The merged files of `KUBECONFIG`, or `~/.kube/config`; nil if there is none.
  func kubeconfig() async throws(RemoteFailure) -> Kubeconfig? {
    var paths = home.map { ["\($0)/.kube/config"] } ?? []
    if let list = variable("KUBECONFIG") {
      paths = list.split(separator: ":").map(String.init)
      // A relative path could be in the checkout, and a kubeconfig can run programs.
      guard paths.allSatisfy({ $0.hasPrefix("/") }) else {
        throw RemoteFailure(.unauthenticated, KubernetesMessages.relativeKubeconfig)
      }
    }
    var merged = Kubeconfig()
    var isFound = false
    // Files that do not exist are skipped, as kubectl does.
    for path in paths {
      guard let content = try await file(path) else { continue }
      isFound = true
      let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
      guard merged.add(content.withBytes { Array($0) }, folder: parent) else {
        throw RemoteFailure(.unauthenticated, KubernetesMessages.notKubeconfig(path))
      }
    }
    return isFound ? merged : nil
  }

  /// The cluster of the pod in which this program runs; nil outside of a pod.
  func podAccess() async throws(RemoteFailure) -> ClusterAccess? {
    guard let host = variable("KUBERNETES_SERVICE_HOST"), let port = variable("KUBERNETES_SERVICE_PORT") else {
      return nil
    }
    var access = try ClusterAccess(server: "https://\(host.contains(":") ? "[\(host)]" : host):\(port)")
    access.authorities = try await requiredFile(Self.pod + "/ca.crt")
    access.identity = .tokenFile(Self.pod + "/token")
    return access
  }

  private static let pod = "/var/run/secrets/kubernetes.io/serviceaccount"
}

extension Kubeconfig {
  /// The cluster and the user of a context.
  func access(_ context: String, in environment: RemoteEnvironment) async throws(RemoteFailure) -> ClusterAccess {
    guard let item = contexts[context] else {
      throw RemoteFailure(
        .unauthenticated, KubernetesMessages.noContext(context), hint: Self.contextHint(contexts.keys))
    }
    guard let name = item.text("cluster"), let cluster = clusters[name], let server = cluster.text("server") else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.noCluster(context))
    }
    guard cluster.node.member("insecure-skip-tls-verify")?.isTrue != true else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.insecure(context), hint: KubernetesMessages.insecureHint)
    }
    var access = try ClusterAccess(server: server)
    access.authorities = try await content(cluster, "certificate-authority", in: environment)
    access.serverName = cluster.text("tls-server-name")
    access.proxy = cluster.text("proxy-url")
    guard let user = item.text("user") else { return access }
    guard let user = users[user] else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.noUser(context))
    }
    access.identity = try await identity(
      user, cluster: cluster, trusting: access.authorities, context, in: environment)
    access.impersonation = try impersonation(user, context)
    return access
  }

  private func identity(
    _ user: Item, cluster: Item, trusting authorities: SecretBox?, _ context: String,
    in environment: RemoteEnvironment
  ) async throws(RemoteFailure) -> ClusterIdentity {
    guard user.node.member("auth-provider") == nil else {
      throw RemoteFailure(
        .unauthenticated, KubernetesMessages.authProvider(context), hint: KubernetesMessages.authProviderHint)
    }
    if let path = user.path("tokenFile") { return .tokenFile(path) }
    if let token = user.text("token") { return .token(SecretBox(Array(token.utf8))) }
    if let name = user.text("username") {
      return .password(user: name, SecretBox(Array((user.text("password") ?? "").utf8)))
    }
    if let certificate = try await content(user, "client-certificate", in: environment) {
      guard let key = try await content(user, "client-key", in: environment) else {
        throw RemoteFailure(.unauthenticated, KubernetesMessages.noClientKey(context))
      }
      return .certificate(ClientCertificate(certificate: certificate, key: key))
    }
    if let node = user.node.member("exec") {
      let item = Item(node: node, folder: user.folder)
      return .program(try CredentialProgram(item, cluster: cluster, trusting: authorities, context))
    }
    return .anonymous
  }

  /// The content of `NAME-data`, which is Base64, or of the file that `NAME` names; nil if neither is set.
  private func content(
    _ item: Item, _ name: String, in environment: RemoteEnvironment
  ) async throws(RemoteFailure) -> SecretBox? {
    if let text = item.text("\(name)-data") {
      guard let content = SecretBase64.bytes(in: text.utf8) else {
        throw RemoteFailure(.unauthenticated, KubernetesMessages.notBase64("\(name)-data"))
      }
      return content
    }
    guard let path = item.path(name) else { return nil }
    return try await environment.requiredFile(path)
  }

  private func impersonation(_ user: Item, _ context: String) throws(RemoteFailure) -> [(header: String, value: String)]
  {
    guard user.node.member("as-user-extra") == nil else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.impersonation(context))
    }
    var headers = user.text("as").map { [(header: "Impersonate-User", value: $0)] } ?? []
    headers += user.text("as-uid").map { [(header: "Impersonate-Uid", value: $0)] } ?? []
    headers += (user.node.member("as-groups")?.items ?? []).compactMap(\.text).map { ("Impersonate-Group", $0) }
    return headers
  }

  static func contextHint(_ names: some Sequence<String>) -> String {
    let shown = names.sorted().prefix(5).map { QuotedWord.quoted($0) }
    return shown.isEmpty
      ? KubernetesMessages.contextHint : "\(KubernetesMessages.contextHint) There is: \(shown.joined(separator: ", "))."
  }
}
