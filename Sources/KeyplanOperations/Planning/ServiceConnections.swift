internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanHTTP
internal import KeyplanLocal
internal import KeyplanRemote
internal import KeyplanReporting

/// The services of a manifest's connections, for one run. Nothing is sent before one of them is used.
struct ServiceConnections: Sendable {
  /// By the connections' names, in order.
  let services: [(connection: Connection, service: any RemoteBackend)]

  /// - Throws: `Failure` for an invalid proxy.
  init(_ connections: [Connection], of project: Project, in world: World) throws(Failure) {
    guard !connections.isEmpty else {
      services = []
      return
    }
    let environment = try world.remoteEnvironment(project.folder)
    services = connections.compactMap { connection in
      guard let backend = project.services.description(connection.type) else { return nil }
      let context = ConnectionContext(connection, to: backend, in: environment)
      return project.services.backend(context).map { (connection, $0) }
    }
    world.signIns.add { [services] in
      await withTaskGroup(of: Void.self) { group in
        for (_, service) in services { group.addTask { await service.signOut() } }
      }
    }
  }

  var sources: [any SecretSource] { services.compactMap(\.service.source) }
  var issuers: [any KeyIssuing] { services.compactMap(\.service.issuer) }
  var targets: [any SecretTarget] { services.compactMap(\.service.target) }
}

extension World {
  /// What connections see of the machine.
  /// - Parameter folder: where relative paths begin.
  func remoteEnvironment(_ folder: String) throws(Failure) -> RemoteEnvironment {
    let context = sourceContext(folder)
    let settings: HTTPSettings
    do throws(HTTPError) {
      settings = try HTTPSettings(variables: variables)
    } catch {
      throw Failure(.failed, "Invalid proxy", "\(error).", hint: error.hint)
    }
    return RemoteEnvironment(
      variables: variables, home: home, folder: context.folder, http: settings,
      transport: { [self] in RemoteTransport($0) { now.seconds } },
      read: { await LocalBackends.read($0, context) }, programs: ProgramRunner(context))
  }
}
