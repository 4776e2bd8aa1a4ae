import TestTools

/// Damages inputs, and joins parts of two.
struct Mutator {
  private var random: Seeded
  private let inputs: [[UInt8]]
  private static let telling =
    Array("\n\r\t #&*!|>'\"%@[]{}<>/\\,:;?=-~.0919az\0\u{7F}".utf8) + [0x80, 0xC3, 0xEF, 0xFF]

  init(seed: UInt64, inputs: [[UInt8]]) {
    random = Seeded(seed: seed)
    self.inputs = inputs.isEmpty ? [[]] : inputs
  }

  mutating func next(longest: Int) -> [UInt8] {
    var bytes = random.pick(inputs)
    if random.chance(20) {
      let other = random.pick(inputs)
      bytes = Array(bytes.prefix(random.below(bytes.count + 1)) + other.suffix(random.below(other.count + 1)))
    }
    for _ in 0...random.below(4) {
      let index = random.below(bytes.count + 1)
      switch random.below(6) {
      case 0: bytes.insert(random.pick(Self.telling), at: index)
      case 1 where index < bytes.count:
        bytes[index] = random.chance(50) ? random.pick(Self.telling) : UInt8(random.below(256))
      case 2 where index < bytes.count: bytes[index] ^= 1 << UInt8(random.below(8))
      case 3: bytes.removeSubrange(index..<min(bytes.count, index + 1 + random.below(8)))
      case 4:
        bytes.insert(
          contentsOf: bytes[index..<min(bytes.count, index + random.below(40))], at: random.below(bytes.count + 1))
      default: bytes.removeSubrange(min(bytes.count, index + bytes.count / 2)...)
      }
    }
    return Array(bytes.prefix(longest))
  }
}
