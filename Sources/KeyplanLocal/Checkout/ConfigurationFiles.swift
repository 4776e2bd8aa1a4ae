import KeyplanFiles
package import KeyplanModel

/// Decides which files may configure keyplan and the programs that it runs.
///
/// The user's configuration is trusted, unless it is a file of an untrusted checkout: the author of a pull request would choose
/// which programs run, and which hosts get a credential. Files that git does not track were written by the job itself.
package struct ConfigurationFiles: Sendable {
  private let context: SourceContext

  package init(_ context: SourceContext) { self.context = context }

  /// The reason that a file or a directory may not be used; nil if it may.
  /// - Parameters:
  ///   - path: a relative one counts as one of the manifest's folder.
  ///   - origin: the name of its origin, for messages; nil for the path itself.
  package func refusal(of path: String, named origin: String? = nil) -> AccessFailure? {
    guard !context.isTrusted, isTracked([path]) else { return nil }
    let what = origin.map { "\($0) names \(path), which" } ?? path
    return AccessFailure(
      .unauthenticated,
      "\(what) is in the work tree and tracked by git: a pull request could change what it configures.",
      hint: "Keep it outside of the work tree, or have the job write it as a file that git does not track.")
  }

  /// The reason that the files that a variable names may not be used; nil if they may, or if it is not set.
  package func refusal(ofVariable name: String) -> AccessFailure? {
    guard !context.isTrusted, let value = context.variables[name], let known = ConfigurationVariable.named(name) else {
      return nil
    }
    return known.paths(in: value).lazy.compactMap { refusal(of: $0, named: name) }.first
  }

  /// The first of the variables of a program that names something of an untrusted checkout that git tracks, as a sentence.
  func refusal(ofEnvironment variables: [String: String]) -> AccessFailure? {
    guard !context.isTrusted else { return nil }
    // PATH is searched without the work tree, and HOME is required to be elsewhere.
    for (name, value) in variables.sorted(by: { $0.key < $1.key }) where name != "PATH" {
      for path in Self.paths(in: value) {
        if let refusal = refusal(of: path, named: name) { return refusal }
      }
    }
    return nil
  }

  /// The files and directories that a program's variable leads to and that git tracks. Relative ones are not in the program's private
  /// directory.
  func trackedPaths(in value: String) -> [String] {
    let paths = Self.paths(in: value)
    let tracked = paths.isEmpty ? [] : context.checkout.tracked(among: paths)
    return paths.filter(tracked.contains)
  }

  /// The terms that the files of variables add to the permission of a connection to a backend: `file $KUBECONFIG hmac:…`.
  package func terms(of backend: String, _ content: (String) -> FileTerm.Content) -> Set<String> {
    var terms: Set<String> = []
    for variable in ConfigurationVariable.all where variable.content != .directory && variable.isRead(by: backend) {
      guard let value = context.variables[variable.name] else { continue }
      let paths = variable.paths(in: value)
      let tracked = paths.isEmpty ? [] : context.checkout.tracked(among: paths.map(context.absolute))
      for path in paths where tracked.contains(context.absolute(path)) {
        terms.insert("\(FileTerm("$\(variable.name)", content(context.absolute(path))))")
      }
    }
    return terms
  }

  private func isTracked(_ paths: [String]) -> Bool {
    !context.checkout.tracked(among: paths.map(context.absolute)).isEmpty
  }

  /// The absolute paths in the value of any variable: one, or several as in `PATH`.
  static func paths(in value: String) -> [String] {
    guard value.utf8.contains(UInt8(ascii: "/")) else { return [] }
    return ([value] + value.split(separator: ":").map(String.init)).filter { $0.hasPrefix("/") }
  }
}
