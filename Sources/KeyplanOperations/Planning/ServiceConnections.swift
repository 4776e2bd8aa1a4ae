internal import KeyplanHTTP
internal import KeyplanLocal
internal import KeyplanModel
internal import KeyplanPorts
internal import KeyplanRemote
internal import KeyplanReporting
internal import KeyplanServices

/// The services of a manifest's connections, for one run. Nothing is sent before one of them is used.
struct ServiceConnections: Sendable {
  /// By the connections' names, in order.
  let services: [(connection: Connection, service: any RemoteBackend)]

  /// - Parameter checkout: the trust in the files; nil to derive it from the environment.
  init(
    _ connections: [Connection], of project: Project, as checkout: Checkout? = nil, in world: World
  ) throws(Failure) {
    guard !connections.isEmpty else {
      services = []
      return
    }
    let environment = try world.remoteEnvironment(project.folder, as: checkout)
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
  /// The environment that connections can access.
  /// - Parameter folder: the base of relative paths.
  func remoteEnvironment(_ folder: String, as checkout: Checkout? = nil) throws(Failure) -> RemoteEnvironment {
    let context = sourceContext(folder, as: checkout)
    let files = ConfigurationFiles(context)
    return RemoteEnvironment(
      variables: variables, home: home, folder: context.folder, http: try httpSettings(folder, as: checkout),
      transport: { [self] in RemoteTransport($0) { now.seconds } },
      read: { await LocalBackends.read($0, context) }, programs: ProgramRunner(context),
      refusal: { files.refusal(of: $0) })
  }

  /// The settings of clients, from the usual variables.
  /// - Throws: `Failure` for an invalid proxy, and for certificates of an untrusted checkout.
  func httpSettings(_ folder: String, as checkout: Checkout? = nil) throws(Failure) -> HTTPSettings {
    try requireUsable(["SSL_CERT_FILE"], in: folder, as: checkout)
    do throws(HTTPError) {
      return try HTTPSettings(variables: variables)
    } catch {
      throw Failure(.failed, "Invalid proxy", "\(error).", hint: error.hint)
    }
  }

  /// Refuses variables whose files are in an untrusted checkout.
  func requireUsable(_ variables: [String], in folder: String, as checkout: Checkout? = nil) throws(Failure) {
    guard variables.contains(where: { variable($0) != nil }) else { return }
    let files = ConfigurationFiles(sourceContext(folder, as: checkout))
    for name in variables {
      if let refusal = files.refusal(ofVariable: name) { throw Failure(configuration: refusal) }
    }
  }
}

extension Failure {
  /// A file that configures is in an untrusted checkout.
  init(configuration refusal: AccessFailure) {
    self.init(.storeRefused, "Configuration in the work tree", refusal.reason, hint: refusal.hint)
  }
}
