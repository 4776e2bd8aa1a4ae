/// What sources see of the machine they run on; made once, where the program starts.
package struct SourceContext: Sendable {
  /// The variables of the environment.
  package let variables: [String: String]
  /// The manifest's folder, absolute: relative paths are relative to it.
  package let folder: String
  /// The root of the work tree that the folder is in, absolute, without links; the folder itself where there is none.
  package let workTree: String
  /// What `~` stands for; nil where nobody knows.
  package let home: String?

  package init(variables: [String: String], folder: String, workTree: String? = nil, home: String?) {
    self.variables = variables
    self.folder = folder
    self.workTree = workTree ?? folder
    self.home = home
  }
}
