/// The reasons that the Kubernetes backend gives for failures, as sentences. None contains a value or text of an answer.
enum KubernetesMessages {
  static func fileMissing(_ path: String) -> String { "\(path), which the credentials need, does not exist." }
  static func notKubeconfig(_ path: String) -> String { "\(path) is not a valid kubeconfig file." }
  static let relativeKubeconfig = "The variable KUBECONFIG must consist of absolute paths."
  static func noContext(_ name: String) -> String { "The kubeconfig has no context \"\(name)\"." }
  static func noCluster(_ context: String) -> String {
    "The cluster of the context \"\(context)\" is not in the kubeconfig, or has no server."
  }
  static func noUser(_ context: String) -> String { "The user of the context \"\(context)\" is not in the kubeconfig." }
  static func noClientKey(_ context: String) -> String {
    "The user of the context \"\(context)\" has a client certificate, but no client key."
  }
  static func notBase64(_ field: String) -> String { "The field \"\(field)\" in the kubeconfig is not Base64." }

  static let severalContexts =
    "The kubeconfig has several contexts. The current one is not used, because it is whichever was chosen last."
  static let contextHint = "Set `context:` at the target, or in a connection."
  static let noConfiguration = "There is no kubeconfig, and this is not a pod of a cluster."
  static let noConfigurationHint = "Set KUBECONFIG, or declare a connection with server and token."
  static func otherContext(_ wanted: String, _ own: String) -> String {
    "The target uses the context \"\(wanted)\", but its connection is to \(own)."
  }
  static let untrustedHint =
    "Set `ca` of the connection, or certificate-authority-data in the kubeconfig, to the certificate of its authority."
  static let noToken = "The connection has a server, but no token."
  static let noServer = "The connection has a token or a certificate authority, but no server."
  static let serverAndContext = "The connection has both a server and a context."

  static func insecure(_ context: String) -> String {
    "The cluster of the context \"\(context)\" has insecure-skip-tls-verify, so anyone could receive the credential."
  }
  static let insecureHint = "Remove it from the kubeconfig and set certificate-authority-data."
  static func authProvider(_ context: String) -> String {
    "The user of the context \"\(context)\" has an auth-provider, which is not supported."
  }
  static let authProviderHint = "Use an exec program instead, such as gke-gcloud-auth-plugin or kubelogin."
  static func impersonation(_ context: String) -> String {
    "The user of the context \"\(context)\" has as-user-extra, which is not supported."
  }

  static func noCommand(_ context: String) -> String { "The exec of the context \"\(context)\" has no command." }
  static func execVersion(_ context: String) -> String {
    "The exec of the context \"\(context)\" must have the version client.authentication.k8s.io/v1 or v1beta1."
  }
  static func interactive(_ context: String) -> String {
    "The exec program of the context \"\(context)\" needs a terminal (interactiveMode: Always)."
  }
  static func programFailed(_ name: String, _ reason: String) -> String {
    "The kubeconfig's program \"\(name)\" could not be run: \(reason)"
  }
  static func programEnded(_ name: String, _ code: Int32) -> String {
    "The kubeconfig's program \"\(name)\" ended with exit code \(code)."
  }
  static let programHint = "Run `kubectl get secrets` with the same context to see its message."
  static func notExecCredential(_ name: String) -> String {
    "The kubeconfig's program \"\(name)\" did not return an ExecCredential with a token or a certificate."
  }

  static let invalidServer = "The server's address must not have a query or dot segments."
  static let invalidProxy = "The proxy-url in the kubeconfig is not a valid http:// or https:// URL."
  static let invalidToken = "The token contains characters that are not allowed in a header."

  static func denied(_ host: String) -> String { "\(host) denied access (HTTP 403)." }
  static func deniedHint(_ verbs: String, _ place: SecretPlace) -> String {
    "The user needs the verbs \(verbs) on secrets in the namespace \(place.namespace)."
  }
  static func notKubernetes(_ host: String) -> String { "\(host) sent a response that is not from Kubernetes." }
  static let noSuchSecret = "The secret does not exist."
  static let noSuchKey = "The secret has no such key."
  static let severalKeys = "The secret has several keys; write one of them after #."
  static let noKeys = "The secret has no keys."
  static let notBase64Value = "The value in the cluster is not Base64."
  static let immutableSecret = "The secret is immutable, so Kubernetes refuses changes."
  static let immutableHint = "Delete and recreate it, or use a secret with another name."
  static func noNamespace(_ name: String) -> String { "The namespace \"\(name)\" does not exist." }
  static let terminating = "The namespace is being deleted, so that nothing can be created in it."
  static let invalid = "Kubernetes refused the secret as invalid (HTTP 422)."
  static let noServerSideApply =
    "The server does not support server-side apply, which Kubernetes has since version 1.22."
  static func conflict(_ owners: [String]) -> String {
    owners.isEmpty
      ? "Another field manager owns this key."
      : "This key is owned by the field manager\(owners.count > 1 ? "s" : "") \(owners.joined(separator: ", "))."
  }
  static func owned(_ owners: [String]) -> String? { owners.isEmpty ? nil : conflict(owners) }
  static let conflictHint = "Set `takeOver: true` at the target to take it over, or remove it there."
  static let busy = "The secret kept changing while it was written."
  static let notRemoved = "The key is still there, because another field manager also owns it."
}
