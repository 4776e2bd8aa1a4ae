import KeyplanSecrets
import Subprocess

/// A program wrote more than the limit.
struct TooMuchOutput: Error {}

extension SubprocessOutputSequence {
  /// All bytes until the program ends.
  /// - Parameter cutting: whether bytes beyond the limit are dropped; otherwise they are an error.
  func bytes(limit: Int, cutting: Bool = false) async throws -> SecretBox {
    var bytes: [UInt8] = []
    // The buffer is allocated once, so that no copies of a secret remain in outgrown buffers. The chunks themselves
    // cannot be wiped.
    bytes.reserveCapacity(limit)
    for try await chunk in self {
      let room = limit - bytes.count
      guard chunk.count <= room || cutting else {
        _ = SecretBox(bytes)
        throw TooMuchOutput()
      }
      chunk.withUnsafeBytes { bytes.append(contentsOf: $0.prefix(room)) }
    }
    return SecretBox(bytes)
  }
}
