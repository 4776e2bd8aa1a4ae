/// The parts of the environment that targets may use; created once, at the start of the program.
package struct TargetContext: Sendable {
  /// The manifest's folder, absolute; relative paths are resolved in it.
  package let folder: String
  /// The home directory, for `~`; nil if unknown.
  package let home: String?
  /// Describes a file that keyplan itself uses, such as "the manifest", by its absolute path; nil for a file that may
  /// be written.
  let role: @Sendable (String) -> String?

  /// - Parameter role: describes the files that no target may write, whatever the manifest declares.
  package init(folder: String, home: String?, role: @escaping @Sendable (String) -> String? = { _ in nil }) {
    self.folder = folder
    self.home = home
    self.role = role
  }
}
