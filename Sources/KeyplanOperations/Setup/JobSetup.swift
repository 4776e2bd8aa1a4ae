internal import KeyplanManifest
internal import KeyplanModel
package import KeyplanReporting
internal import KeyplanStore

/// The facts of a project that CI jobs need to know. Nothing is opened or contacted, and no value is read.
package enum JobSetup {
  /// - Throws: `Failure`, and `Project.Rejected` if the manifest has errors.
  package static func project(in world: World) throws -> JobProject {
    let project = try Project(in: world)
    let manifest = try project.manifest()
    let place = try ResolvedStore(placeOf: project, in: world)
    let root = Project.workTree(of: project.folder)
    let file = try Project.find(in: world)
    let recipients = manifest.recipients ?? [:]
    func names(_ role: Recipient.Role) -> [String] {
      recipients.filter { $0.value.role == role }.keys.map(\.name).sorted()
    }
    for path in [project.folder, file, place.file ?? ""] where path.utf8.contains(where: { $0 < 0x20 }) {
      throw Failure(
        .failed, "Unusable path",
        "\(Glyphs.visible(path)) contains a control character, which the file for CI cannot contain.",
        hint: "Rename the folder.")
    }
    return JobProject(
      store: try store(place, in: world), pin: line(of: place), environment: project.environment,
      manifest: Project.relative(Project.real(file), to: root), folder: Project.real(project.folder),
      variables: variables(of: manifest), planners: names(.plan), openers: names(.full),
      hasAccounts: !manifest.accounts.isEmpty,
      machine: JobProject.Machine(
        program: HelperSetup.installedProgram(in: world) ?? "/usr/local/bin/keyplan",
        user: world.variable("USER") ?? world.variable("LOGNAME") ?? "keyplan",
        state: world.state))
  }

  private static func store(_ place: ResolvedStore, in world: World) throws(Failure) -> JobProject.Store {
    switch place.location {
    case .shared(let shared): return .server(shared.address.lasting)
    case .file(let path):
      // Neither is there a store, nor did anybody name one.
      if place.pin == nil, world.settings.store == nil, !world.fileExists(path) { return .none }
      return .file(Project.real(path))
    }
  }

  /// The line of `keyplan.lock`, which KEYPLAN_PIN takes. A serial is not part of it: each apply would change the setting.
  private static func line(of place: ResolvedStore) -> String? {
    place.pin.map { "\(place.trust.project.environment) \($0.store) \($0.roots.joined(separator: ","))" }
  }

  /// The variables that the manifest reads through `env`, in keys, accounts and connections: sorted.
  static func variables(of manifest: Manifest) -> [String] {
    let read =
      manifest.keys.values.flatMap(\.sources) + manifest.accounts.values.flatMap(\.references)
      + manifest.connections.values.flatMap { $0.secrets + $0.files }
    return Set(read.filter { $0.scheme == "env" }.map(\.location)).sorted()
  }
}
