/// Bech32 written once more from BIP-173's reference, so that tests can make texts that the module never writes.
func bech32(_ prefix: String, _ bytes: [UInt8]) -> String { bech32(prefix, digits: bech32Digits(bytes)) }

/// Bytes as digits of five bits, the last filled up with zeros.
func bech32Digits(_ bytes: [UInt8]) -> [Int] {
  var digits: [Int] = []
  var value = 0
  var bits = 0
  for byte in bytes {
    value = (value << 8 | Int(byte)) & 0xFFF
    bits += 8
    while bits >= 5 {
      bits -= 5
      digits.append(value >> bits & 31)
    }
  }
  if bits > 0 { digits.append(value << (5 - bits) & 31) }
  return digits
}

func bech32(_ prefix: String, digits: [Int]) -> String {
  let generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
  let expanded = prefix.utf8.map { Int($0) >> 5 } + [0] + prefix.utf8.map { Int($0) & 31 }
  var checksum = 1
  for value in expanded + digits + [0, 0, 0, 0, 0, 0] {
    let top = checksum >> 25
    checksum = (checksum & 0x1ffffff) << 5 ^ value
    for bit in 0..<5 where top >> bit & 1 == 1 { checksum ^= generator[bit] }
  }
  checksum ^= 1
  let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
  let all = digits + (0..<6).map { checksum >> (5 * (5 - $0)) & 31 }
  return prefix + "1" + String(all.map { alphabet[$0] })
}
