package import KeyplanCore
package import KeyplanYAML
import Synchronization

/// The services that one manifest can use: the built-in ones, and those that it describes itself.
package final class ServiceRegistry: Sendable {
  private let declared = Mutex<[String: RemoteKind]>([:])

  package init() {}

  /// The description of a service; nil for a name that none has.
  package func description(_ name: String) -> BackendDescription? {
    RemoteBackends.description(name) ?? declared.withLock { $0[name]?.description }
  }

  /// A service that is reached through this connection. Nothing is sent.
  package func backend(_ context: ConnectionContext) -> (any RemoteBackend)? {
    RemoteBackends.backend(context) ?? declared.withLock { $0[context.backend.name] }?.make(context)
  }

  /// Reads a description in the manifest. Credentials of such a service are references in its connections, so that each of them
  /// is part of a permission: variables by convention are refused.
  package func declare(_ name: String, _ node: Node) throws(DescriptionFaults) -> BackendDescription {
    let api = try SecretAPI.read(node, name: name)
    let faults = api.connection.filter { !$0.environment.isEmpty }.map { field in
      DescriptionFault(
        kind: .variablesNotAllowed, path: "/connection/\(field.name)/environment", line: node.start.line,
        column: node.start.column)
    }
    guard faults.isEmpty else { throw DescriptionFaults(all: faults) }
    let description = BackendDescription(api, digest: DescriptionDigest.text(of: node))
    declared.withLock { $0[name] = RemoteKind(description: description) { DescribedBackend(api, $0) } }
    return description
  }
}
