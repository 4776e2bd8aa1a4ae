#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files and directories of a checkout that come from git, so that the author of a pull request decides what is in them.
///
/// The innermost work tree around a file decides, and every one around that as far as the checkout: a repository inside
/// of it can hide nothing that the checkout tracks. All that is in a submodule comes from its author, too. If no index can be
/// read, nothing says that a file does not come from git.
package struct CheckoutFiles: Hashable, Sendable {
  /// The root of the checkout, resolved: that of the superproject, if the manifest is in a submodule.
  private let root: String
  /// The manifest's folder.
  private let folder: String
  /// Whether a checkout without a repository has files from git: unknown, so yes, unless they have been reviewed.
  private let assumesTracked: Bool

  /// - Parameters:
  ///   - root: the root of the work tree, resolved; the manifest's folder if there is none.
  ///   - folder: the manifest's folder.
  package init(root: String, folder: String, isTrusted: Bool) {
    (self.root, self.folder) = (root, folder)
    assumesTracked = !isTrusted
  }

  /// Whether a path, or a symbolic link on it, is in the checkout.
  package func contains(_ path: String) -> Bool {
    if ResolvedPath.isWithin(path, root) { return true }
    // The entries of PATH are asked about by every command, and most of them have no links.
    if let real = realpath(path, nil) {
      defer { free(real) }
      if strcmp(real, path) == 0 { return false }
    }
    return !(places(of: path) ?? [path]).isEmpty
  }

  /// The places in the checkout that a path leads through; nil if it begins there and cannot be followed.
  private func places(of path: String) -> [String]? {
    guard let resolved = try? ResolvedPath(path) else { return ResolvedPath.isWithin(path, root) ? nil : [] }
    return (resolved.links + [resolved.path]).filter { ResolvedPath.isWithin($0, root) }
  }

  /// The paths that lead to something in the checkout that git tracks: a file, a directory with tracked files, or either
  /// through a tracked link. If an index does not decide, the path is included.
  package func tracked(among paths: some Collection<String>) -> Set<String> {
    var tracked: Set<String> = []
    var inside: [String: [String]] = [:]
    for path in paths {
      guard let places = places(of: path) else {
        tracked.insert(path)
        continue
      }
      if !places.isEmpty { inside[path] = places }
    }
    guard !inside.isEmpty else { return tracked }
    let found = trackedPlaces(Set(inside.values.joined()))
    for (path, places) in inside where places.contains(where: found.contains) { tracked.insert(path) }
    return tracked
  }

  /// The same for resolved paths in the checkout.
  private func trackedPlaces(_ places: Set<String>) -> Set<String> {
    var tracked: Set<String> = []
    var members: [WorkTree: Set<String>] = [:]
    // Grouped by directory: nearly all files are in the same few.
    for (directory, places) in Dictionary(grouping: places, by: Self.directory) {
      guard let trees = trees(around: directory) else {
        tracked.formUnion(places)
        continue
      }
      if trees.isEmpty, assumesTracked { tracked.formUnion(places) }
      for tree in trees { members[tree, default: []].formUnion(places) }
    }
    for (tree, places) in members { tracked.formUnion(self.tracked(places, in: tree)) }
    return tracked
  }

  private func tracked(_ places: Set<String>, in tree: WorkTree) -> Set<String> {
    // Files of the repository itself are never tracked, and nothing of a checkout can change them.
    let places = places.filter { !tree.isRepositoryFile($0) }
    var names: [[UInt8]: String] = [:]
    for place in places { names[tree.name(of: place) ?? []] = place }
    // A place is looked for as both: it need not exist, and a link's place may become a directory.
    guard let found = tree.repository?.entries(among: Set(names.keys), directories: Set(names.keys)) else {
      return places
    }
    let own = found.submodules.isEmpty ? nil : (try? ResolvedPath(folder).path).flatMap(tree.name)
    return Set(
      names.compactMap { name, place in
        // The root itself has no name; everything is in it.
        if name.isEmpty || found.tracked.contains(name) || found.unknown.contains(name)
          || found.directories.contains(name)
        {
          return place
        }
        // The submodule that has the manifest is this checkout.
        guard let submodule = found.submodules[name] else { return nil }
        return own == submodule || own?.starts(with: submodule + [.slash]) == true ? nil : place
      })
  }

  /// The work trees around a directory, from the innermost to that of the checkout; nil if one cannot be inspected.
  private func trees(around directory: String) -> [WorkTree]? {
    var trees: [WorkTree] = []
    var next: String? = directory
    while let start = next {
      do throws(FileError) {
        guard let tree = try WorkTree(containing: start), ResolvedPath.isWithin(tree.root, root) else { return trees }
        trees.append(tree)
        next = tree.root == root ? nil : Self.directory(of: tree.root)
      } catch {
        return nil
      }
    }
    return trees
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: .slash), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
