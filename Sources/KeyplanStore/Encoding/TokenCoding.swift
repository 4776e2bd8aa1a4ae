import KeyplanPorts
import KeyplanSecrets

/// The encoding of an account's tokens, which are sealed as one value: the version of this encoding, then the access
/// token and the refresh token, each as a byte 0, or a byte 1, its length in four bytes (big-endian), and its bytes.
/// Only wiped memory is used.
extension AccountTokens {
  private static let version: UInt8 = 1

  var sealing: SecretBox {
    let parts = [access, refresh]
    let size = parts.reduce(1) { $0 + 1 + ($1.map { 4 + $0.count } ?? 0) }
    return SecretBox(
      Secret(count: size) { memory in
        var at = 0
        func put(_ byte: UInt8) {
          memory[at] = byte
          at += 1
        }
        put(Self.version)
        for part in parts {
          guard let part else {
            put(0)
            continue
          }
          put(1)
          for shift in stride(from: 24, through: 0, by: -8) { put(UInt8(truncatingIfNeeded: part.count >> shift)) }
          part.withBytes { UnsafeMutableRawBufferPointer(rebasing: memory[at...]).copyMemory(from: $0) }
          at += part.count
        }
      })
  }

  init(sealed: SecretBox) throws(StoreError) {
    self = try sealed.withBytes { bytes throws(StoreError) in
      var at = 0
      func take(_ count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - at else { throw Self.unreadable }
        defer { at += count }
        return UnsafeRawBufferPointer(rebasing: bytes[at..<at + count])
      }
      func part() throws(StoreError) -> SecretBox? {
        switch try take(1)[0] {
        case 0: return nil
        case 1:
          let count = try take(4).reduce(0) { $0 << 8 | Int($1) }
          return SecretBox(Secret(copying: try take(count)))
        default: throw Self.unreadable
        }
      }
      guard try take(1)[0] == Self.version else { throw Self.unreadable }
      let tokens = AccountTokens(access: try part(), refresh: try part())
      guard at == bytes.count else { throw Self.unreadable }
      return tokens
    }
  }

  // It is authentic, so it was written by a later version of keyplan.
  private static let unreadable = StoreError(
    .newerVersion, "The store contains tokens that this version of keyplan cannot read.",
    hint: "Use a later version of keyplan.")
}
