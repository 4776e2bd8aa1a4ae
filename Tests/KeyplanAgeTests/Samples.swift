import KeyplanAge
import KeyplanSecrets
import TestTools

/// A secret's bytes, for comparing.
func bytes(of secret: borrowing Secret) -> [UInt8] { secret.withBytes { [UInt8]($0) } }

func text(of secret: borrowing Secret) -> String { String(decoding: bytes(of: secret), as: UTF8.self) }

func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func identity(_ text: String) throws(AgeError) -> Identity { try Identity(parsing: Secret(Array(text.utf8))) }

extension Seeded {
  static func bytes(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
    var generator = Seeded(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}

/// From age's specification (c2sp.org/age, "The X25519 recipient type").
enum Published {
  static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
  static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
}
