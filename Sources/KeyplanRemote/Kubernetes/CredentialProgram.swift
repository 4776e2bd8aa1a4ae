import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// A program of the kubeconfig that returns a credential (`exec`; client.authentication.k8s.io, `v1` and `v1beta1`).
struct CredentialProgram: Sendable {
  private let words: [String]
  private let variables: [String: String]
  private let version: String
  /// The part of the request that describes the cluster; nil if the program does not need it.
  private let cluster: String?

  /// - Parameter authorities: the trusted certificates of the cluster (PEM).
  /// - Throws: the reason that the program cannot be used.
  init(
    _ item: Kubeconfig.Item, cluster: Kubeconfig.Item, trusting authorities: SecretBox?, _ context: String
  ) throws(RemoteFailure) {
    guard let command = item.text("command") else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.noCommand(context))
    }
    guard let version = item.text("apiVersion"), Self.versions.contains(version) else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.execVersion(context))
    }
    guard item.text("interactiveMode") != "Always" else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.interactive(context))
    }
    // A name without a slash is looked up in PATH.
    words =
      [command.contains("/") ? item.absolute(command) : command]
      + (item.node.member("args")?.items ?? []).compactMap(\.text)
    self.version = version
    let declared = (item.node.member("env")?.items ?? []).compactMap { entry -> (String, String)? in
      guard let name = entry.member("name")?.text else { return nil }
      return (name, entry.member("value")?.text ?? "")
    }
    variables = Dictionary(declared) { $1 }
    self.cluster =
      item.node.member("provideClusterInfo")?.isTrue == true ? Self.description(of: cluster, authorities) : nil
  }

  private static let versions: Set<String> = [
    "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1",
  ]

  /// A credential, and its expiration in seconds since 1970.
  struct Credential: Redacted, Sendable {
    var token: SecretBox?
    var certificate: ClientCertificate?
    var end: Int64?
  }

  /// Runs the program.
  func credential(in environment: RemoteEnvironment) async throws(RemoteFailure) -> Credential {
    let name = words.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
    var call = ProgramCall(words)
    call.variables = Self.own(of: name, in: environment.variables).merging(variables) { $1 }
    call.variables["KUBERNETES_EXEC_INFO"] = request
    switch await environment.programs.run(call) {
    case .failed(let reason):
      throw RemoteFailure(.unauthenticated, KubernetesMessages.programFailed(name, reason))
    case .ended(0, let output, _): return try credential(output, name)
    case .ended(let code, _, _):
      throw RemoteFailure(
        .unauthenticated, KubernetesMessages.programEnded(name, code), hint: KubernetesMessages.programHint)
    }
  }

  private func credential(_ output: SecretBox, _ name: String) throws(RemoteFailure) -> Credential {
    guard let json = JSONAnswer(output), json.member("kind").flatMap({ json.text($0) }) == "ExecCredential",
      json.member("apiVersion").flatMap({ json.text($0) }) == version, let status = json.member("status")
    else { throw RemoteFailure(.unauthenticated, KubernetesMessages.notExecCredential(name)) }
    var credential = Credential()
    credential.token = json.member("token", in: status).flatMap { json.secret($0) }
    let certificate = json.member("clientCertificateData", in: status).flatMap { json.secret($0) }
    let key = json.member("clientKeyData", in: status).flatMap { json.secret($0) }
    if let certificate, let key { credential.certificate = ClientCertificate(certificate: certificate, key: key) }
    credential.end = json.member("expirationTimestamp", in: status).flatMap { json.text($0) }
      .flatMap { Moment($0)?.seconds }
    guard credential.token != nil || credential.certificate != nil else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.notExecCredential(name))
    }
    return credential
  }

  /// The value of `KUBERNETES_EXEC_INFO` for the program.
  private var request: String {
    let spec = cluster.map { ",\"cluster\":\($0)" } ?? ""
    return "{\"kind\":\"ExecCredential\",\"apiVersion\":\"\(version)\",\"spec\":{\"interactive\":false\(spec)}}"
  }

  /// The certificates are part of it, also those that the kubeconfig has in a file.
  private static func description(of cluster: Kubeconfig.Item, _ authorities: SecretBox?) -> String {
    var fields = ["server", "tls-server-name", "proxy-url"].compactMap { name in
      cluster.text(name).map { (name, HTTPValue.open($0)) }
    }
    if let authorities {
      fields.append(("certificate-authority-data", .secret(authorities.withBytes { SecretBase64.text(of: $0) })))
    }
    var writer = SecretWriter()
    writer.append("{")
    for (index, (name, value)) in fields.enumerated() {
      if index > 0 { writer.append(",") }
      JSONText.write(name, to: &writer)
      writer.append(":")
      switch value {
      case .open(let text): JSONText.write(text, to: &writer)
      case .secret(let text, _): text.withBytes { JSONText.write($0, to: &writer) }
      }
    }
    writer.append("}")
    return writer.finished().withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The variables that the vendors' programs read, by the beginnings of their names.
  private static let prefixes: [String: [String]] = [
    "aws": ["AWS_"], "aws-iam-authenticator": ["AWS_"], "aws-vault": ["AWS_"],
    "gke-gcloud-auth-plugin": ["CLOUDSDK_", "GOOGLE_APPLICATION_CREDENTIALS", "USE_GKE_GCLOUD_AUTH_PLUGIN"],
    "gcloud": ["CLOUDSDK_", "GOOGLE_APPLICATION_CREDENTIALS"], "kubelogin": ["AZURE_", "AAD_"], "az": ["AZURE_"],
    "doctl": ["DIGITALOCEAN_"], "oci": ["OCI_"], "tsh": ["TELEPORT_", "TSH_"], "vault": ["VAULT_"],
    "ibmcloud": ["IBMCLOUD_"], "linode-cli": ["LINODE_"], "scw": ["SCW_"], "civo": ["CIVO_"],
  ]

  private static func own(of program: String, in variables: [String: String]) -> [String: String] {
    let prefixes = prefixes[program] ?? []
    // Variables for certificates and proxies, which all programs use.
    let common: Set<String> = [
      "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE",
      "SSL_CERT_DIR", "KUBECONFIG",
    ]
    return variables.filter { name, _ in common.contains(name) || prefixes.contains { name.hasPrefix($0) } }
  }
}
