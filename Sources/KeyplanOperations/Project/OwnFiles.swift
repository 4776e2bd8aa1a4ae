internal import KeyplanFiles
package import KeyplanManifest
internal import KeyplanModel

/// The files that keyplan itself uses in a project. No target or output may replace them.
///
/// Each is known by its name, so that it is also protected before it exists (a journal, an overlay), and by its identity, so that another
/// name for it does not help.
package struct OwnFiles: Sendable {
  private let manifest: String
  /// Without links, as the other paths here.
  private let folder: String
  private let stores: [String]
  private let directories: [(path: String, words: String)]
  private let repository: WorkTree?
  private let known: KnownFiles

  /// - Parameters:
  ///   - manifest: its path, absolute; it need not exist.
  ///   - settings: the manifest's settings for its store; nil if it cannot be read.
  package init(
    manifest: String, _ settings: ManifestReader.Settings?, environment: String?, in world: World
  ) {
    self.manifest = Project.real(manifest)
    let folder = Project.parent(of: manifest)
    self.folder = Project.real(folder)
    let stores = ResolvedStore.files(
      chosen: world.settings.isStoreNone ? nil : world.settings.store, named: settings?.store, folder: folder,
      environment, in: world)
    // The original paths as well, for callers that do not follow links.
    self.stores = (stores + stores.map(Project.real)).uniqued
    directories = [
      (world.state, "keyplan's state directory"), (world.configuration, Use.configuration),
    ]
    .flatMap { path, words in [Project.normalised(path), Project.real(path)].uniqued.map { ($0, words) } }
    repository = (try? WorkTree(containing: folder)) ?? nil

    var files = [(manifest, "the manifest"), (folder + "/keyplan.lock", "keyplan.lock")]
    files += Project.overlays(of: manifest, in: world).map { (Project.overlayPath(of: manifest, $0), "an overlay") }
    files += Identities.file(in: world).map { [($0, "the identity")] } ?? []
    files += stores.map { ($0, "the store") }
    for (path, words) in directories + [(folder + "/.keyplan", Use.folder)] {
      files += Project.names(in: path).map { (path + "/" + $0, "a file in \(words)") }
    }
    known = KnownFiles(files)
  }

  /// The purpose of writing a file.
  package enum Use {
    /// A target or a command's result: none of keyplan's own files will do.
    case content
    /// A new identity, which may be where keyplan looks for one.
    case identity
    /// A store, which may be where keyplan looks for one, or in keyplan's own folder.
    case store

    fileprivate func allows(_ role: String) -> Bool {
      switch self {
      case .content: false
      case .identity: role == "the identity" || role == "a file in \(Self.configuration)"
      case .store: role == "the store" || role == "a file in \(Self.folder)"
      }
    }

    fileprivate static let configuration = "keyplan's configuration directory"
    fileprivate static let folder = "keyplan's folder .keyplan"
  }

  /// The role of a file, such as "the manifest"; nil for a file that may be written.
  /// - Parameter following: whether links are resolved on disk; false for a path without permission.
  package func role(of path: String, for use: Use = .content, following: Bool = true) -> String? {
    let written = Project.normalised(path)
    func refused(_ role: String?) -> String? { role.flatMap { use.allows($0) ? nil : $0 } }
    guard following else { return refused(role(named: written)) }
    let resolved = try? ResolvedPath(path)
    for place in [written] + (resolved.map { [$0.path] + $0.links } ?? []) {
      if let role = refused(role(named: place)) { return role }
    }
    if let resolved, repository?.isRepositoryFile(resolved) == true { return "a file of the git repository" }
    return refused(known.words(for: path))
  }

  /// File systems may ignore case, and an editor or git would then find the file under keyplan's name for it.
  private func role(named path: String) -> String? {
    let inside = Project.relative(path, to: folder)
    let parts = inside.split(separator: "/").map { $0.lowercased() }
    if parts.contains(".git") { return "a file of the git repository" }
    if let role = role(besideStores: path) { return role }
    if parts.contains(".keyplan") { return "a file in \(Use.folder)" }
    for (directory, words) in directories where path == directory || path.hasPrefix(directory + "/") {
      return "a file in \(words)"
    }
    // The temporary file that replaces a file, and the note next to it.
    let name = AtomicFile.temporaryEndings.reduce(parts.last ?? "") { $0.removingSuffix($1) }
    if let role = Self.role(manifest: name) { return role }
    let parent = Project.parent(of: path)
    return parent == folder ? role(besideManifest: name) : nil
  }

  private func role(besideStores path: String) -> String? {
    let parent = Project.parent(of: path)
    let name = path.dropFirst(parent == "/" ? 1 : parent.utf8.count + 1).lowercased()
    for store in stores where Project.parent(of: store) == parent {
      let own = store.dropFirst(parent == "/" ? 1 : parent.utf8.count + 1).lowercased()
      if ([""] + AtomicFile.temporaryEndings).contains(where: { name == own + $0 }) { return "the store" }
      if name.hasPrefix(own + "-") { return "the store's journal" }
      if name.hasPrefix(own + "."), name.hasSuffix("lock") { return "a lock of the store" }
    }
    return nil
  }

  /// The role of a file that is a manifest wherever it is.
  private static func role(manifest name: String) -> String? {
    switch name {
    case "keyplan.yaml", "keyplan.yml": "the manifest"
    case "keyplan.lock": "keyplan.lock"
    default: Project.environment(of: name, beside: "keyplan.yaml").map { "the overlay of the environment \($0)" }
    }
  }

  private func role(besideManifest name: String) -> String? {
    let own = Project.relative(manifest, to: folder).lowercased()
    if name == own { return "the manifest" }
    return Project.environment(of: name, beside: own).map { "the overlay of the environment \($0)" }
  }
}

extension [String] {
  fileprivate var uniqued: [String] { Array(Set(self)).sorted() }
}

extension String {
  fileprivate func removingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
