internal import KeyplanFiles
internal import KeyplanManifest
internal import KeyplanModel
package import KeyplanReporting

/// The files that a command's output must not replace: keyplan's own, and those that the manifest declares.
package struct TakenFiles {
  private let own: OwnFiles
  private let places: [String: String]
  private let known: KnownFiles

  package init(_ project: Project, in world: World) { self.init(project.ownFiles(in: world), project, in: world) }

  private init(_ own: OwnFiles, _ project: Project?, in world: World) {
    self.own = own
    let (manifest, folder) = (project?.reading.manifest, project?.folder ?? world.directory)
    // Nearly all references lead into the same few files.
    var files: [String: String] = [:]
    for reference in manifest?.references ?? [] where reference.isFile {
      files[reference.location] = "read by \(reference.scheme):// references"
    }
    for (id, target) in manifest?.targets ?? [:] { files[target.destination.location] = "the file of target.\(id)" }
    let all = files.map { (world.absolute($0.key, in: folder), $0.value) }
    places = Dictionary(all.map { (Project.real($0.0), $0.1) }) { first, _ in first }
    known = KnownFiles(all)
  }

  /// For a command that may run without a manifest, or with one that has errors.
  package init(in world: World) {
    let project = try? Project(in: world)
    let own =
      project?.ownFiles(in: world)
      ?? OwnFiles(manifest: Project.newPath(in: world), nil, environment: nil, in: world)
    self.init(own, project, in: world)
  }

  /// The role of a file, such as "the manifest"; nil for a file that may be replaced.
  package func role(of path: String, for use: OwnFiles.Use = .content) -> String? {
    own.role(of: path, for: use) ?? places[Project.real(path)] ?? known.words(for: path)
  }
}

extension Failure {
  /// - Parameters:
  ///   - what: the thing to write, such as "Output".
  ///   - option: the option that names the file.
  package static func taken(_ typed: String, _ role: String, by option: String, _ what: String) -> Failure {
    let detail =
      KnownFiles.isName(role, of: typed)
      ? "\(option) does not overwrite \(typed)." : "\(typed) is \(role), and \(option) does not overwrite it."
    return Failure(.usage, "\(what) would replace a file in use", detail, hint: "Choose another name.")
  }
}

extension Manifest {
  /// All places that it names as having a secret, each once.
  fileprivate var references: Set<Reference> {
    var all = Set(migrations.compactMap(\.original))
    for account in accounts.values { all.formUnion(account.references) }
    for (_, key) in keysAsDeclared { all.formUnion(key.sources) }
    return all
  }
}
