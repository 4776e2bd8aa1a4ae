import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// The clusters that one connection is used with, by context. Each is looked up and signed in to once per run.
final class Clusters: Sendable {
  let context: ConnectionContext
  private let sessions = SharedResults<ClusterSession>()

  init(_ context: ConnectionContext) { self.context = context }

  private var environment: RemoteEnvironment { context.environment }

  /// The cluster of a context; nil for that of the connection.
  func session(_ name: String?) async throws(RemoteFailure) -> ClusterSession {
    let pinned = context.text("context")
    if let name, let own = pinned.map({ "the context \"\($0)\"" }) ?? server.map({ _ in "a server" }), name != pinned {
      throw RemoteFailure(.unreadable, KubernetesMessages.otherContext(name, own))
    }
    let chosen = name ?? pinned
    let result = await sessions.value(chosen ?? "") { [self] in
      do throws(RemoteFailure) {
        return .success(ClusterSession(try await access(chosen), environment))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The declared server. A variable's value is not an address: `KUBECONFIG` is only the name of the permission.
  private var server: String? {
    guard context.connection.declared.contains("server") else { return nil }
    return context.text("server")
  }

  private func access(_ name: String?) async throws(RemoteFailure) -> ClusterAccess {
    if let server { return try await declared(server, name) }
    guard !context.hasValue("token"), context.file("ca") == nil else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.noServer)
    }
    guard let kubeconfig = try await environment.kubeconfig() else {
      guard name == nil else {
        throw RemoteFailure(
          .unauthenticated, KubernetesMessages.noConfiguration, hint: KubernetesMessages.noConfigurationHint)
      }
      return try await pod()
    }
    if let name { return try await kubeconfig.access(name, in: environment) }
    let names = kubeconfig.contexts.keys
    if names.isEmpty { return try await pod() }
    guard let only = names.first, names.count == 1 else {
      throw RemoteFailure(
        .unauthenticated, KubernetesMessages.severalContexts, hint: Kubeconfig.contextHint(names))
    }
    return try await kubeconfig.access(only, in: environment)
  }

  private func pod() async throws(RemoteFailure) -> ClusterAccess {
    if let access = try await environment.podAccess() { return access }
    throw RemoteFailure(
      .unauthenticated, KubernetesMessages.noConfiguration, hint: KubernetesMessages.noConfigurationHint)
  }

  private func declared(_ server: String, _ name: String?) async throws(RemoteFailure) -> ClusterAccess {
    guard name == nil else { throw RemoteFailure(.unreadable, KubernetesMessages.serverAndContext) }
    var access = try ClusterAccess(server: server)
    do throws(AccessFailure) {
      guard let token = try await context.secret("token") else {
        throw AccessFailure(.unauthenticated, KubernetesMessages.noToken)
      }
      access.identity = .token(token)
      if let reference = context.file("ca") { access.authorities = try await content(of: reference) }
    } catch {
      throw RemoteFailure(error)
    }
    return access
  }

  private func content(of file: Reference) async throws(AccessFailure) -> SecretBox {
    switch await environment.read(file) {
    case .value(let content): return content
    case .missing: throw AccessFailure(.unauthenticated, KubernetesMessages.fileMissing(file.location))
    case .failed(let failure): throw failure
    }
  }

  /// Uses `SelfSubjectReview`, which exists since Kubernetes 1.28.
  func signedInAs() async -> SignedInAs {
    do throws(RemoteFailure) {
      if context.text("context") == nil, server == nil,
        let contexts = try await environment.kubeconfig()?.contexts, contexts.count > 1
      {
        return .notAsked
      }
      return try await session(nil).signedInAs()
    } catch {
      return .failed(error.asAccess)
    }
  }
}
