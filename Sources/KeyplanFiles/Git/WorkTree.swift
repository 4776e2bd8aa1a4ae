/// A git work tree: its root, and the files that git tracks.
///
/// Everything is read from the repository's files. git itself is never started, because a repository's configuration
/// can make it run programs. A checkout may be hostile, so every read is bounded, and anything that cannot be interpreted
/// is ``Tracking/unknown``.
package struct WorkTree: Hashable, Sendable {
  /// The resolved path of the directory that has the `.git` entry.
  package let root: String
  /// Nil if `.git` is not a repository that this version can read.
  let repository: GitRepository?

  /// Whether git tracks a file.
  package enum Tracking: Hashable, Sendable {
    /// The index contains the file, or a symbolic link on the path to it.
    case tracked
    /// The index contains neither.
    case untracked
    /// The index cannot be read completely: a split or sparse one, a newer version, or a damaged file.
    case unknown
  }

  /// The innermost work tree that contains the path, found as git finds it: the nearest parent directory with a `.git`.
  /// The path need not exist. For the root of a work tree, it is that work tree itself.
  ///
  /// - Throws: ``FileError`` if a directory on the path cannot be inspected. Do not treat this as *no work tree*.
  package init?(containing path: String) throws(FileError) {
    var directory = try ResolvedPath(path).path
    while true {
      switch try GitRepository.Entry(in: directory) {
      case .none: break
      case .repository(let repository):
        (root, self.repository) = (directory, repository)
        return
      case .unusable:
        (root, repository) = (directory, nil)
        return
      }
      guard directory != "/", let slash = directory.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      directory = slash == directory.startIndex ? "/" : String(directory[..<slash])
    }
  }

  /// The work tree of which this one is a submodule. Nil if it is not a submodule, as for an independent clone inside
  /// another.
  package var superproject: WorkTree? {
    get throws(FileError) {
      guard root != "/", let outer = try WorkTree(containing: root + "/..") else { return nil }
      return try outer.isTracked(root) == .untracked ? nil : outer
    }
  }

  /// Whether the path, links followed, is inside the root; nested repositories and `.git` count as inside.
  package func contains(_ path: String) throws(FileError) -> Bool {
    ResolvedPath.isWithin(try ResolvedPath(path).path, root)
  }

  /// Whether the path, links followed, belongs to the repository itself: it is `.git` or inside the directory to which
  /// `.git` refers.
  package func isRepositoryFile(_ resolved: ResolvedPath) -> Bool { isRepositoryFile(resolved.path) }

  func isRepositoryFile(_ path: String) -> Bool {
    ResolvedPath.isWithin(path, root == "/" ? "/.git" : root + "/.git") || repository?.contains(path) ?? false
  }

  /// Whether git tracks the file in this work tree. A file of a submodule belongs to the submodule's own work tree.
  ///
  /// Reads the index once. For several files, see ``tracking(of:)``.
  package func isTracked(_ path: String) throws(FileError) -> Tracking {
    try tracking(of: CollectionOfOne(path))[path] ?? .unknown
  }

  /// The same for several paths, with one pass over the index. The result contains every path.
  package func tracking(of paths: some Collection<String>) throws(FileError) -> [String: Tracking] {
    // A tracked link decides which file is used, so it counts like the file.
    var names: [String: [[UInt8]]] = [:]
    for path in paths {
      let resolved = try ResolvedPath(path)
      names[path] = (resolved.links + [resolved.path]).compactMap(name(of:))
    }
    guard let repository else { return names.mapValues { $0.isEmpty ? .untracked : .unknown } }
    guard let found = repository.entries(among: Set(names.values.joined())) else {
      return names.mapValues { $0.isEmpty ? .untracked : .unknown }
    }
    return names.mapValues { names in
      if names.contains(where: { found.tracked.contains($0) }) { return .tracked }
      return names.contains(where: { found.unknown.contains($0) }) ? .unknown : .untracked
    }
  }

  /// The effect of the next `git add --all` and commit on a file's content.
  package enum Handling: Hashable, Sendable {
    /// Commits it: git tracks the file.
    case tracked
    /// Commits it: no rule of the work tree ignores the file.
    case added
    /// Ignores it.
    case ignored
    /// A rule ignores it, but the index cannot be read: git tracks it if it was added by force.
    case ignoredUnlessTracked
    /// An ignore file cannot be read, or all of them are too large. It may be committed.
    case unknown
  }

  /// The paths that lead to files tracked by git, each looked up in the innermost work tree around it.
  package static func tracked(among paths: some Collection<String>) -> Set<String> {
    var tracked: Set<String> = []
    for (tree, files) in members(paths) {
      let tracking = try? tree.tracking(of: files.map(\.file.path))
      tracked.formUnion(files.filter { tracking?[$0.file.path] == .tracked }.map(\.path))
    }
    return tracked
  }

  /// The handling of the files to which the paths lead, each looked up in the innermost work tree around it.
  /// Files outside of work trees and files of the repository itself are left out.
  package static func handling(of paths: some Collection<String>) -> [String: Handling] {
    var handling: [String: Handling] = [:]
    var budget = IgnoreRules.Budget()
    for (tree, files) in members(paths).sorted(by: { $0.key.root < $1.key.root }) {
      let tracking = try? tree.tracking(of: files.map(\.file.path))
      var rules = try? IgnoreRules(root: tree.root, exclude: tree.repository?.exclude, within: &budget)
      for (path, file) in files.sorted(by: { $0.path < $1.path }) {
        guard let name = tree.name(of: file.path) else { continue }
        let state = tracking?[file.path]
        guard state != .tracked else {
          handling[path] = .tracked
          continue
        }
        switch try? rules?.ignores(name, within: &budget) {
        case nil: handling[path] = .unknown
        case false?: handling[path] = .added
        case true?: handling[path] = state == .untracked ? .ignored : .ignoredUnlessTracked
        }
      }
    }
    return handling
  }

  private static func members(
    _ paths: some Collection<String>
  ) -> [WorkTree: [(path: String, file: ResolvedPath)]] {
    // Grouped by directory: nearly all files are in the same few.
    var trees: [String: WorkTree?] = [:]
    var members: [WorkTree: [(path: String, file: ResolvedPath)]] = [:]
    for path in Set(paths) {
      guard let file = try? ResolvedPath(path), let slash = file.path.lastIndex(of: "/") else { continue }
      let directory = String(file.path[...slash])
      let tree = trees[directory] ?? (try? WorkTree(containing: directory))
      trees[directory] = tree
      if let tree, !tree.isRepositoryFile(file) { members[tree, default: []].append((path, file)) }
    }
    return members
  }

  /// A resolved path as the index stores it; nil outside of the root, and for the root.
  func name(of path: String) -> [UInt8]? {
    guard path != root, ResolvedPath.isWithin(path, root) else { return nil }
    return Array(path.utf8.dropFirst(root == "/" ? 1 : root.utf8.count + 1))
  }
}
