/// What sources see of the machine they run on; made once, where the program starts.
public struct SourceContext: Sendable {
  /// The variables of the environment.
  public let variables: [String: String]
  /// The manifest's folder, absolute: relative paths stand relative to it, and commands run in it.
  public let folder: String
  /// What `~` stands for; nil where nobody knows.
  public let home: String?

  /// Nothing is checked.
  public init(variables: [String: String], folder: String, home: String?) {
    self.variables = variables
    self.folder = folder
    self.home = home
  }
}
