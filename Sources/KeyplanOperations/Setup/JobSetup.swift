internal import KeyplanManifest
internal import KeyplanModel
package import KeyplanReporting
internal import KeyplanStore

/// The facts of a project that CI jobs need to know. Nothing is opened or contacted, and no value is read.
package enum JobSetup {
  /// - Throws: `Failure`, and `Project.Rejected` if the manifest has errors.
  package static func project(for service: JobService, in world: World) throws -> JobProject {
    let project = try Project(in: world)
    let manifest = try project.manifest()
    let place = try ResolvedStore(placeOf: project, in: world)
    let root = Project.workTree(of: project.folder)
    let file = try Project.find(in: world)
    let recipients = manifest.recipients ?? [:]
    func names(_ role: Recipient.Role) -> [String] {
      recipients.filter { $0.value.role == role }.keys.map(\.name).sorted()
    }
    let folder = Project.real(project.folder)
    let named = (folder == "/" ? "" : folder) + "/" + (file.split(separator: "/").last.map(String.init) ?? "")
    let machine = JobProject.Machine(
      program: HelperSetup.installedProgram(in: world) ?? "/usr/local/bin/keyplan",
      user: world.variable("USER") ?? world.variable("LOGNAME") ?? "keyplan",
      state: world.state)
    let here = service == .cron ? [machine.program, machine.state] : []
    for path in [folder, named, place.file ?? ""] + here where Glyphs.visible(path) != path {
      throw unusable(path, "a control character or an invisible one, which the file for CI cannot contain")
    }
    if service == .cron {
      // systemd unquotes nothing here: a backslash joins the next line, and white space at the end is lost.
      if folder.hasSuffix("\\") || folder.last?.isWhitespace == true {
        throw unusable(folder, "a backslash or white space at its end, which a unit's WorkingDirectory cannot have")
      }
      if machine.program.contains(where: { "$'\"\\".contains($0) }) {
        throw unusable(machine.program, "a character that a unit cannot have in the path of its program")
      }
    }
    let options = ProjectOptions(
      manifest: world.settings.manifest.map { Glyphs.visible($0) }, environment: world.settings.environment)
    return JobProject(
      store: try store(place, in: world), pin: line(of: place), environment: project.environment,
      overlays: Project.overlays(of: file, in: world), manifest: Project.relative(named, to: root), folder: folder,
      options: options.words, variables: variables(of: manifest), planners: names(.plan), openers: names(.full),
      hasAccounts: !manifest.accounts.isEmpty,
      machine: machine)
  }

  private static func unusable(_ path: String, _ what: String) -> Failure {
    Failure(
      .failed, "Unusable path", "\(Glyphs.visible(path)) has \(what).", hint: "Rename the folder, and print again.")
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
