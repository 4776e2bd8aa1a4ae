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
    let context = world.sourceContext(project.folder)
    let environment = RemoteEnvironment(
      variables: world.variables, home: world.home, folder: context.folder, http: try Self.settings(in: world),
      transport: { [world] in RemoteTransport($0) { world.now.seconds } },
      read: { await LocalBackends.read($0, context) }, programs: ProgramRunner(context))
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
  var targets: [any SecretTarget] { services.compactMap(\.service.target) }

  private static func settings(in world: World) throws(Failure) -> HTTPSettings {
    do throws(HTTPError) {
      return try HTTPSettings(variables: world.variables)
    } catch {
      throw Failure(.failed, "Invalid proxy", "\(error).", hint: error.hint)
    }
  }
}
