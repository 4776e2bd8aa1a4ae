import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

extension RemoteEnvironment {
  /// The content of a file of the user's own configuration, such as `~/.aws/config`.
  ///
  /// - Parameter path: absolute, or below `~`. A relative path would mean a file in the manifest's folder, which may
  ///   belong to someone else.
  /// - Returns: nil if there is no such file, or nothing in it.
  package func file(_ path: String) async throws(RemoteFailure) -> SecretBox? {
    var absolute = path
    if path == "~" || path.hasPrefix("~/") {
      guard let home else { return nil }
      absolute = home + path.dropFirst()
    }
    guard absolute.hasPrefix("/") else { throw RemoteFailure(.unreadable, RemoteMessages.relativePath(path)) }
    switch await configuration(at: absolute) {
    case .value(let content): return content
    case .missing: return nil
    case .failed(let failure) where ValueFault.vacant.contains { $0.sentence == failure.reason }: return nil
    case .failed(let failure): throw RemoteFailure(failure)
    }
  }

  /// The content of a file that the environment, or a file named by it, names. No other function reads such files.
  /// - Parameter path: a relative one is a file of the manifest's folder.
  package func configuration(at path: String) async -> SourceAnswer {
    if let refusal = refusal(path) { return .failed(refusal) }
    return await read(
      Reference(
        scheme: "file", location: path, isFile: true, isLocal: true,
        surface: path.hasPrefix("/") ? ExternalAccess(.path, path) : nil))
  }

  /// Refuses a variable's file that is not read here, but by a library.
  package func requireUsable(_ variable: String) throws(RemoteFailure) {
    guard let path = self.variable(variable), let refusal = refusal(path) else { return }
    throw RemoteFailure(refusal.at(variable))
  }
}
