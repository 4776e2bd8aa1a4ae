/// The facts of a project that CI jobs need to know. None of them is secret.
package struct JobProject: Sendable {
  package let store: Store
  /// The environment's line of `keyplan.lock`; nil if there is none.
  package let pin: String?
  /// The environment; nil for the one without a name.
  package let environment: String?
  /// The environments that have an overlay: sorted.
  package let overlays: [String]
  /// The manifest, relative to the root of its work tree: jobs of services run there.
  package let manifest: String
  /// The manifest's folder, absolute: units on this machine run there.
  package let folder: String
  /// The options with which commands here find the manifest and the environment: empty, or ` -f keys.yml -e eu`.
  package let options: String
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
    store: Store, pin: String?, environment: String?, overlays: [String], manifest: String, folder: String,
    options: String, variables: [String], planners: [String], openers: [String], hasAccounts: Bool, machine: Machine
  ) {
    (self.store, self.pin, self.environment, self.overlays) = (store, pin, environment, overlays)
    (self.manifest, self.folder, self.options, self.variables) = (manifest, folder, options, variables)
    (self.planners, self.openers) = (planners, openers)
    (self.hasAccounts, self.machine) = (hasAccounts, machine)
  }
}

extension JobProject {
  static let usualManifest = "keyplan.yaml"

  /// A manifest, for jobs that run in this folder: nil where they find it without its name.
  func manifest(in place: JobPlace) -> String? {
    let path = place == .root ? manifest : fileName
    return path == Self.usualManifest ? nil : path
  }

  /// The folder in which a job runs.
  enum JobPlace {
    /// The root of the work tree.
    case root
    /// The manifest's folder.
    case folder
  }

  /// The manifest's folder relative to the root, with a slash; empty for the root.
  private var prefix: String { manifest.lastIndex(of: "/").map { String(manifest[...$0]) } ?? "" }

  private var fileName: String { String(manifest.dropFirst(prefix.count)) }

  /// The pattern of `keyplan.lock`.
  var lock: String { Self.pattern(prefix) + "keyplan.lock" }

  /// The manifest and its overlays, as a pattern of file names.
  var manifestFiles: String {
    let name = fileName
    guard let dot = name.lastIndex(of: ".") else { return Self.pattern(manifest) }
    return "\(Self.pattern(prefix + name[..<dot]))*\(Self.pattern(String(name[dot...])))"
  }

  /// A path as a pattern of GitHub, in which nothing is certain to escape a special character: each becomes a `*`, which also matches it.
  private static func pattern(_ path: String) -> String {
    let text = path.replacing("${{", with: "*")
    return String(text.map { "*?+[]!\\".contains($0) ? "*" : $0 })
  }

  /// The name by which commands choose the environment; nil where there is nothing to choose from.
  var environmentName: String? { environment ?? (overlays.isEmpty ? nil : "default") }

  /// The environment, for the head of a file; nil where there is only one.
  var environmentComment: String? {
    environmentName.map { "# For the environment \($0). Others have files of their own, printed with -e.\n#\n" }
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
