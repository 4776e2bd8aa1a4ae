import KeyplanApply
import KeyplanCore
import KeyplanSecrets

extension RemoteEnvironment {
  /// The content of a file that the machine's own configuration names; nil if it is missing.
  /// - Parameter path: absolute.
  func file(_ path: String) async throws(RemoteFailure) -> SecretBox? {
    let reference = Reference(
      scheme: "file", location: path, isFile: true, isLocal: true, surface: ExternalAccess(.path, path))
    switch await read(reference) {
    case .value(let content): return content
    case .missing: return nil
    case .failed(let failure):
      throw RemoteFailure(.unauthenticated, "\(path): \(failure.reason)", hint: failure.hint)
    }
  }

  /// The same for a file that must exist.
  func requiredFile(_ path: String) async throws(RemoteFailure) -> SecretBox {
    guard let content = try await file(path) else {
      throw RemoteFailure(.unauthenticated, KubernetesMessages.fileMissing(path))
    }
    return content
  }
}
