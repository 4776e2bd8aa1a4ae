/// The fields of SSH's wire format, one after the other (RFC 4251, section 5).
struct SSHFields {
  private var rest: Slice<UnsafeRawBufferPointer>

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number() throws(KeyFault) -> Int { try take(4).reduce(0) { $0 << 8 | Int($1) } }

  mutating func string() throws(KeyFault) -> Slice<UnsafeRawBufferPointer> { try take(number()) }

  /// A positive integer, as its bytes without leading zeros.
  mutating func positive() throws(KeyFault) -> Slice<UnsafeRawBufferPointer> {
    let bytes = try string()
    let digits = bytes.drop { $0 == 0 }
    guard let first = bytes.first, first < 0x80, !digits.isEmpty else { throw .sshMalformed }
    return digits
  }

  /// The rest must be the padding 1, 2, 3 and so on.
  func requirePadding() throws(KeyFault) {
    guard rest.count < 256, rest.enumerated().allSatisfy({ Int($1) == $0 + 1 }) else { throw .sshMalformed }
  }

  private mutating func take(_ count: Int) throws(KeyFault) -> Slice<UnsafeRawBufferPointer> {
    guard rest.count >= count else { throw .sshMalformed }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A string as a field.
  static func field(_ bytes: some Collection<UInt8>) -> [UInt8] {
    withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes
  }

  /// A positive integer as a field, with a zero before a set first bit.
  static func field(positive digits: some Collection<UInt8>) -> [UInt8] {
    field((digits.first ?? 0) >= 0x80 ? [0] + digits : Array(digits))
  }
}
