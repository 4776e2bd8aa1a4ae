/// Files that tell CI services what to run. Whoever can write them can run programs with the secrets of the jobs.
package enum PipelineFile {
  private static let directories: Set<String> = [
    ".azure-pipelines", ".buildkite", ".circleci", ".forgejo", ".gitea", ".github", ".gitlab", ".semaphore",
    ".teamcity",
    ".woodpecker",
  ]
  /// Beginnings of names, which are followed by nothing, or by a dot or hyphen and more.
  private static let names = [
    ".appveyor", ".cirrus", ".drone", ".gitlab-ci", ".travis", ".woodpecker", "appveyor", "azure-pipelines",
    "bitbucket-pipelines", "buildspec", "cloudbuild", "jenkinsfile",
  ]

  /// Whether a file is one of these, under its own name or by links.
  ///
  /// - Parameter root: the work tree; what it lies in itself does not count. Services look at its root only, but which directory
  ///   that is depends on how a project is taken apart, so that a name counts at any depth.
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
