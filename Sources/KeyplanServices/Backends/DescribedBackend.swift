import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// A service that is described as data, through one connection.
package struct DescribedBackend: RemoteBackend {
  private let api: SecretAPI
  private let context: ConnectionContext
  private let service: RemoteService
  private let connections = SharedResults<RemoteConnection>()

  package init(_ api: SecretAPI, _ context: ConnectionContext) {
    self.api = api
    self.context = context
    service = RemoteService(api, context.environment.transport(context.environment.http))
  }

  package var source: (any SecretSource)? { api.reads.isEmpty ? nil : DescribedSource(self) }
  package var target: (any SecretTarget)? { api.isWritable ? DescribedTarget(self) : nil }

  package var issuer: (any KeyIssuing)? {
    backend.issuer.map { grammar in
      DescribedIssuer(declared, grammar, hasLabels: api.hasLabels, listDelay: api.listDelay) {
        fields async throws(KeyIssuerFailure) in
        let place: RemotePlace
        do throws(RemoteFailure) {
          place = RemotePlace(connection: try await connection(), fields: fields)
        } catch {
          throw .before(error)
        }
        return try KeyIssuer(service, at: place)
      }
    }
  }

  package func signedInAs() async -> SignedInAs {
    do throws(RemoteFailure) {
      return try await service.signedInAs(try await connection())
    } catch {
      return .failed(error.asAccess)
    }
  }

  package func signOut() async { await service.signOut() }

  /// The fields of the connection, with the credentials of one way to sign in. They are read once.
  private func connection() async throws(RemoteFailure) -> RemoteConnection {
    let result = await connections.value("fields") { [self] in
      do throws(AccessFailure) {
        var connection = RemoteConnection(name: context.connection.name.name, fields: try await fields())
        connection.ambient = ambient
        return .success(connection)
      } catch {
        return .failure(RemoteFailure(error))
      }
    }
    return try result.get()
  }

  private func fields() async throws(AccessFailure) -> [String: FieldInput] {
    let credentials = credentials
    var fields: [String: FieldInput] = [:]
    for field in api.connection {
      switch field.kind {
      case .jwt where credentials.contains(field.name):
        fields[field.name] = try await context.identityToken(field.name).map { .secret($0) }
      case .secret where credentials.contains(field.name):
        fields[field.name] = try await context.secret(field.name).map { .secret($0) }
      case .secret, .jwt: continue
      case .list: fields[field.name] = .text(context.list(field.name).joined(separator: ","))
      default: fields[field.name] = context.text(field.name).map { .text($0) }
      }
    }
    return fields
  }

  /// The machine's own credential never takes the place of one that the manifest declares: the fault would be hidden, and
  /// the credential could be another account's.
  private var ambient: (@Sendable (AmbientChain) async throws(RemoteFailure) -> AmbientCredential)? {
    let secrets = api.connection.filter(\.kind.isSecret).map(\.name)
    guard context.connection.declared.isDisjoint(with: secrets) else { return nil }
    return { [context] chain async throws(RemoteFailure) in try await chain.credential(context) }
  }

  /// The secrets of the way to sign in that is used: the first with one that the manifest declares, or else the first whose
  /// fields have values. A variable that is set by chance does not replace what is declared.
  private var credentials: Set<String> {
    let secrets = Set(api.connection.filter(\.kind.isSecret).map(\.name))
    let ways = api.auth.map { method in
      let needed = ConnectionSession.needed(by: method, of: api).intersection(secrets)
      return (needed: needed, all: needed.union(method.optional.intersection(secrets)))
    }.filter { way in way.needed.allSatisfy { context.hasValue($0) } }
    return ways.first { !$0.needed.isDisjoint(with: context.connection.declared) }?.all ?? ways.first?.all ?? []
  }

  /// Members that the source and the target share.
  fileprivate var backend: BackendDescription { context.backend }
  fileprivate var declared: Connection { context.connection }

  fileprivate func read(_ references: [Reference]) async -> [SourceAnswer] {
    do throws(RemoteFailure) {
      let connection = try await connection()
      let source = RemoteSource(service, backend) { reference in
        guard !api.target.isEmpty else {
          return RemoteSource.Address(place: RemotePlace(connection: connection), name: reference.location)
        }
        guard let fields = try? api.place.values(at: reference.location), let name = reference.selector else {
          return nil
        }
        return RemoteSource.Address(place: RemotePlace(connection: connection, fields: fields), name: name)
      }
      return await source.read(references)
    } catch {
      return references.map { _ in .failed(error.asAccess) }
    }
  }

  fileprivate func target(_ connection: RemoteConnection) -> RemoteTarget {
    RemoteTarget(service, backend) { destination in
      backend.target?.values(at: destination.location).map { RemotePlace(connection: connection, fields: $0) }
    }
  }

  fileprivate func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      return await target(try await connection()).look(question, at: destination)
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  fileprivate func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let connection: RemoteConnection
    do throws(RemoteFailure) {
      connection = try await self.connection()
    } catch {
      throw error.asAccess
    }
    return try await target(connection).write(changes, at: destination)
  }
}

private struct DescribedSource: SecretSource {
  let service: DescribedBackend
  init(_ service: DescribedBackend) { self.service = service }

  var backend: BackendDescription { service.backend }
  var connection: Connection? { service.declared }

  func read(_ references: [Reference]) async -> [SourceAnswer] { await service.read(references) }
}

private struct DescribedTarget: SecretTarget {
  let service: DescribedBackend
  init(_ service: DescribedBackend) { self.service = service }

  var backend: BackendDescription { service.backend }
  var connection: Connection? { service.declared }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    await service.look(question, at: destination)
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    try await service.write(changes, at: destination)
  }
}
