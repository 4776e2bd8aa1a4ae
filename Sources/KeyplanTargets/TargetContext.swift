/// What targets see of the machine they run on; made once, where the program starts.
public struct TargetContext: Sendable {
  /// The manifest's folder, absolute: relative paths stand relative to it.
  public let folder: String
  /// What `~` stands for; nil where nobody knows.
  public let home: String?

  /// Nothing is checked.
  public init(folder: String, home: String?) {
    self.folder = folder
    self.home = home
  }
}
