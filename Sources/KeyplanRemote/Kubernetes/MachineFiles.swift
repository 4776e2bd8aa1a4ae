import KeyplanSecrets
import KeyplanServices

extension RemoteEnvironment {
  /// The content of a file that the machine's own configuration names, and that must exist.
  /// - Parameter path: absolute.
  func requiredFile(_ path: String) async throws(RemoteFailure) -> SecretBox {
    let content: SecretBox?
    do throws(RemoteFailure) {
      content = try await file(path)
    } catch {
      throw RemoteFailure(.unauthenticated, "\(path): \(error.reason)", hint: error.hint)
    }
    guard let content else { throw RemoteFailure(.unauthenticated, KubernetesMessages.fileMissing(path)) }
    return content
  }
}
