/// The X25519 public key of an Ed25519 public key: the same point on the birationally equivalent curve (RFC 7748, section 4.1).
///
/// Its time depends on the key, which is public. swift-crypto has no such conversion.
enum MontgomeryKey {
  /// Nil if the 32 bytes are not a point on the curve.
  static func u(ofEdwards key: [UInt8]) -> [UInt8]? {
    guard key.count == 32 else { return nil }
    let y = FieldElement(littleEndian: key.dropLast() + [key[31] & 0x7F])
    let square = y * y
    // x² = (y² - 1) / (d·y² + 1) must have a root; a quotient has one exactly if the product has.
    let product = (square - .one) * (.d * square + .one)
    let character = product.power(FieldElement.halfOrder)
    guard character == .one || character == .zero else { return nil }
    return ((.one + y) * (.one - y).power(FieldElement.inverse)).bytes
  }
}

/// An integer modulo 2²⁵⁵ - 19, as four limbs, the least significant first. It may exceed the modulus until it is written.
private struct FieldElement: Equatable {
  private var limbs: [UInt64]

  static let zero = FieldElement([0, 0, 0, 0])
  static let one = FieldElement([1, 0, 0, 0])
  /// The curve's constant, -121665/121666.
  static let d = FieldElement([
    0x75EB_4DCA_1359_78A3, 0x0070_0A4D_4141_D8AB, 0x8CC7_4079_7779_E898, 0x5203_6CEE_2B6F_FE73,
  ])
  private static let modulus: [UInt64] = [0xFFFF_FFFF_FFFF_FFED, .max, .max, 0x7FFF_FFFF_FFFF_FFFF]
  /// Exponents: the modulus less 2 inverts (Fermat); half of the modulus less 1 is 1 for squares (Euler).
  static let inverse: [UInt64] = [0xFFFF_FFFF_FFFF_FFEB, .max, .max, 0x7FFF_FFFF_FFFF_FFFF]
  static let halfOrder: [UInt64] = [0xFFFF_FFFF_FFFF_FFF6, .max, .max, 0x3FFF_FFFF_FFFF_FFFF]

  private init(_ limbs: [UInt64]) { self.limbs = limbs }

  init(littleEndian bytes: [UInt8]) {
    limbs = (0..<4).map { limb in (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[8 * limb + $1]) } }
  }

  /// 32 bytes in little-endian order, less than the modulus.
  var bytes: [UInt8] {
    var value = limbs
    while !value.isLess(than: Self.modulus) { value = Self.difference(value, Self.modulus).0 }
    return value.flatMap { limb in (0..<8).map { UInt8(truncatingIfNeeded: limb >> UInt64(8 * $0)) } }
  }

  static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

  static func + (one: Self, other: Self) -> Self {
    let (sum, carry) = sum(one.limbs, other.limbs)
    return Self(folding: sum, carry ? 1 : 0)
  }

  static func - (one: Self, other: Self) -> Self {
    var (difference, borrow) = difference(one.limbs, other.limbs)
    // The borrow is 2²⁵⁶, which is 38.
    while borrow { (difference, borrow) = Self.difference(difference, [38, 0, 0, 0]) }
    return Self(difference)
  }

  static func * (one: Self, other: Self) -> Self {
    var product = [UInt64](repeating: 0, count: 8)
    for i in 0..<4 {
      var carry: UInt64 = 0
      for j in 0..<4 {
        let (high, low) = one.limbs[i].multipliedFullWidth(by: other.limbs[j])
        let (first, firstCarry) = product[i + j].addingReportingOverflow(low)
        let (second, secondCarry) = first.addingReportingOverflow(carry)
        product[i + j] = second
        carry = high &+ (firstCarry ? 1 : 0) &+ (secondCarry ? 1 : 0)
      }
      product[i + 4] = carry
    }
    var sum = Array(product[..<4])
    var carry: UInt64 = 0
    for i in 0..<4 {
      let (high, low) = product[i + 4].multipliedFullWidth(by: 38)
      let (first, firstCarry) = sum[i].addingReportingOverflow(low)
      let (second, secondCarry) = first.addingReportingOverflow(carry)
      sum[i] = second
      carry = high &+ (firstCarry ? 1 : 0) &+ (secondCarry ? 1 : 0)
    }
    return Self(folding: sum, carry)
  }

  func power(_ exponent: [UInt64]) -> Self {
    var result = Self.one
    for bit in (0..<256).reversed() {
      result = result * result
      if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = result * self }
    }
    return result
  }

  /// A number with a small fifth limb.
  private init(folding limbs: [UInt64], _ top: UInt64) {
    var (value, carry) = Self.sum(limbs, [top &* 38, 0, 0, 0])
    while carry { (value, carry) = Self.sum(value, [38, 0, 0, 0]) }
    self.limbs = value
  }

  private static func sum(_ one: [UInt64], _ other: [UInt64]) -> ([UInt64], Bool) {
    var result = one
    var carry = false
    for i in 0..<4 {
      let (first, firstCarry) = one[i].addingReportingOverflow(other[i])
      let (second, secondCarry) = first.addingReportingOverflow(carry ? 1 : 0)
      result[i] = second
      carry = firstCarry || secondCarry
    }
    return (result, carry)
  }

  private static func difference(_ one: [UInt64], _ other: [UInt64]) -> ([UInt64], Bool) {
    var result = one
    var borrow = false
    for i in 0..<4 {
      let (first, firstBorrow) = one[i].subtractingReportingOverflow(other[i])
      let (second, secondBorrow) = first.subtractingReportingOverflow(borrow ? 1 : 0)
      result[i] = second
      borrow = firstBorrow || secondBorrow
    }
    return (result, borrow)
  }
}

extension [UInt64] {
  fileprivate func isLess(than other: [UInt64]) -> Bool {
    reversed().lexicographicallyPrecedes(other.reversed())
  }
}
