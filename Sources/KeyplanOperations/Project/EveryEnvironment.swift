internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// A manifest as each of its environments reads it. The manifest alone is one of them if it has a store, or if there is no overlay.
package struct EveryEnvironment {
  package let projects: [Project]
  private let sharedPlaces: SharedPlaces

  /// Whether two environments write to one place.
  package var hasSharedPlaces: Bool { !sharedPlaces.all.isEmpty }

  package init(in world: World) throws(Failure) {
    var projects: [Project] = []
    for name in try Self.names(in: world) {
      var world = world
      world.settings.environment = name
      projects.append(try Project(in: world))
    }
    self.projects = projects
    sharedPlaces = SharedPlaces(among: projects)
  }

  /// The names of the environments, in the order in which they are looked at.
  package static func names(in world: World) throws(Failure) -> [String] {
    let path = try Project.find(in: world)
    var names = Project.overlays(of: path, in: world)
    let isAloneUsed =
      names.isEmpty
      || !names.contains(EnvironmentChoice.nameOfAlone)
        && EnvironmentChoice.hasStoreAlone(in: Project.parent(of: path), of: world)
    if isAloneUsed { names.insert(EnvironmentChoice.nameOfAlone, at: 0) }
    return names
  }

  /// The name of a project's environment.
  package static func name(of project: Project) -> String { project.environment ?? EnvironmentChoice.nameOfAlone }

  /// The diagnostics, each once, grouped by the environments that they are about: first those of all.
  package var parts: [ManifestReport.Part] {
    var indices: [Diagnostic: [Int]] = [:]
    var order: [Diagnostic] = []
    for (index, project) in projects.enumerated() {
      for diagnostic in Set(project.diagnostics).sorted() {
        if indices[diagnostic] == nil { order.append(diagnostic) }
        indices[diagnostic, default: []].append(index)
      }
    }
    for (users, diagnostic) in sharedPlaces.all {
      order.append(diagnostic)
      indices[diagnostic] = users
    }
    let groups = Dictionary(grouping: order) { indices[$0] ?? [] }
    return groups.sorted { one, other in
      if one.key.count != other.key.count { return one.key.count > other.key.count }
      return one.key.lexicographicallyPrecedes(other.key)
    }
    .map { indices, diagnostics in
      let isAll = indices.count == projects.count
      let first = projects[indices[0]]
      return ManifestReport.Part(
        diagnostics.sorted(), in: isAll ? nil : indices.map { Self.name(of: projects[$0]) },
        source: first.sourceLine)
    }
  }
}
