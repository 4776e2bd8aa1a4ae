/// What targets see of the machine they run on; made once, where the program starts.
package struct TargetContext: Sendable {
  /// The manifest's folder, absolute: relative paths stand relative to it.
  package let folder: String
  /// What `~` stands for; nil where nobody knows.
  package let home: String?
  /// What an absolute path is to the program itself, in words such as "the manifest"; nil for a file that may be written.
  let role: @Sendable (String) -> String?

  /// - Parameter role: names the files that no target may write, whatever the manifest says.
  package init(folder: String, home: String?, role: @escaping @Sendable (String) -> String? = { _ in nil }) {
    self.folder = folder
    self.home = home
    self.role = role
  }
}
