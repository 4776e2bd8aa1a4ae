/// The facts of a project that CI jobs need to know. None of them is secret.
package struct JobProject: Sendable {
  package let store: Store
  /// The environment's line of `keyplan.lock`; nil if there is none.
  package let pin: String?
  /// The environment; nil for the one without a name.
  package let environment: String?
  /// The manifest, relative to the root of its work tree.
  package let manifest: String
  /// The manifest's folder, absolute.
  package let folder: String
  /// The variables that sources and connections read: sorted.
  package let variables: [String]
  /// The names of the declared recipients that can only plan, and of those with full access: sorted.
  package let planners: [String]
  package let openers: [String]
  /// Whether calendar accounts are declared.
  package let hasAccounts: Bool
  /// This machine, for units that run here.
  package let machine: Machine

  /// The place of the store.
  package enum Store: Sendable {
    /// The address without user and password.
    case server(String)
    /// An absolute path.
    case file(String)
    /// The project has no store.
    case none
  }

  package struct Machine: Sendable {
    /// The keyplan that runs, absolute.
    package let program: String
    /// The login name of the account.
    package let user: String
    /// keyplan's folder for what it remembers.
    package let state: String

    package init(program: String, user: String, state: String) {
      (self.program, self.user, self.state) = (program, user, state)
    }
  }

  package init(
    store: Store, pin: String?, environment: String?, manifest: String, folder: String, variables: [String],
    planners: [String], openers: [String], hasAccounts: Bool, machine: Machine
  ) {
    (self.store, self.pin, self.environment) = (store, pin, environment)
    (self.manifest, self.folder, self.variables) = (manifest, folder, variables)
    (self.planners, self.openers) = (planners, openers)
    (self.hasAccounts, self.machine) = (hasAccounts, machine)
  }
}

extension JobProject {
  static let usualManifest = "keyplan.yaml"

  var isUsualManifest: Bool { manifest == Self.usualManifest }

  /// The manifest's folder relative to the root, with a slash; empty for the root.
  private var prefix: String { manifest.lastIndex(of: "/").map { String(manifest[...$0]) } ?? "" }

  var lock: String { prefix + "keyplan.lock" }

  /// The manifest and its overlays, as a pattern of file names.
  var manifestFiles: String {
    let name = manifest.dropFirst(prefix.count)
    guard let dot = name.lastIndex(of: ".") else { return manifest }
    return "\(prefix)\(name[..<dot])*\(name[dot...])"
  }

  /// `keyplan`, or `keyplan-production`: files, groups and environments of CI services are named so.
  var slug: String { "keyplan" + (environment.map { "-\($0)" } ?? "") }

  /// The environment of the service that has the settings for applying.
  var deployment: String { "keys" + (environment.map { "-\($0)" } ?? "") }

  /// The name of a setting at the service: each environment has its own.
  func setting(_ name: String) -> String {
    guard let environment else { return name }
    let suffix = environment.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return name + "_" + String(suffix)
  }

  /// The file of the workflow.
  package var workflow: String { ".github/workflows/\(slug).yml" }
}
