/// The parts of the environment that sources may use; created once, at the start of the program.
package struct SourceContext: Sendable {
  package let variables: [String: String]
  /// The manifest's folder, absolute; relative paths are resolved in it.
  package let folder: String
  /// The root of the work tree that contains the folder, absolute and without links; otherwise the folder itself.
  package let workTree: String
  /// The home directory, for `~`; nil if unknown.
  package let home: String?

  package init(variables: [String: String], folder: String, workTree: String? = nil, home: String?) {
    self.variables = variables
    self.folder = folder
    self.workTree = workTree ?? folder
    self.home = home
  }
}
