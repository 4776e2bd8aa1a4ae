/// Files that define what CI services run. With write access to one, a user can run programs with the secrets of the
/// jobs.
package enum PipelineFile {
  private static let directories: Set<String> = [
    ".azure-pipelines", ".buildkite", ".circleci", ".forgejo", ".gitea", ".github", ".gitlab", ".semaphore",
    ".teamcity",
    ".woodpecker",
  ]
  /// Prefixes of names: complete, or followed by a dot or hyphen and more.
  private static let names = [
    ".appveyor", ".cirrus", ".drone", ".gitlab-ci", ".travis", ".woodpecker", "appveyor", "azure-pipelines",
    "bitbucket-pipelines", "buildspec", "cloudbuild", "jenkinsfile",
  ]

  /// Whether a path, or one of the links or the file that it leads to, is such a file.
  ///
  /// - Parameter root: the work tree; directories above it do not count. Services look for these files in the root
  ///   only, but parts of a project may become repositories of their own, so that a name counts at any depth.
  package static func isOne(_ path: String, in root: String) -> Bool {
    let resolved = try? ResolvedPath(path)
    return ([path] + (resolved.map { [$0.path] + $0.links } ?? [])).contains { isNamedSo($0, in: root) }
  }

  private static func isNamedSo(_ path: String, in root: String) -> Bool {
    let inner = ResolvedPath.isWithin(path, root) ? String(path.dropFirst(root.count)) : path
    let parts = inner.split(separator: "/").map { $0.lowercased() }
    guard let name = parts.last else { return false }
    return parts.dropLast().contains { directories.contains($0) }
      || names.contains { known in
        name == known || name.hasPrefix(known + ".") || name.hasPrefix(known + "-") || name.hasSuffix(known + ".yml")
      }
  }
}
