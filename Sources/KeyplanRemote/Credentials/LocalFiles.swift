import KeyplanApply
import KeyplanCore
import KeyplanSecrets

extension RemoteEnvironment {
  /// The content of a file of the user's own configuration, such as `~/.aws/config`, without one newline at its end.
  ///
  /// - Parameter path: absolute, or below `~`. A relative path would mean a file in the manifest's folder, which may
  ///   be a stranger's.
  /// - Returns: nil if there is no such file, or nothing in it.
  func file(_ path: String) async throws(RemoteFailure) -> SecretBox? {
    var absolute = path
    if path == "~" || path.hasPrefix("~/") {
      guard let home else { return nil }
      absolute = home + path.dropFirst()
    }
    guard absolute.hasPrefix("/") else { throw RemoteFailure(.unreadable, RemoteMessages.relativePath(path)) }
    let reference = Reference(
      scheme: "file", location: absolute, isFile: true, isLocal: true, surface: ExternalAccess(.path, absolute))
    switch await read(reference) {
    case .value(let content): return content
    case .missing: return nil
    case .failed(let failure) where failure.reason == ValueFault.empty.sentence: return nil
    case .failed(let failure): throw RemoteFailure(failure)
    }
  }
}
