import KeyplanAge
import KeyplanSecrets

/// A secret's bytes, for comparing.
func bytes(of secret: borrowing Secret) -> [UInt8] { secret.withBytes { [UInt8]($0) } }

func text(of secret: borrowing Secret) -> String { String(decoding: bytes(of: secret), as: UTF8.self) }

func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func identity(_ text: String) throws(AgeError) -> Identity { try Identity(parsing: Secret(Array(text.utf8))) }

/// SplitMix64: the same bytes on every run.
struct SeededBytes: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  static func bytes(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
    var generator = SeededBytes(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}

/// From age's specification (c2sp.org/age, "The X25519 recipient type").
enum Published {
  static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
  static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
}
