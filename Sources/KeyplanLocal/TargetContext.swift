package import KeyplanModel

/// The parts of the environment that targets may use; created once, at the start of the program.
package struct TargetContext: Sendable {
  /// The manifest's folder, absolute; relative paths are resolved in it.
  package let folder: String
  /// The home directory, for `~`; nil if unknown.
  package let home: String?
  /// The environment and work tree of the programs that `command` targets run.
  let programs: SourceContext
  /// Describes a file that keyplan itself uses, such as "the manifest", by its absolute path; nil for a file that may
  /// be written.
  let role: @Sendable (String) -> String?
  let now: @Sendable () -> Moment

  /// - Parameters:
  ///   - variables: the variables of the environment.
  ///   - workTree: the root of the work tree that contains the folder; nil for the folder itself.
  ///   - isTrusted: whether the files of the work tree have been reviewed.
  ///   - role: describes the files that no target may write, whatever the manifest declares.
  ///   - now: the current time.
  package init(
    folder: String, home: String?, variables: [String: String] = [:], workTree: String? = nil, isTrusted: Bool = true,
    role: @escaping @Sendable (String) -> String? = { _ in nil },
    now: @escaping @Sendable () -> Moment = { Moment(seconds: 0) }
  ) {
    programs = SourceContext(
      variables: variables, folder: folder, workTree: workTree, home: home, isTrusted: isTrusted)
    self.folder = folder
    self.home = home
    self.role = role
    self.now = now
  }
}
