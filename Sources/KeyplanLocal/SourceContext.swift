/// What sources see of the machine they run on; made once, where the program starts.
public struct SourceContext: Sendable {
  /// The variables of the environment.
  public let variables: [String: String]
  /// The manifest's folder, absolute: relative paths are relative to it.
  public let folder: String
  /// The root of the work tree that the folder is in, absolute, without links; the folder itself where there is none.
  public let workTree: String
  /// What `~` stands for; nil where nobody knows.
  public let home: String?

  package init(variables: [String: String], folder: String, workTree: String? = nil, home: String?) {
    self.variables = variables
    self.folder = folder
    self.workTree = workTree ?? folder
    self.home = home
  }
}
