import Foundation

/// A secret that tokens with the policy can read.
struct VaultPlace {
  let path: String
  let policy: String

  init(_ bao: OpenBao) async throws {
    let mount = try await bao.mount(2)
    try await bao.put(mount, "a", #"{"key":"value"}"#)
    policy = "read-\(mount)"
    path = "\(mount)/a"
    let rule = #"path \"\#(mount)/*\" { capabilities = [\"read\"] }"#
    try await bao.make("sys/policies/acl/\(policy)", #"{"policy":"\#(rule)"}"#)
  }
}

extension OpenBao {
  /// Mounts a login at a path of its own.
  func enable(_ type: String) async throws -> String {
    let mount = "\(type)-\(UUID().uuidString.prefix(8).lowercased())"
    try await make("sys/auth/\(mount)", #"{"type":"\#(type)"}"#)
    return mount
  }

  /// The same as `make`, with an object.
  func make(_ path: String, object: [String: Any]) async throws {
    try await make(path, String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
  }
}
