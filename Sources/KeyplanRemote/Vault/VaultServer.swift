import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// The server of a connection, and how it is reached. Its files are read once a run.
struct VaultServer: Sendable {
  /// The address without a slash at its end.
  let base: String
  let host: String
  /// The addresses of other nodes of the cluster.
  let nodes: [String]
  let namespace: String?
  let transport: RemoteTransport

  init(_ context: ConnectionContext) async throws(RemoteFailure) {
    guard let address = context.text("address") else {
      throw RemoteFailure(.unreadable, VaultMessages.noAddress, hint: VaultMessages.addressHint)
    }
    (base, host) = try Self.checked(address)
    nodes = try context.list("nodes").map { node throws(RemoteFailure) in try Self.checked(node).base }
    namespace = try Self.namespace(context.text("namespace"))
    var settings = context.environment.http
    settings.authorityData = try await Self.file("ca", context)
    let certificate = try await Self.file("clientCertificate", context)
    let key = try await Self.file("clientKey", context)
    if let certificate, let key {
      settings.clientCertificate = ClientCertificate(certificate: certificate, key: key)
    } else if certificate != nil || key != nil {
      throw RemoteFailure(.unauthenticated, VaultMessages.halfIdentity, hint: VaultMessages.halfIdentityHint)
    }
    transport = context.environment.transport(settings)
  }

  private static func checked(_ text: String) throws(RemoteFailure) -> (base: String, host: String) {
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: "/") }.map { text.utf8.index(after: $0) } ?? text.startIndex
    let base = String(text[..<end])
    guard !base.utf8.contains(UInt8(ascii: "?")) else { throw RemoteFailure(.unreadable, VaultMessages.queryInAddress) }
    do throws(HTTPError) {
      return (base, try HTTPAddress(base).host)
    } catch {
      throw RemoteFailure(.unreadable, VaultMessages.badAddress("\(error)"), hint: error.hint)
    }
  }

  private static func namespace(_ text: String?) throws(RemoteFailure) -> String? {
    guard let text, !text.isEmpty else { return nil }
    let isPrintable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    // A slash at the end is usual.
    let trimmed = text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    guard isPrintable, VaultPath(trimmed) != nil else { throw RemoteFailure(.unreadable, VaultMessages.badNamespace) }
    return trimmed
  }

  /// The content of a field's file: as declared, otherwise at the path in its variable.
  private static func file(_ name: String, _ context: ConnectionContext) async throws(RemoteFailure) -> SecretBox? {
    let answer: SourceAnswer
    if let reference = context.file(name) {
      answer = await context.environment.read(reference)
    } else if let path = context.text(name) {
      answer = await context.environment.configuration(at: path)
    } else {
      return nil
    }
    switch answer {
    case .value(let content): return content
    case .missing: throw RemoteFailure(.unreadable, VaultMessages.fileMissing(name))
    case .failed(let failure): throw RemoteFailure(failure.at("\"\(name)\""))
    }
  }

  /// The listed node that a redirection names.
  func node(of redirection: String) -> String? {
    let origin = RequestBuilder.origin(of: redirection).lowercased()
    return ([base] + nodes).first { RequestBuilder.origin(of: $0).lowercased() == origin }
  }
}
