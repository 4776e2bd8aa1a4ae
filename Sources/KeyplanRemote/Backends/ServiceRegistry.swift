package import KeyplanModel
package import KeyplanServices
package import KeyplanYAML
import Synchronization

/// The services that one manifest can use: the built-in ones, and those that it describes itself.
package final class ServiceRegistry: Sendable {
  /// Those that were asked for or declared.
  private let kinds = Mutex<[String: RemoteKind]>([:])

  package init() {}

  /// The description of a service; nil for an unknown name.
  package func description(_ name: String) -> BackendDescription? {
    kind(name)?.description()
  }

  /// A service that is reached through this connection. Nothing is sent.
  package func backend(_ context: ConnectionContext) -> (any RemoteBackend)? {
    kind(context.backend.name)?.make(context)
  }

  private func kind(_ name: String) -> RemoteKind? {
    if let known = kinds.withLock({ $0[name] }) { return known }
    guard let found = RemoteBackends.kind(name) else { return nil }
    return kinds.withLock { kinds in
      let kind = kinds[name] ?? found
      kinds[name] = kind
      return kind
    }
  }

  /// Reads a description in the manifest. Credentials of such a service are references in its connections, so that each of them
  /// is part of a permission: variables by convention are refused.
  package func declare(_ name: String, _ node: Node) throws(DescriptionFaults) -> BackendDescription {
    let api = try SecretAPI.read(node, name: name)
    var faults = api.connection.filter { !$0.environment.isEmpty }.map { field in
      DescriptionFault(
        kind: .variablesNotAllowed, path: "/connection/\(field.name)/environment", line: node.start.line,
        column: node.start.column)
    }
    let chains = api.auth.indices.filter { api.auth[$0].chain != nil }.map { index in
      DescriptionFault(
        kind: .chainNotAllowed, path: "/auth/\(index)/chain", line: node.start.line, column: node.start.column)
    }
    faults += chains
    guard faults.isEmpty else { throw DescriptionFaults(all: faults) }
    let description = BackendDescription(api, digest: DescriptionDigest.text(of: node))
    // The reader refuses such names; a built-in service is never replaced.
    guard !RemoteBackends.names.contains(name) else { return description }
    kinds.withLock {
      $0[name] = RemoteKind(name, describedBy: description, sources: api.citations) { DescribedBackend(api, $0) }
    }
    return description
  }
}
