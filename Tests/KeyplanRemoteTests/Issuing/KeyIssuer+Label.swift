import KeyplanPorts

@testable import KeyplanRemote
@testable import KeyplanServices

extension KeyIssuer {
  /// The ids of all keys with exactly this label.
  func orphans(of label: String) async throws(KeyIssuerFailure) -> [String] {
    try await orphans(of: [label])[label] ?? []
  }
}
