import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// The access to a cluster: its API server's address, the trusted certificates, and the identity.
struct ClusterAccess: Sendable {
  /// The address without a slash at its end; it may have a path.
  let server: HTTPAddress
  var authorities: SecretBox?
  /// The name that the server's certificate is for, if it is not the address's host.
  var serverName: String?
  var proxy: String?
  var identity: ClusterIdentity = .anonymous
  /// The headers for acting as another user; empty for none.
  var impersonation: [(header: String, value: String)] = []

  /// - Throws: the reason that the address cannot be used.
  init(server text: String) throws(RemoteFailure) {
    let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
    do throws(HTTPError) {
      server = try HTTPAddress(trimmed)
    } catch {
      throw RemoteFailure(.unreadable, "\(error).", hint: error.hint)
    }
    let isDotted = trimmed.split(separator: "/").contains { $0 == "." || $0 == ".." }
    guard !trimmed.contains("?"), !isDotted else {
      throw RemoteFailure(.unreadable, KubernetesMessages.invalidServer)
    }
  }

  /// The host for messages.
  var host: String { server.host }

  /// The address that requests begin with.
  var base: String {
    guard let serverName else { return server.text }
    let authority = server.text.dropFirst(server.scheme.utf8.count + 3).prefix { $0 != "/" }
    let path = server.text.dropFirst(server.scheme.utf8.count + 3 + authority.utf8.count)
    return "\(server.scheme)://\(serverName)\(server.port.map { ":\($0)" } ?? "")\(path)"
  }

  /// The settings of a client for this cluster.
  func settings(
    _ common: HTTPSettings, certificate: ClientCertificate?
  ) throws(RemoteFailure) -> HTTPSettings {
    var settings = common
    settings.authorityData = authorities
    settings.clientCertificate = certificate
    if serverName != nil {
      settings.connectTo = "\(server.host):\(server.port ?? (server.scheme == "https" ? 443 : 80))"
    }
    if let proxy {
      do throws(HTTPError) {
        settings.proxy = try HTTPProxy(proxy)
      } catch {
        throw RemoteFailure(.unreadable, KubernetesMessages.invalidProxy)
      }
    }
    return settings
  }
}

/// The identity for signing in at a cluster.
enum ClusterIdentity: Redacted, Sendable {
  case anonymous
  case token(SecretBox)
  /// A file whose token is replaced from time to time.
  case tokenFile(String)
  case certificate(ClientCertificate)
  case password(user: String, SecretBox)
  /// A program that returns a credential.
  case program(CredentialProgram)

  /// Whether signing in again can give another credential.
  var isRenewable: Bool {
    switch self {
    case .tokenFile, .program: true
    case .anonymous, .token, .certificate, .password: false
    }
  }
}
