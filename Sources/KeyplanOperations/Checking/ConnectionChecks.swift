internal import KeyplanApply
internal import KeyplanLocal
internal import KeyplanModel
internal import KeyplanPorts
import KeyplanReporting
internal import KeyplanServices

extension WorkspaceChecks {
  /// One finding for each connection that is used: the account that it is signed in as, or the reason that it cannot be used.
  /// - Parameter recorded: nil if the store, which has the permissions, could not be read.
  nonisolated(nonsending) static func connections(
    of manifest: Manifest, _ recorded: Recorded?, _ digests: any FileDigesting, _ checkout: Checkout,
    in project: Project, _ world: World
  ) async -> [Check] {
    let used = manifest.usedConnections
    guard !used.isEmpty else { return [] }
    let rules = world.sourceContext(project.folder, as: checkout).rules(digests: digests)
    let permitted = Set(recorded.map { manifest.permittedConnections($0, rules).map(\.name) } ?? [])
    let services: ServiceConnections
    do throws(Failure) {
      services = try ServiceConnections(
        used.filter { permitted.contains($0.name) }, of: project, as: checkout, in: world)
    } catch {
      return [.error(.connections, error)]
    }
    let answers = await withTaskGroup(of: (Identifier<Connection>, SignedInAs).self) { group in
      for (connection, service) in services.services {
        group.addTask { (connection.name, await service.signedInAs()) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    return used.map { recorded == nil ? unread($0) : check($0, answers[$0.name]) }
  }

  private static func name(_ connection: Connection) -> String {
    "connection \(connection.name)" + (connection.hosts.first.map { " (\($0.text))" } ?? "")
  }

  private static func unread(_ connection: Connection) -> Check {
    .warning(
      .connections, "\(name(connection)) was not used: whether it is allowed is in the store, which could not be read.",
      hint: "Fix the error of the store first.")
  }

  private static func check(_ connection: Connection, _ answer: SignedInAs?) -> Check {
    let name = name(connection)
    switch answer {
    case .known(let identity):
      let shown = QuotedWord.quoted(String(identity.prefix(120)))
      return .ok(.connections, "\(name) is signed in as \(shown)")
    case .found(let owner, let step):
      let whose = owner.map { " as \(QuotedWord.quoted(String($0.prefix(120))))" } ?? ""
      return .ok(.connections, "\(name) is signed in\(whose) with the credential of this machine: \(step)")
    case .unnamed: return .ok(.connections, "\(name) accepts the credential")
    case .notAsked: return .ok(.connections, "\(name) has a credential, which only reading a secret can verify")
    case .failed(let failure):
      return .error(
        .connections, "\(name): \(failure.reason)", hint: failure.hint,
        failure.kind.isOutage ? .unreachable : .failed)
    case nil:
      return .warning(
        .connections, "\(name) was not used: its address and fields are not allowed yet.",
        hint: "`keyplan plan` shows what it wants to contact; `keyplan apply` allows it.")
    }
  }
}
