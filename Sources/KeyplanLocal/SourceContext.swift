package import KeyplanFiles

/// The parts of the environment that sources may use; created once, at the start of the program.
package struct SourceContext: Sendable {
  package let variables: [String: String]
  /// The manifest's folder, absolute; relative paths are resolved in it.
  package let folder: String
  /// The root of the work tree that contains the folder, absolute and without links; otherwise the folder itself.
  package let workTree: String
  /// The home directory, for `~`; nil if unknown.
  package let home: String?
  /// Whether the files of the work tree have been reviewed.
  package let isTrusted: Bool
  /// The files of the work tree.
  package let checkout: CheckoutFiles

  package init(
    variables: [String: String], folder: String, workTree: String? = nil, home: String?, isTrusted: Bool = true
  ) {
    self.variables = variables
    self.folder = folder
    self.workTree = workTree ?? folder
    self.home = home
    self.isTrusted = isTrusted
    checkout = CheckoutFiles(root: workTree ?? folder, folder: folder, isTrusted: isTrusted)
  }

  /// The path of a location in the manifest.
  package func absolute(_ location: String) -> String {
    if location.hasPrefix("/") { return location }
    if location == "~" || location.hasPrefix("~/"), let home { return home + location.dropFirst() }
    return folder + "/" + location
  }
}
